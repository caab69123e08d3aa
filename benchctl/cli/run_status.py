"""How far a run is, as `benchctl status` and `run --detach` tell it: running is what a living process does."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchctl.runner.detached import Detached
    from benchctl.store.reader import StoredRun
    from benchctl.store.survey import Unreadable

__all__ = ["STATUS_SCHEMA", "run_status", "unbegun_status", "unreadable_status"]

STATUS_SCHEMA = "benchctl.status/1"

_UNKNOWN = (
    "suite", "planned", "done", "failed", "void", "left", "outcomes", "spent_usd", "charged_usd", "unreported", "now",
    "pid", "pids", "detached",
)  # fmt: skip
"""What is null of a run that cannot be read, or that has not begun."""

_KILLED = "whoever collected it ended without a word, as after a kill or a power cut"
_PART = "whoever collected it was done with its shard"


def run_status(run: StoredRun, kept: Detached | None = None) -> dict[str, Any]:
    """Return how far a run is, `kept` being what its keeper has written down where it is detached.

    `failed` counts the cells that count against their arm, `void` those that say nothing about it; both are null
    where nobody knows. `spent_usd` is null where nobody says what it costs; of it `charged_usd` is charged for
    `unreported` attempts that did not. `why` says why a run is stopped. An imported run is done: its rows are all
    that there ever was of it.
    """
    from benchctl.runner.cost import spent_of

    progress, record, cells = run.progress(), run.record, run.cells()
    outcomes = Counter(progress.outcomes.values())
    planned, done = progress.planned, progress.finished
    if record.imported:
        outcomes = Counter(row["outcome"] for row in cells if row["outcome"] is not None)
        planned = done = record.imported.rows
    known = outcomes or not record.imported
    alive = progress.collector is not None and progress.collector.alive
    state, spent = _state(run, kept, alive=alive, unseen=progress.unseen), spent_of(run)
    return {
        "run": run.id,
        "suite": record.suite,
        "state": state,
        "planned": planned,
        "done": done,
        "failed": sum(bool(row["failed"]) and not row["void"] for row in cells) if known else None,
        "void": sum(bool(row["void"]) for row in cells) if known else None,
        "left": planned - done,
        "outcomes": dict(outcomes),
        "spent_usd": spent.usd if spent else None,
        "charged_usd": spent.charged_usd if spent else None,
        "unreported": spent.unreported if spent else None,
        "now": progress.running[0][0] if alive and progress.running else None,
        "pid": progress.collector.pid if alive and progress.collector else None,
        "pids": [each.pid for each in progress.collectors],
        "why": _why(progress.stopped) if state == "stopped" else None,
        "detached": _told(kept) if kept else None,
    }


def unreadable_status(found: Unreadable) -> dict[str, Any]:
    """Return the status of a folder that cannot be read as a run."""
    return {"run": found.name, "state": found.state, **dict.fromkeys(_UNKNOWN), "why": found.why}


def unbegun_status(known: Detached) -> dict[str, Any]:
    """Return the status of a run that was launched and has no record: its preflight goes on, or it never began."""
    state = "starting" if known.kept else "unbegun"
    return {
        "run": known.run,
        "state": state,
        **dict.fromkeys(_UNKNOWN),
        "why": known.why,
        "detached": _told(known),
    }


def _state(run: StoredRun, known: Detached | None, *, alive: bool, unseen: bool) -> str:
    """Return the word for a run: of one that nobody seems to collect, whether somebody does or is about to."""
    if run.state == "closed":
        return "done"
    if alive:
        return "running"
    if unseen:
        return "unseen"
    return "resuming" if known is not None and known.kept else "stopped"


def _why(said: str | None) -> str:
    return _KILLED if said is None else said or _PART


def _told(known: Detached) -> dict[str, Any]:
    return {
        "keeper": known.keeper.pid if known.kept else None,
        "launched_at": known.launched_at,
        "launcher": known.launcher.pid,
        "parent": known.launcher.parent,
        "cgroup": known.launcher.cgroup,
        "restarts": known.restarts,
        "restarted": known.restarted,
        "ended_at": known.ended_at,
        "code": known.code,
        "why": known.why,
        "log": known.log,
    }
