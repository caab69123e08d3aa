"""What a true percent is of, where it is not of the count that is printed beside it: `74 %` is 26 of 35, not of 36."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Judged, Sheet

__all__ = ["NEXT_STEP", "Denominator", "denominator_of"]

NEXT_STEP = "count what the percent is of, as `score.n` or `count[void=false]` do, or say that it is of another number"
"""For counts and a percent that are all true of the run, and not of one denominator."""
_NEARLY_WHOLE = Decimal("1e-6")


@dataclass(frozen=True, slots=True)
class Denominator:
    """A whole number of cells; `is_void` says that what it lacks of the printed one are the void cells."""

    count: int
    is_void: bool

    def said(self, percent: str) -> str:
        """Return it in words, of a percent as it is printed."""
        return f"the {percent} is of {self.count:,}" + (" (void cells left out)" if self.is_void else "")


def denominator_of(sheet: Sheet, percent: Atom, part: Atom, total: Atom) -> Denominator | None:
    """Return what makes the run's own percent of a printed count; None where no whole number of its cells does, or the printed one."""
    judged = sheet.once(_by_start)
    share, whole = judged.get(percent.start), judged.get(total.start)
    some, all_of = part.token.value, total.token.value
    if share is None or whole is None or not some or not all_of or not share.judgement.actual:
        return None
    exact = some * (100 if percent.token.unit == "%" else 1) / share.judgement.actual
    count = int(exact.to_integral_value())
    if abs(exact - count) > _NEARLY_WHOLE * count or count == all_of or count < some:
        return None
    known = sheet.lookup.measured(whole.claim.scope.run)
    void = {known[probe].void for probe in whole.claim.expression.probes if probe in known}
    is_void = all_of - count in void - {0}
    # Any quotient is of some whole number; it has to be one that the run knows.
    return Denominator(count, is_void) if is_void or count == share.answer.n else None


def _by_start(sheet: Sheet) -> dict[int, Judged]:
    return {item.claim.atom.start: item for item in sheet.judged if item.claim.atom}
