"""A change beside its two numbers: `9.42 → 5.27 (−44 %)`, `97 s → 17 s, 82 % faster`, `2.0× (139,810 vs 69,164)`.

A percent passes if any usual reading gives it: of the first number or of the second, and of points where the
numbers are shares. What is found fits none.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from benchctl.claims.prose.amounts import factor
from benchctl.claims.prose.change import Change, changes
from benchctl.claims.prose.prose import Prose, is_signed, may_say, printed
from benchctl.claims.sheet import Sheet
from benchctl.quantities.format import format_number
from benchctl.quantities.span import Span
from benchctl.quantities.tokens import Token
from benchctl.quantities.units import normalise_unit

__all__ = ["check"]

_ONE = Span.exact(1)
_HUNDRED = 100


def check(sheet: Sheet) -> None:
    """Find changes that no reading of the two numbers gives."""
    for change in changes(sheet.prose):
        said = sheet.prose.token(change.said)
        readings = list(_readings(sheet.prose, change))
        atoms = [sheet.prose.items[at] for at in (change.first, change.last, change.said)]
        if (
            readings
            and not any(may_say(reading, said, sheet.about) for reading in readings)
            and not sheet.holds(*atoms)
        ):
            _find(sheet, change, readings)


def _readings(prose: Prose, change: Change) -> Iterator[Span]:
    """Yield what may be meant, in the unit that it is said in, the nearest reading first; nothing where all may be."""
    said = prose.token(change.said)
    b = _amount(prose.token(change.last), prose.token(change.first))
    for at in reversed(change.earlier):
        a = _amount(prose.token(at), prose.token(change.last))
        if change.unit == "%":
            yield from _percents(a, b, change, said)
        if change.unit in ("%", "pp") and _is_share(prose, change):
            yield from _either_way(_points(b) - _points(a), said, ordered=change.ordered)
        if change.unit == "x":
            yield from _times(a, b)
        if change.unit not in ("%", "pp", "x"):
            unit = factor(normalise_unit(said.unit or prose.token(change.last).unit))
            yield from _either_way((b - a).times(1 / unit), said, ordered=change.ordered)


def _amount(token: Token, neighbour: Token) -> Span:
    """Return a number in base units; one without a unit is of its neighbour's."""
    return printed(token).times(factor(normalise_unit(token.unit or neighbour.unit)))


def _is_share(prose: Prose, change: Change) -> bool:
    tokens = [prose.token(change.first), prose.token(change.last)]
    if any(normalise_unit(token.unit) in ("%", "fraction") for token in tokens):
        return True
    return all(not token.unit and 0 <= (token.value or 0) <= 1 for token in tokens)


def _points(share: Span) -> Span:
    return share.times(_HUNDRED)


def _percents(a: Span, b: Span, change: Change, said: Token) -> Iterator[Span]:
    onward, backward = b.over(a), a.over(b)
    if a.lo <= 0 or b.lo <= 0 or onward is None or backward is None:
        yield _always(said)
        return
    grown, shrunk = (onward - _ONE).times(_HUNDRED), (backward - _ONE).times(_HUNDRED)
    yield grown
    yield shrunk
    if not is_signed(said) or not change.ordered or not change.bare:
        yield grown.times(-1)
        yield shrunk.times(-1)
    if change.bare and not is_signed(said):
        yield onward.times(_HUNDRED)
        yield backward.times(_HUNDRED)


def _always(said: Token) -> Span:
    """Return a reading that any print meets: a change from nothing, or across it, has no percent to hold it against."""
    return Span.exact(said.value or 0)


def _times(a: Span, b: Span) -> Iterator[Span]:
    for ratio in (b.over(a), a.over(b)):
        if ratio is not None:
            yield ratio
            yield ratio - _ONE  # "2 times more" is three times as much to some


def _either_way(difference: Span, said: Token, *, ordered: bool) -> Iterator[Span]:
    yield difference
    if not is_signed(said) or not ordered:
        yield difference.times(-1)


def _find(sheet: Sheet, change: Change, readings: list[Span]) -> None:
    prose = sheet.prose
    items = prose.items
    first, last, said = items[change.first], items[change.last], items[change.said]
    wanted = Fraction(said.token.value or 0)
    near = min(readings, key=lambda reading: abs(reading.middle - wanted)).middle
    shown = [_shown(near, said.token)]
    main = readings[0].middle
    if said.token.unit == "%" and abs(main) != abs(near):
        shown.append(_shown(main, said.token))
    way = "to" if change.ordered else "against"
    message = f"{first.literal} {way} {last.literal} is {' or '.join(shown)}, not {said.literal}"
    sheet.record.find("change-impossible", said.start, said.end, message)


def _shown(value: Fraction, said: Token) -> str:
    places = max(0, -int((said.place or Decimal(1)).adjusted())) + 1
    return format_number(
        Decimal(value.numerator) / Decimal(value.denominator), unit=said.unit or None, places=min(places, 9)
    )
