"""The interval of a false number's value: the metric's default one, where its statistic has one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from benchctl.claims.answers.printed import in_printed_unit
from benchctl.expressions import Probe, bounded
from benchctl.quantities.rounding import as_decimal
from benchctl.quantities.units import normalise_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from benchctl.claims.markers.scope import Scope
    from benchctl.claims.sheet import Judged, Sheet

__all__ = ["LEVEL", "Range", "ranges"]

LEVEL = 0.95
"""What the statistics room draws an interval at where nobody asks for another (`stats.estimate.Estimate`)."""


@dataclass(frozen=True, slots=True)
class Range:
    """An interval in the printed unit; `level` is its coverage, between 0 and 1."""

    lo: Decimal
    hi: Decimal
    level: float


def ranges(sheet: Sheet, false: Iterable[Judged]) -> dict[int, Range]:
    """Return, by id, the interval of each false number that has one; measured in one call a scope.

    Only a macro mean and a comparison of two levels have one, and theirs costs no more than the value.
    """
    scopes: dict[Scope, list[tuple[Judged, Probe]]] = defaultdict(list)
    for item in false:
        for probe in _bounded(item):
            scopes[item.claim.scope].append((item, probe))
    found: dict[int, Range] = {}
    for scope, asked in scopes.items():
        if sheet.try_measure(scope, (probe for _, probe in asked)):
            for item, probe in asked:
                unit = item.claim.atom.token.unit if item.claim.atom else ""
                interval = _range_of(sheet, item, probe, unit)
                if interval:
                    found[id(item)] = interval
    return found


def _bounded(item: Judged) -> Iterator[Probe]:
    node, asked = item.claim.expression.node, item.claim.expression.probes
    if isinstance(node, Probe) and (node.contrast or node.name[-1] == "macro"):
        yield bounded(asked[0])


def _range_of(sheet: Sheet, item: Judged, probe: Probe, printed: str) -> Range | None:
    """Return the interval that was measured for `probe`, in the unit `printed`; None where it has none."""
    answer = sheet.lookup.measured(item.claim.scope.run).get(probe)
    if answer is None or answer.lo is None or answer.hi is None:
        return None
    ends = [
        in_printed_unit(as_decimal(end), item.claim.expression.nature.unit, normalise_unit(printed))
        for end in (answer.lo, answer.hi)
    ]
    lo, hi = ends
    return None if lo is None or hi is None else Range(lo, hi, LEVEL)
