"""What the rows say of the rules that were written down before the first cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from benchctl.errors import BenchctlError
from benchctl.expressions import Node, evaluate, parse, probes
from benchctl.report.escaping import visible

if TYPE_CHECKING:
    from benchctl.store.reader import Store, StoredRun

__all__ = ["GoalVerdict", "goal_lines", "goal_verdicts"]


@dataclass(frozen=True, slots=True)
class GoalVerdict:
    """One goal: `verdict` is `undecided` where the assertion has no value over these rows, and `note` says why."""

    id: str
    title: str
    assertion: str
    verdict: Literal["met", "not met", "undecided"]
    note: str = ""


def goal_verdicts(store: Store, run: StoredRun) -> tuple[GoalVerdict, ...]:
    """Return a verdict for each goal of a run, in the suite's order. Never raises for what a goal asks."""
    return tuple(_judged(store, run, goal) for goal in run.record.goals)


def goal_lines(verdicts: tuple[GoalVerdict, ...]) -> list[str]:
    """Return a line a goal, for a terminal."""
    return [
        visible(
            f"  {goal.verdict:<9}  {goal.title}: {goal.assertion}{f' ({goal.note})' if goal.note else ''}"
        )
        for goal in verdicts
    ]


def _judged(store: Store, run: StoredRun, goal: dict[str, str]) -> GoalVerdict:
    try:
        met = _holds(store, run, parse(goal["assertion"]))
    except BenchctlError as error:
        return GoalVerdict(goal["id"], goal["title"], goal["assertion"], "undecided", error.what)
    return GoalVerdict(goal["id"], goal["title"], goal["assertion"], "met" if met else "not met")


def _holds(store: Store, run: StoredRun, node: Node) -> bool:
    from benchctl.store.measuring.question import measure

    return bool(evaluate(node, measure(store, run.id, probes(node), declared=frozenset({run.id}))))
