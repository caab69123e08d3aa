"""`benchctl status`: how far runs are; running is what a living process does, not what a file says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, columns, put, put_json, tell
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.cli.run_status import STATUS_SCHEMA, run_status, unbegun_status, unreadable_status
from benchctl.errors import BenchctlError, StoreDamagedError, StoreNewerError
from benchctl.quantities.format import counted, format_number
from benchctl.report.escaping import visible
from benchctl.runner.detached import every_detached, places_of, read_detached
from benchctl.schema.spent import dollars

if TYPE_CHECKING:
    from benchctl.store.project import Project
    from benchctl.store.survey import Unreadable

__all__ = ["command"]


@click.command("status")
@click.argument("run", required=False)
@output_format("text", "json")
@project_options
def command(*, run: str | None, form: str, project_dir: Path, quiet: bool, verbose: bool) -> None:
    """Say what is running, done, failed and left, of RUN or of every run.

    A run is `running` only where the very process that collects it lives: its pid, its start
    time and the machine's boot id must all be those that the run's lock names. A run that is
    open without such a process is `unseen` where its lock is held all the same, from another
    container or another machine; else it is `stopped`, or `resuming` where its keeper (`run --detach`) is
    about to go on with it; one that was launched is `starting` until its first cell, and `unbegun`
    where it came to nothing. What cannot be read is `damaged`, and the command then ends with 1.

    \b
    Example:
      benchctl status callers-v1-20261130-101500
    """
    from benchctl.store.survey import refuse_unreadable

    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    found, unreadable = _every(project) if run is None else ([_one(project, run)], [])
    if form == "json":
        lines = [*found, *(unreadable_status(each) for each in unreadable)]
        put_json({"schema": STATUS_SCHEMA, "runs": lines})
    elif found or unreadable:
        _print(console, project, found, unreadable)
    else:
        console.say("no run yet; `benchctl run` collects one")
    refuse_unreadable(unreadable, len(found))


def _one(project: Project, run: str) -> dict[str, Any]:
    """Return how far a run is, or one that was launched and has not begun. Raises RunUnknownError for neither."""
    from benchctl.schema.names import RUN_ID

    known = read_detached(places_of(project, run)) if RUN_ID.fullmatch(run) else None
    if known is not None and run not in project.store.names():
        return unbegun_status(known)
    return run_status(project.store.run(run), known)


def _every(project: Project) -> tuple[list[dict[str, Any]], list[Unreadable]]:
    """Return how far each run is, and what cannot be read, be it for a damaged row alone."""
    from benchctl.store.survey import Unreadable, survey

    held = survey(project.store)
    found, unreadable = [], list(held.unreadable)
    launched = {known.run: known for known in every_detached(places_of(project, "").folder)}
    for run in held.runs:
        try:
            found.append(run_status(run, launched.pop(run.id, None)))
        except (StoreDamagedError, StoreNewerError) as error:
            unreadable.append(Unreadable(run.id, error))
    there = {each.name for each in unreadable}
    return found + [
        unbegun_status(each) for each in launched.values() if each.kept and each.run not in there
    ], unreadable


def _print(
    console: Console, project: Project, found: list[dict[str, Any]], unreadable: list[Unreadable]
) -> None:
    lines = [*found, *(unreadable_status(each) for each in unreadable)]
    names = ("run", "state", "planned", "done", "failed", "void", "left", "spent_usd", "now")
    put(columns([[_shown(line, name) for name in names] for line in lines], names))
    for line in found:
        if line["unreported"]:
            console.say(_charged(line))
        if line["detached"] is not None:
            console.say(_launched(line))
        if line["state"] == "stopped":
            console.say(
                f"{line['run']} is stopped: {line['why']}; `{_again(project, line['run'])}` continues it"
            )
        elif line["state"] == "unseen":
            console.say(f"{line['run']} is collected by a process that cannot be seen from here")
        elif len(line["pids"] or ()) > 1:
            console.say(f"{line['run']} is shared by the processes {', '.join(map(str, line['pids']))}")
    for each in unreadable:
        tell(f"{visible(each.name)} is {each.state}: {visible(each.why)}")


def _shown(line: dict[str, Any], name: str) -> object:
    value = line[name]
    return format_number(value) if name == "spent_usd" and value is not None else value


def _charged(line: dict[str, Any]) -> str:
    """Return how much of what a run has cost nobody has reported."""
    who = counted(line["unreported"], "attempt")
    return (
        f"{line['run']}: {dollars(line['charged_usd'])} of its cost is charged for {who} that reported none"
    )


def _launched(line: dict[str, Any]) -> str:
    """Return who launched a detached run, who keeps it, and what became of it."""
    told = line["detached"]
    by = f" from {told['parent']}" if told["parent"] else ""
    group = f" in control group {told['cgroup']}" if told["cgroup"] not in (None, "/") else ""
    if told["keeper"] is not None:
        now = f"kept by process {told['keeper']}"
    elif told["why"]:
        now = f"{told['why']}, {told['ended_at']}"
    else:
        now = "its keeper is dead: nobody goes on with it after a kill"
    again = (
        f", gone on with {told['restarted']} of at most {told['restarts']} times" if told["restarted"] else ""
    )
    return (
        f"{line['run']} was launched {told['launched_at']}{by}{group} by process {told['launcher']}; {now}{again}"
        f"\n  log: {told['log']}"
    )


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
