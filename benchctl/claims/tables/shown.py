"""How a finding prints what a figure should have been: as finely as the page does, and no finer."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from benchctl.quantities.format import format_number
from benchctl.quantities.span import Span

__all__ = ["listed", "stretch"]

_MOST = 6
_DIGITS = 12


def stretch(span: Span, place: Decimal) -> str:
    """Return an interval as "72", or as "0.816 to 0.824" where rounding leaves more than one number."""
    low, high = _at(span.lo, place), _at(span.hi, place)
    return low if low == high else f"{low} to {high}"


def _at(value: Fraction, place: Decimal) -> str:
    if value.denominator == 1:
        return format_number(int(value))
    places = min(max(0, 1 - place.adjusted()), _DIGITS)
    text = format_number(Decimal(value.numerator) / Decimal(value.denominator), places=places)
    return text.rstrip("0").rstrip(".") if "." in text else text


def listed(literals: Sequence[str]) -> str:
    """Return numbers as a message lists them, the middle of a long list left out."""
    if len(literals) <= _MOST:
        return ", ".join(literals)
    return f"{', '.join(literals[:3])}, … ({len(literals)} numbers)"
