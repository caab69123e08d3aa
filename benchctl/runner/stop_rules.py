"""When a run stops although cells are left: it spends in vain, or it has spent what it may."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from benchctl.quantities.format import counted
from benchctl.schema.spent import Spent, dollars

__all__ = ["IN_VAIN", "StopRules"]

IN_VAIN: Mapping[str, str] = {
    "api_error": "API error",
    "host_stalled": "host stall",
    "sandbox_error": "sandbox failure",
    "prepare_error": "failed preparation",
}
"""Ends of an attempt that bode ill for the next one, whatever it asks: in a row they stop a run."""


@dataclass(slots=True)
class StopRules:
    """How the attempts ended so far, and whether that is enough.

    `stop_after` is how many in a row may end in one of IN_VAIN, whichever of them; `spend_usd` what the run may
    cost, None where that is not limited; `spent` says what it has cost, earlier sittings and others included.
    """

    stop_after: int
    spend_usd: float | None
    spent: Callable[[], Spent | None]
    _row: list[str] = field(default_factory=list)

    def ended(self, outcome: str) -> str | None:
        """Take in how an attempt ended, and return what `stop` then says."""
        self._row = [*self._row, outcome] if outcome in IN_VAIN else []
        return self.stop()

    def stop(self) -> str | None:
        """Return why no further attempt may begin; None where one may."""
        if len(self._row) >= self.stop_after:
            said = [counted(self._row.count(kind), IN_VAIN[kind]) for kind in dict.fromkeys(self._row)]
            return f"{' and '.join(said)} in a row"
        if self.spend_usd is None:
            return None
        spent = self.spent() or Spent(0.0)
        if spent.unbounded:
            return (
                f"nobody knows what {counted(spent.silent, 'attempt')} cost, so that `spend_usd` cannot be held"
                " without a cap `cost_usd`"
            )
        return (
            f"{spent} are spent, of at most {dollars(self.spend_usd)}"
            if spent.usd >= self.spend_usd
            else None
        )
