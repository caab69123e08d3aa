"""What a run tells while it goes on; who listens decides how it looks."""

from __future__ import annotations

from typing import Protocol

from benchctl.schema.run import PlannedCell

__all__ = ["Progress"]


class Progress(Protocol):
    """Somebody who wants to know. No call may raise, and none may take long: it is not on any cell's clock."""

    def note(self, text: str) -> None:
        """Hear what preflight is doing now."""
        ...

    def begin(self, total: int, done: int) -> None:
        """Hear that cells start, `done` of `total` being there already."""
        ...

    def starting(self, cell: PlannedCell) -> None:
        """Hear that a cell starts."""
        ...

    def ended(self, cell: PlannedCell, outcome: str) -> None:
        """Hear how a cell ended."""
        ...

    def close(self) -> None:
        """Hear that no more cells come."""
        ...
