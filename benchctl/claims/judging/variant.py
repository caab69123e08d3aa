"""A question close to the one that a claim asks: another key, another statistic, another denominator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING

from benchctl.expressions import Filter, Node, Probe, show

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchctl.claims.answers.lookup import Expression
    from benchctl.claims.sheet import Sheet
    from benchctl.expressions import Value

__all__ = ["Rank", "Variant", "changed", "told"]


class Rank(IntEnum):
    """How likely a kind of mistake is: the likeliest first."""

    SLIP = 0
    SWAPPED = 1
    KEY = 2
    TURNED = 3
    UNIT = 4
    STATISTIC = 5
    ROWS = 6
    FAR = 7
    """Two things differ: worth saying only of a number with digits enough."""


@dataclass(frozen=True, slots=True)
class Variant:
    """What a number may have been instead.

    `says` tells what is different. `swap` are the probes that answer in place of the expression's own; `over`,
    where it stands, is put behind `says` with the number of rows that the question then is about.
    """

    says: str
    rank: Rank
    expression: Expression
    swap: tuple[tuple[Probe, Probe], ...] = ()
    over: str = ""

    @property
    def probes(self) -> tuple[Probe, ...]:
        """Return what has to be measured for it."""
        swap = dict(self.swap)
        return tuple(swap.get(probe, probe) for probe in self.expression.probes)

    @property
    def key(self) -> tuple[Node, tuple[Probe, ...]]:
        """Return what makes two of them one."""
        return self.expression.node, self.probes

    def value(self, sheet: Sheet, run: str) -> Value | None:
        """Return its value over a run; None where it has none or was not measured."""
        known = sheet.lookup.measured(run)
        if any(probe not in known for probe in self.probes):
            return None
        return sheet.lookup.answer(self.expression, run, dict(self.swap)).value

    def sentence(self, sheet: Sheet, run: str) -> str:
        """Return the hint that it is."""
        if not self.over:
            return self.says
        known = sheet.lookup.measured(run)
        counts = {known[new].count for _, new in self.swap}
        return f"{self.says} over the {f'{counts.pop()} ' if len(counts) == 1 else ''}{self.over}"


def changed(
    expression: Expression, rank: Rank, says: str, change: Callable[[Probe], Probe], *, over: str = ""
) -> Variant | None:
    """Return the variant that asks `change(probe)` for each probe; None where that changes nothing.

    Where the expression is one reference, the new one says all there is to say, unless it says it `over` rows.
    """
    swap = tuple((probe, new) for probe in expression.probes if (new := change(probe)) != probe)
    if not swap:
        return None
    if len(expression.probes) == 1 and not says:
        says = f"equals {told(swap[0][1], expression.filters)}"
    return Variant(says, rank, expression, swap, over)


def told(probe: Probe, scope: tuple[Filter, ...]) -> str:
    """Return a probe as an author would write it: without what its scope says already."""
    own = tuple(item for item in probe.filters if item not in scope)
    return show(replace(probe, filters=own, group_by=None, outer=(), interval=False))
