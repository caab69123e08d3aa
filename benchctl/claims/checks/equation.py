"""Arithmetic written out with `=`: `16 × 4 × 3 = 192`, `7 + 31 + 10 = 48`, `97 s / 17 s = 5.7×`."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from benchctl.claims.prose.amounts import RATIOS, factor
from benchctl.claims.prose.equation import Equation, Side, equations
from benchctl.claims.sheet import Sheet
from benchctl.quantities.format import format_number
from benchctl.quantities.span import Span

__all__ = ["check"]


def check(sheet: Sheet) -> None:
    """Find equations whose two sides cannot be equal, however their numbers were rounded."""
    for equation in equations(sheet.prose):
        if not _may_hold(sheet, equation):
            _find(sheet, equation)


def _may_hold(sheet: Sheet, equation: Equation) -> bool:
    left, right = equation.left, equation.right
    if sheet.prose.token(right.first).cmp == "~" or sheet.prose.token(left.first).cmp == "~":
        share = Fraction(sheet.about)
        right_value = right.value * Span(1 - share, 1 + share)
    else:
        right_value = right.value
    return any(left.value.times(one).touches(right_value.times(other)) for one, other in _scales(left, right))


def _scales(left: Side, right: Side) -> list[tuple[Fraction, Fraction]]:
    """Return what the sides may be multiplied by to be of one unit; a unit left out is that of the other side."""
    same = (Fraction(1), Fraction(1))
    if left.kind == right.kind and left.unit == right.unit:
        return [same]
    in_print = (1 / factor(left.unit or ""), 1 / factor(right.unit or ""))
    if left.kind == right.kind or (left.kind in RATIOS and right.kind in RATIOS):
        return [same, in_print]  # in print, "3 days × 24 = 72 hours" is right
    one_without = "" in (left.unit, right.unit) and None not in (left.unit, right.unit)
    return [in_print] if one_without else [same, *_ANY]


_ANY = [(Fraction(0), Fraction(0))]
"""Units that do not fit say nothing: zero is zero."""


def _find(sheet: Sheet, equation: Equation) -> None:
    prose = sheet.prose
    computed, other = (
        (equation.left, equation.right) if equation.left.computes else (equation.right, equation.left)
    )
    first, last = prose.items[other.first], prose.items[other.last]
    message = f"{_text(sheet, computed)} is {_shown(sheet, computed, other)}, not {_text(sheet, other)}"
    sheet.record.find("arithmetic-wrong", first.start, last.end, message)


def _text(sheet: Sheet, side: Side) -> str:
    visible = sheet.page.visible
    start, end = sheet.prose.token(side.first).start, sheet.prose.token(side.last).end
    text = " ".join(visible[start:end].split())
    return "(" * (text.count(")") - text.count("(")) + text


def _shown(sheet: Sheet, side: Side, other: Side) -> str:
    """Return a side's value in the unit that the other side is printed in."""
    printed = sheet.prose.token(other.first)
    scale = factor(other.unit or "") if other.kind == side.kind or other.kind in RATIOS else Fraction(1)
    if other.unit == "" and side.unit:
        scale = factor(side.unit) if side.kind not in RATIOS else Fraction(1)
    value = side.value.middle / scale
    places = 0 if value.denominator == 1 else max(0, -int((printed.place or Decimal(1)).adjusted())) + 1
    number = Decimal(value.numerator) / Decimal(value.denominator)
    return format_number(number, unit=printed.unit or None, places=min(places, 9))
