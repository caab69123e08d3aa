"""What a plan starts beside its agents, and how its worst case comes about."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Literal

from benchctl.cli.console import duration
from benchctl.quantities.format import counted, format_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchctl.planning.plan import Plan
    from benchctl.schema.suite import Step, Suite

__all__ = ["bound_lines", "limits_of", "step_lines", "steps_of"]

_Name = Literal["prepare", "check"]


def steps_of(suite: Suite, plan: Plan) -> dict[str, dict[str, dict[str, Any]]]:
    """Return by repository and step (`prepare`, `check`) the command that a run starts in each attempt, and its caps."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for repo in dict.fromkeys(cell.repo for cell in plan.cells):
        for name, step in _steps(suite, repo):
            found.setdefault(repo, {})[name] = {
                "kind": step.kind,
                "argv": _argv(step, name),
                "wall_s": step.wall_s,
                "network": list(step.network),
            }
    return found


def step_lines(suite: Suite, plan: Plan) -> Iterator[str]:
    """Yield a line for each step around the cells: its command, its seconds, and the hosts that it may reach."""
    for repo, steps in steps_of(suite, plan).items():
        for name, step in steps.items():
            words = (
                f"a virtual environment, {name}"
                if step["kind"] == "python-tests"
                else shlex.join(step["argv"])
            )
            reach = f", reaches {' '.join(step['network'])}" if step["network"] else ""
            yield f"  {repo}: {name}: {words} ({duration(step['wall_s'])} at most{reach})"


def limits_of(suite: Suite) -> dict[str, Any]:
    """Return what ends a whole run before its plan is done; None where nothing does."""
    return {"spend_usd": suite.run.spend_usd, "stop_after": suite.run.stop_after}


def bound_lines(suite: Suite, plan: Plan) -> Iterator[str]:
    """Yield the worst case, and below it what it is made of."""
    worst, caps = plan.worst_case, plan.caps
    cost = "nothing bounds the cost" if worst.cost_usd is None else f"{worst.cost_usd:.2f} USD"
    floors = f" and {counted(worst.floors, 'empty run')}" if worst.floors else ""
    yield f"worst case: {counted(worst.attempts, 'attempt')}{floors}, {duration(worst.wall_s)}, {cost}"
    if not plan.cells:
        return
    yield f"  attempts: {counted(worst.cells, 'cell')} × {plan.attempts}"
    agents = f"{worst.attempts + worst.floors:,} × caps.wall_s {duration(caps.wall_s)}"
    yield f"  time: {agents}{f' + prepare and check {duration(worst.steps_s)}' if worst.steps_s else ''}"
    if worst.floors:
        yield f"  empty runs: {worst.floors}, which measure the floor of tokens before the first cell"
    if worst.paid and caps.cost_usd is not None:
        yield f"  cost: {worst.paid:,} × caps.cost_usd {caps.cost_usd:.2f} USD{_ends(suite, caps.cost_usd)}"
    if worst.tokens:
        yield f"  tokens: {worst.paid:,} × caps.tokens = {format_number(worst.tokens)}"


def _ends(suite: Suite, cap_usd: float) -> str:
    limit = suite.run.spend_usd
    if limit is None:
        return ""
    return f"; run.spend_usd ends it at {limit:.2f} USD, and the attempt then running may add {cap_usd:.2f}"


def _steps(suite: Suite, repo: str) -> Iterator[tuple[_Name, Step]]:
    own = suite.repos[repo]
    if own.prepare is not None:
        yield "prepare", own.prepare
    if own.check is not None:
        yield "check", own.check


def _argv(step: Step, name: _Name) -> list[str]:
    """Return a step's command with the names of the dry run for its places; of python-tests without its program."""
    from benchctl.runner.invocations import PLANNED
    from benchctl.runner.steps import step_argv

    return [] if step.kind == "python-tests" else list(step_argv(step, name, PLANNED, "<question>"))
