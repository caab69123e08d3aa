"""What a run has cost: what was reported, and what is charged for attempts that did not say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from benchctl.quantities.format import counted, format_number
from benchctl.quantities.rounding import as_decimal

__all__ = ["Spent", "dollars"]

_CENT_USD = 0.01


def dollars(usd: float) -> str:
    """Return an amount in words: to the cent, and what is less than one to three digits."""
    return f"{format_number(usd, places=2 if usd == 0 or usd >= _CENT_USD else None)} USD"


@dataclass(frozen=True, slots=True)
class Spent:
    """Dollars of a run, its empty runs included: the one sum that limits it and that is shown of it.

    `reported_usd` is what attempts have said. `unreported` were begun and have not, though their agent reports
    costs; each of them is charged `each_usd`, and `silent` of them came to an end of their own. Nobody knows, and too much stops a run where too little would not.
    """

    reported_usd: float
    unreported: int = 0
    each_usd: float = 0.0
    silent: int = 0

    @classmethod
    def of(cls, costs: Iterable[float | None], cap_usd: float | None, silent: int = 0) -> Self | None:
        """Return the sum of what attempts cost, None being one that did not say; None where there is none at all.

        Who does not say is charged the cap of an attempt, or what the dearest one cost where that is more.
        """
        each = list(costs)
        known = [cost for cost in each if cost is not None]
        if not each:
            return None
        return cls(
            float(sum(map(as_decimal, known))), len(each) - len(known), max([cap_usd or 0.0, *known]), silent
        )

    @property
    def unbounded(self) -> bool:
        """Whether one that is over did not say what it cost, and nothing says what it may have cost at most."""
        return self.silent > 0 and not self.each_usd

    @property
    def charged_usd(self) -> float:
        """What is charged for those that have not said what they cost."""
        return float(self.unreported * as_decimal(self.each_usd))

    @property
    def usd(self) -> float:
        """The sum of both."""
        return float(as_decimal(self.reported_usd) + as_decimal(self.charged_usd))

    def __str__(self) -> str:
        """Return the sum in words, with how much of it nobody has reported."""
        if not self.unreported:
            return dollars(self.usd)
        who = f"{counted(self.unreported, 'attempt')} that reported no cost"
        if not self.each_usd:
            return f"at least {dollars(self.usd)} (and {who})"
        if not self.reported_usd:
            return f"{dollars(self.usd)} (charged for {who})"
        return f"{dollars(self.usd)} ({dollars(self.charged_usd)} of it charged for {who})"
