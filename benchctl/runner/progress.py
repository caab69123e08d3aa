"""What a run tells while it goes on; who listens decides how it looks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from benchctl.schema.run import PlannedCell, RefusalRecord
from benchctl.schema.spent import Spent

__all__ = ["Progress", "Standing"]


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a run, or a shard of it, is when this sitting begins.

    `outcomes` are the final ones that there are already; `spent` is None where nobody says what it costs.
    `refusals` are the combinations that are not run, `wall_s` is the cap of one attempt.
    """

    run: str = ""
    outcomes: Counter[str] = field(default_factory=Counter)
    spent: Spent | None = None
    refusals: Sequence[RefusalRecord] = ()
    wall_s: float | None = None


class Progress(Protocol):
    """Somebody who wants to know. No call may raise, and none may take long: it is not on any cell's clock."""

    def note(self, text: str) -> None:
        """Hear what preflight is doing now."""
        ...

    def begin(self, total: int, done: int, standing: Standing | None = None) -> None:
        """Hear that cells start, `done` of `total` being there already."""
        ...

    def starting(self, cell: PlannedCell) -> None:
        """Hear that a cell starts."""
        ...

    def ended(
        self,
        cell: PlannedCell,
        outcome: str,
        *,
        detail: str = "",
        spent: Spent | None = None,
        final: bool = True,
    ) -> None:
        """Hear how a cell ended, why, and what the run has cost now; None where nobody says what it costs.

        A cell whose end is not `final` has no result: it is left for another sitting.
        """
        ...

    def close(self) -> None:
        """Hear that no more cells come."""
        ...
