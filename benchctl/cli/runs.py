"""`benchctl runs`: the runs of this project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, columns
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.report.escaping import visible

if TYPE_CHECKING:
    from benchctl.store.reader import StoredRun
    from benchctl.store.survey import Unreadable

__all__ = ["RUNS_SCHEMA", "command"]

RUNS_SCHEMA = "benchctl.runs/1"


@click.command("runs")
@output_format("text", "json")
@project_options
def command(*, form: str, project_dir: Path, quiet: bool, verbose: bool) -> None:
    """List the runs of this project, oldest first, then what cannot be read as one; for that it ends with 1.

    \b
    Example:
      benchctl runs --format json
    """
    from benchctl.store.survey import refuse_unreadable, survey

    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    found = survey(project.store)
    listed = sorted((_line(run) for run in found.runs), key=lambda line: (line["created_at"], line["run"]))
    listed += [_unreadable(each) for each in found.unreadable]
    if form == "json":
        click.echo(json.dumps({"schema": RUNS_SCHEMA, "runs": listed}, indent=1))
    elif listed:
        names = ("run", "suite", "state", "cells", "sandbox", "created_at", "data")
        click.echo(columns([[line[name] for name in names] for line in listed], names))
        for each in found.unreadable:
            click.echo(f"{visible(each.name)} is {each.state}: {visible(each.why)}", err=True)
    else:
        console.say(f"no run in {project.runs_dir}; `benchctl run` collects one")
    refuse_unreadable(found.unreadable, len(found.runs))


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
        "why": None,
    }


def _unreadable(found: Unreadable) -> dict[str, Any]:
    names = ("suite", "cells", "sandbox", "created_at", "practice", "data")
    return {"run": found.name, "state": found.state, **dict.fromkeys(names), "why": found.why}
