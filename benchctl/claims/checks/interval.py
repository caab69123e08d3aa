"""An interval that misses its own estimate, and ends printed the wrong way round: `0.82 [0.84, 0.90]`, `12–3 s`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from benchctl.claims.prose.amounts import factor
from benchctl.claims.prose.estimate import Estimate, estimates
from benchctl.claims.prose.prose import Prose, printed
from benchctl.claims.sheet import Sheet
from benchctl.quantities.span import Span
from benchctl.quantities.tokens import Token
from benchctl.quantities.units import family, normalise_unit

__all__ = ["check"]

_DASH = re.compile(r"\s?\u2013\s?|-")
_RANGED = frozenset({"time", "tokens", "money", "multiple", "share"})
_CLOCK = frozenset({"h", "d", "min", "week"})
"""Units of which `11–2 h` may be a time of day."""
_MULTIPLIERS = {"k": 1000, "K": 1000, "M": 10**6, "B": 10**9}
_WHOLE_SHARE = 100


def check(sheet: Sheet) -> None:
    """Find estimates outside of their intervals, and intervals and ranges whose first end is the greater."""
    prose = sheet.prose
    for estimate in estimates(prose):
        _interval(sheet, estimate)
    for index, gap in enumerate(prose.gaps):
        if len(gap) <= 3 and _DASH.fullmatch(gap) and _is_backwards(prose, index):
            _backwards(sheet, index - 1, index)


def _interval(sheet: Sheet, estimate: Estimate) -> None:
    prose = sheet.prose
    first, last = prose.token(estimate.first), prose.token(estimate.last)
    low, high = first.value or Decimal(0), last.value or Decimal(0)
    atoms = [prose.items[at] for at in (estimate.value, estimate.first, estimate.last)]
    if not estimate.named and sheet.holds(*atoms):
        return  # all true of the run: then brackets without a word hold something else
    if low > high >= 0 and normalise_unit(first.unit or last.unit) == normalise_unit(last.unit):
        _backwards(sheet, estimate.first, estimate.last)
        return
    value = prose.items[estimate.value]
    if value.token.unit == last.unit and low <= (value.token.value or Decimal(0)) <= high:
        return
    readings = list(_readings(value.token, first, last))
    if readings and not any(point.touches(hull) for point, hull in readings):
        ends = f"{prose.items[estimate.first].literal} to {prose.items[estimate.last].literal}"
        message = f"{value.literal} lies outside of its own interval, {ends}"
        sheet.record.find("interval-impossible", value.start, value.end, message)


def _readings(value: Token, first: Token, last: Token) -> Iterator[tuple[Span, Span]]:
    """Yield what estimate and interval may stand for; nothing where their units do not fit."""
    unit = normalise_unit(value.unit)
    ends_unit = normalise_unit(last.unit or first.unit)
    left, right = (_in(token, normalise_unit(token.unit) or ends_unit) for token in (first, last))
    hull = Span(min(left.lo, right.lo), max(left.hi, right.hi))
    if not unit or not ends_unit or unit == ends_unit:
        plain = [printed(token) for token in (value, first, last)] if unit != ends_unit else []
        point = plain[0] if plain else _in(value, unit)
        hull = Span(min(plain[1].lo, plain[2].lo), max(plain[1].hi, plain[2].hi)) if plain else hull
        yield point, hull
        for scale in _scales(value, last):
            yield point, hull.times(scale)
    elif family(unit) == family(ends_unit) and family(unit):
        yield _in(value, unit), hull


def _in(token: Token, unit: str) -> Span:
    return printed(token).times(factor(unit))


def _scales(value: Token, last: Token) -> Iterator[Fraction]:
    """Yield what the ends may be printed short of: a percent beside fractions, thousands beside `44.8k`."""
    if (value.unit == "%") != (last.unit == "%"):
        yield from (Fraction(100), Fraction(1, 100))
    for token, power in ((value, 1), (last, -1)):
        found = re.search(r"[kKMB]\b", token.text)
        if found:
            yield Fraction(_MULTIPLIERS[found[0]]) ** power


def _is_backwards(prose: Prose, last: int) -> bool:
    """Whether `12–3 s` stands there: a range of a measure, no countdown, split, time of day or id."""
    first = last - 1
    if not (prose.usable(first) and prose.usable(last)):
        return False
    a, b = prose.token(first), prose.token(last)
    low, high = a.value or Decimal(0), b.value or Decimal(0)
    unit = normalise_unit(b.unit)
    if (
        a.cmp != "="
        or b.cmp != "="
        or a.kind != "number"
        or b.kind != "number"
        or not low > high > 0
        or ":" in a.text + b.text
    ):
        return False
    if (
        normalise_unit(a.unit) != unit
        or family(unit) not in _RANGED
        or unit in _CLOCK
        or (unit == "%" and low + high == _WHOLE_SHARE)
    ):
        return False
    in_list = any(_DASH.fullmatch(prose.gap(at)) for at in (first, last + 1))
    return not in_list and prose.after(last, 1) != "-"


def _backwards(sheet: Sheet, first: int, last: int) -> None:
    items = sheet.prose.items
    message = (
        f"the interval begins with {items[first].literal}, which is more than {items[last].literal}, its end"
    )
    sheet.record.find("interval-backwards", items[first].start, items[last].end, message)
