"""`benchctl runs`: the runs of this project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, columns
from benchctl.cli.options import find_project, output_format, project_options

if TYPE_CHECKING:
    from benchctl.store.reader import StoredRun

__all__ = ["RUNS_SCHEMA", "command"]

RUNS_SCHEMA = "benchctl.runs/1"


@click.command("runs")
@output_format("text", "json")
@project_options
def command(*, form: str, project_dir: Path, quiet: bool, verbose: bool) -> None:
    """List the runs of this project, oldest first.

    \b
    Example:
      benchctl runs --format json
    """
    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    listed = sorted(
        (_line(run) for run in project.store.runs()), key=lambda line: (line["created_at"], line["run"])
    )
    if form == "json":
        click.echo(json.dumps({"schema": RUNS_SCHEMA, "runs": listed}, indent=1))
    elif listed:
        names = ("run", "suite", "state", "cells", "sandbox", "created_at", "data")
        click.echo(columns([[line[name] for name in names] for line in listed], names))
    else:
        console.say(f"no run in {project.runs_dir}; `benchctl run` collects one")


def _line(run: StoredRun) -> dict[str, Any]:
    record = run.record
    return {
        "run": run.id,
        "suite": record.suite,
        "state": run.state,
        "cells": len(record.cells),
        "sandbox": record.sandbox,
        "created_at": record.created_at,
        "practice": record.practice,
        "data": run.data_digest,
    }
