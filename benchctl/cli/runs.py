"""`benchctl runs`: the runs of this project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, columns, put, put_json, tell
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.errors import StoreDamagedError, Where
from benchctl.report.escaping import visible

if TYPE_CHECKING:
    from benchctl.store.reader import StoredRun
    from benchctl.store.survey import Survey, Unreadable

__all__ = ["RUNS_SCHEMA", "command"]

RUNS_SCHEMA = "benchctl.runs/1"


@click.command("runs")
@output_format("text", "json")
@project_options
def command(*, form: str, project_dir: Path, quiet: bool, verbose: bool) -> None:
    """List the runs of this project, oldest first, then what cannot be read as one; for that it ends with 1.

    It reads manifests and records, and looks whether every file of a closed run is there and of its size;
    `benchctl verify-store` reads every byte.

    \b
    Example:
      benchctl runs --format json
    """
    from benchctl.store.survey import refuse_unreadable, survey

    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    found = _sized(survey(project.store))
    listed = sorted((_line(run) for run in found.runs), key=lambda line: (line["created_at"], line["run"]))
    listed += [_unreadable(each) for each in found.unreadable]
    if form == "json":
        put_json({"schema": RUNS_SCHEMA, "runs": listed})
    elif listed:
        names = ("run", "suite", "state", "cells", "sandbox", "created_at", "data")
        put(columns([[_shown(line, name) for name in names] for line in listed], names))
        for each in found.unreadable:
            tell(f"{visible(each.name)} is {each.state}: {visible(each.why)}")
    else:
        console.say(f"no run in {project.store.place}/runs; `benchctl run` collects one")
    refuse_unreadable(found.unreadable, len(found.runs))


def _sized(found: Survey) -> Survey:
    """Return the same with each run among the unreadable that has lost a file, or has one of another size."""
    from benchctl.store.survey import Survey, Unreadable

    wrong = {run.id: error for run in found.runs if (error := _wrong_size(run))}
    sound = tuple(run for run in found.runs if run.id not in wrong)
    lost = tuple(Unreadable(name, error) for name, error in wrong.items())
    return Survey(sound, (*found.unreadable, *lost))


def _wrong_size(run: StoredRun) -> StoreDamagedError | None:
    """Return what is wrong with the first file that is not of the size its manifest says; of a remote run nothing."""
    if run.manifest is None or run.layout.source is not None:
        return None
    for name, entry in run.manifest.files.items():
        path = run.layout.folder / name
        size = path.lstat().st_size if path.is_file() else None
        if size != entry.bytes:
            what = "missing" if size is None else f"the file is {size} bytes"
            return StoreDamagedError(what, where=Where(str(path)), expected=f"{entry.bytes} bytes")
    return None


def _shown(line: dict[str, Any], name: str) -> object:
    """Return what the table shows: of an imported run its file stands where others have their suite."""
    return f"from {line['imported']}" if name == "suite" and line["imported"] else line[name]


def _line(run: StoredRun) -> dict[str, Any]:
    record = run.record
    return {
        "run": run.id,
        "suite": record.suite,
        "imported": record.imported.file if record.imported else None,
        "state": run.state,
        "cells": record.imported.rows if record.imported else len(record.cells),
        "sandbox": record.sandbox,
        "created_at": record.created_at,
        "practice": record.practice,
        "data": run.data_digest,
        "why": None,
    }


def _unreadable(found: Unreadable) -> dict[str, Any]:
    names = ("suite", "imported", "cells", "sandbox", "created_at", "practice", "data")
    return {"run": found.name, "state": found.state, **dict.fromkeys(names), "why": found.why}
