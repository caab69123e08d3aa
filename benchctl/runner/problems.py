"""Several problems as one error, and refusals as the problems that they are where nothing can run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from benchctl.errors import BenchctlError, CombinationRefusedError, NothingToRunError, PreflightRefusedError

if TYPE_CHECKING:
    from benchctl.schema.run import RefusalRecord

__all__ = ["nothing_to_run", "raise_problems", "refused"]


def raise_problems(problems: Sequence[BenchctlError], refusals: Iterable[RefusalRecord] = ()) -> None:
    """Raise the one problem, or a PreflightRefusedError that lists them all; nothing where there is none.

    `refusals` stop nothing themselves. Those that the suite does not call optional are told with the problems,
    so that one pass says all there is to mend.
    """
    if not problems:
        return
    told = [*problems, *refused(each for each in refusals if each.required)]
    if len(told) == 1:
        raise told[0]
    each = "\n".join(str(problem) for problem in told)
    raise PreflightRefusedError(f"{len(told)} problems, nothing was started\n{each}")


def refused(refusals: Iterable[RefusalRecord]) -> list[BenchctlError]:
    """Return each refusal as an error, with its own next step."""
    return [
        CombinationRefusedError(f"{_lost(refusal)}: {refusal.reason}", next_step=refusal.next_step or None)
        for refusal in refusals
    ]


def nothing_to_run(refusals: Sequence[RefusalRecord], *, told: bool = False) -> NothingToRunError:
    """Return the error of a plan without a cell; it lists the refusals, unless the reader has been `told` them."""
    each = "" if told else "".join(f"\n{problem}" for problem in refused(refusals))
    return NothingToRunError(
        f"no cell is left to run{each}",
        next_step="mend what is refused above, or widen --only, --arms, --agents and --models",
    )


def _lost(refusal: RefusalRecord) -> str:
    parts = {
        "question": refusal.question,
        "arm": refusal.arm,
        "agent": refusal.agent,
        "model": refusal.model,
    }
    return ", ".join(f"{noun} {name}" for noun, name in parts.items() if name)
