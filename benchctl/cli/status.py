"""`benchctl status`: how far runs are; running is what a living process does, not what a file says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, columns, put, put_json, tell
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.errors import BenchctlError, StoreDamagedError, StoreNewerError
from benchctl.report.escaping import visible

if TYPE_CHECKING:
    from benchctl.store.project import Project
    from benchctl.store.reader import Store, StoredRun
    from benchctl.store.survey import Unreadable

__all__ = ["STATUS_SCHEMA", "command", "run_status"]

STATUS_SCHEMA = "benchctl.status/1"


@click.command("status")
@click.argument("run", required=False)
@output_format("text", "json")
@project_options
def command(*, run: str | None, form: str, project_dir: Path, quiet: bool, verbose: bool) -> None:
    """Say what is running, done, failed and left, of RUN or of every run.

    A run is `running` only where the very process that collects it lives: its pid, its start
    time and the machine's boot id must all be those that the run's lock names. A run that is
    open without such a process is `stopped`; what cannot be read is `damaged`, and the command
    then ends with 1.

    \b
    Example:
      benchctl status callers-v1-20261130-101500
    """
    from benchctl.store.survey import refuse_unreadable

    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    store = project.store
    found, unreadable = _every(store) if run is None else ([run_status(store.run(run))], [])
    if form == "json":
        lines = [*found, *(_unreadable(each) for each in unreadable)]
        put_json({"schema": STATUS_SCHEMA, "runs": lines})
    elif found or unreadable:
        _print(console, project, found, unreadable)
    else:
        console.say("no run yet; `benchctl run` collects one")
    refuse_unreadable(unreadable, len(found))


def _every(store: Store) -> tuple[list[dict[str, Any]], list[Unreadable]]:
    """Return how far each run is, and what cannot be read, be it for a damaged row alone."""
    from benchctl.store.survey import Unreadable, survey

    held = survey(store)
    found, unreadable = [], list(held.unreadable)
    for run in held.runs:
        try:
            found.append(run_status(run))
        except (StoreDamagedError, StoreNewerError) as error:
            unreadable.append(Unreadable(run.id, error))
    return found, unreadable


def _print(
    console: Console, project: Project, found: list[dict[str, Any]], unreadable: list[Unreadable]
) -> None:
    lines = [*found, *(_unreadable(each) for each in unreadable)]
    names = ("run", "state", "planned", "done", "failed", "left", "spent_usd", "now")
    put(columns([[line[name] for name in names] for line in lines], names))
    for line in found:
        if line["state"] == "stopped":
            console.say(f"{line['run']} is stopped; `{_again(project, line['run'])}` continues it")
        elif len(line["pids"]) > 1:
            console.say(f"{line['run']} is shared by the processes {', '.join(map(str, line['pids']))}")
    for each in unreadable:
        tell(f"{visible(each.name)} is {each.state}: {visible(each.why)}")


def _again(project: Project, run: str) -> str:
    """Return the command line that continues a run under the terms of its record."""
    from benchctl.cli.again import again, recorded_options
    from benchctl.cli.run import command as run_command

    record = project.store.run(run).record
    try:
        options = recorded_options(record, project.read_suite(record.suite)[0])
    except BenchctlError:  # the suite is gone or broken, which the command itself will say
        options = {"suite": record.suite}
    return again(run_command, options, run)


def _unreadable(found: Unreadable) -> dict[str, Any]:
    names = ("suite", "planned", "done", "failed", "left", "outcomes", "spent_usd", "now", "pid", "pids")
    return {"run": found.name, "state": found.state, **dict.fromkeys(names), "why": found.why}


def run_status(run: StoredRun) -> dict[str, Any]:
    """Return how far a run is. `spent_usd` is null where nobody reported a cost, `failed` where nobody knows.

    An imported run is done: its rows are all that there ever was of it.
    """
    progress, record, cells = run.progress(), run.record, run.cells()
    outcomes = Counter(progress.outcomes.values())
    planned, done = progress.planned, progress.finished
    failed: int | None = outcomes.total() - outcomes["ok"]
    if record.imported:
        outcomes = Counter(row["outcome"] for row in cells if row["outcome"] is not None)
        planned = done = record.imported.rows
        failed = sum(bool(row["failed"]) for row in cells) if outcomes else None
    alive = progress.collector is not None and progress.collector.alive
    known = [row["cost_usd"] for row in cells if row["cost_usd"] is not None]
    return {
        "run": run.id,
        "suite": record.suite,
        "state": "done" if run.state == "closed" else "running" if alive else "stopped",
        "planned": planned,
        "done": done,
        "failed": failed,
        "left": planned - done,
        "outcomes": dict(outcomes),
        "spent_usd": sum(known) if known else None,
        "now": progress.running[0][0] if alive and progress.running else None,
        "pid": progress.collector.pid if alive and progress.collector else None,
        "pids": [each.pid for each in progress.collectors],
        "why": None,
    }
