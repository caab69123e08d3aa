"""What is not well with a run that has ended, and the exit code that says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.cli.console import tell
from benchctl.errors import BenchctlError, CellsFailedError, CombinationRefusedError
from benchctl.quantities.format import counted
from benchctl.schema.evidence import FINAL_FAILURES, VOID_OUTCOMES

if TYPE_CHECKING:
    from collections import Counter

    from benchctl.errors import FloorUnmeasuredError
    from benchctl.runner.execute import RunSummary
    from benchctl.schema.run import RefusalRecord
    from benchctl.store.reader import StoredRun

__all__ = ["judge", "refuse", "unmeasured_floors"]


def judge(
    summary: RunSummary,
    refusals: tuple[RefusalRecord, ...],
    floors: FloorUnmeasuredError | None,
    *,
    allowed: bool,
) -> None:
    """Raise for what is not well. The code does not depend on who collected the cells, or when."""
    wrong: list[BenchctlError] = []
    if summary.not_ok:
        wrong.append(
            CellsFailedError(
                f"of {counted(summary.outcomes.total(), 'cell')} {_not_ok(summary.not_ok)}",
                next_step=f"`benchctl show {summary.run}` lists them",
            )
        )
    if floors is not None:
        wrong.append(floors)
    required = tuple(refusal for refusal in refusals if refusal.required)
    if required and not allowed:
        for each in wrong:
            tell(str(each))
    refuse(required, allowed=allowed)
    for each in wrong[1:]:
        tell(str(each))
    if wrong:
        raise wrong[0]


def _not_ok(outcomes: Counter[str]) -> str:
    """Return how many cells failed and how many are void, and by what."""
    said = []
    for kinds, one, more in ((FINAL_FAILURES, "failed", "failed"), (VOID_OUTCOMES, "is void", "are void")):
        found = {outcome: count for outcome, count in sorted(outcomes.items()) if outcome in kinds}
        if total := sum(found.values()):
            what = ", ".join(f"{count} {outcome}" for outcome, count in found.items())
            said.append(f"{total} {one if total == 1 else more} ({what})")
    return " and ".join(said)


def unmeasured_floors(run: StoredRun) -> FloorUnmeasuredError | None:
    """Return what is wrong with the floors of a closed run."""
    from benchctl.runner.baselines import newest, unmeasured

    lost = unmeasured(newest(run.rows("baselines")))
    if lost is not None:
        lost.next_step = (
            f"mend what the agent fails at; then: benchctl baselines {run.record.suite}"
            f" --run-id {run.id} --remeasure"
        )
    return lost


def refuse(required: tuple[RefusalRecord, ...], *, allowed: bool) -> None:
    """Raise CombinationRefusedError for refusals that the suite does not call optional."""
    if required and not allowed:
        what = ", ".join(str(refusal.question or refusal.arm or refusal.agent) for refusal in required)
        raise CombinationRefusedError(
            f"refused, and the suite does not call it optional: {what}",
            next_step="mend what is missing or failed, or give --allow-refused",
        )
