"""Slips of the pen: cut off instead of rounded, and the right value in a wrong unit. Pure decimals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_UP, Decimal
from typing import TYPE_CHECKING

from benchctl.claims.answers.nature import Nature
from benchctl.quantities.format import format_number
from benchctl.quantities.rounding import as_decimal
from benchctl.quantities.units import FAMILIES, family, normalise_unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchctl.claims.judging.print_of import Print

__all__ = ["NAME_IT", "misrounded", "misscaled"]

NAME_IT = 'the value is a fraction: name it under [values] with unit = "fraction"'
_GLYPHS = {1: "", 1000: "k", 1_000_000: "M", 1_000_000_000: "B"}
_NAMES = {"k": "thousands (k)", "M": "millions (M)", "B": "billions (B)"}
_FIGURES = re.compile(r"\d[\d,]*(?:\.(?P<decimals>\d+))?")


@dataclass(frozen=True, slots=True)
class _Scaled:
    value: Decimal
    says: str


def misrounded(printed: Print, actual: Decimal) -> str:
    """Return that a number was cut off or rounded up, and what it rounds to; "" where it was neither, and for a count.

    `actual` is the value in the printed unit.
    """
    value, place = printed.token.value, printed.token.place
    if printed.nature.exact or printed.token.cmp != "=" or value is None or not place:
        return ""
    steps = actual / place
    for rounding, word in ((ROUND_DOWN, "truncated"), (ROUND_UP, "rounded up")):
        if steps.to_integral_value(rounding) * place == value:
            right = steps.to_integral_value(ROUND_HALF_EVEN) * place
            exponent = place.as_tuple().exponent
            places = max(0, -exponent) if isinstance(exponent, int) else 0
            shown = format_number(right, unit=printed.token.unit or None, places=places)
            return f"{word}; rounds to {shown}"
    return ""


def misscaled(printed: Print, value: float) -> str:
    """Return in which other unit a value is what the page prints; "" where it is in none.

    `value` is in its own unit.
    """
    bare = printed.against(Nature(None))
    for scaled in _scales(printed, as_decimal(value)):
        if bare.fits(float(scaled.value)):
            return scaled.says
    return ""


def _scales(printed: Print, value: Decimal) -> Iterator[_Scaled]:
    unit, glyph = normalise_unit(printed.nature.unit or ""), normalise_unit(printed.token.unit)
    if printed.nature.exact:
        return
    if not unit and glyph == "%":
        yield _Scaled(value * 100, NAME_IT)
    elif unit == "fraction":
        if glyph == "%":
            yield _Scaled(value, "equals it as a fraction, and `%` is printed")
        else:
            yield _Scaled(value * 100, "equals it in percent, and no `%` is printed")
    elif unit == "%" or (not unit and not glyph):
        yield _Scaled(value / 100, "equals it as a fraction")
        yield _Scaled(value * 100, "equals it in percent")
    members = FAMILIES[family(unit) or ""] if family(unit) in ("time", "size", "frequency", "money") else {}
    for other, size in members.items():
        if other not in (unit, glyph):
            shown = f", and {glyph} is printed" if glyph else ""
            yield _Scaled(value * members[unit] / size, f"equals it in {other}{shown}")
    if not members:
        yield from _multiplied(printed, value)


def _multiplied(printed: Print, value: Decimal) -> Iterator[_Scaled]:
    """Yield the value with each other multiplier than the printed one: 46.1k is printed for 46.1M."""
    own = _multiplier(printed)
    for other, glyph in _GLYPHS.items():
        if own is None or other == own:
            continue
        scaled = value * own / other
        if own > 1:
            behind = f"with {glyph} behind it" if glyph else "without a multiplier"
            yield _Scaled(scaled, f"equals it {behind}, and {_GLYPHS[own]} is printed")
        else:
            yield _Scaled(scaled, f"equals it in {_NAMES[glyph]}")
            yield _Scaled(value * other, f"equals it, were it in {_NAMES[glyph]}")


def _multiplier(printed: Print) -> int | None:
    """Return what the figures of a print are multiplied by, of its own or its header's; None for another form."""
    token = printed.token
    figures = _FIGURES.search(token.text)
    if figures is None or not token.place:
        return None
    factor = int(token.place * 10 ** len(figures["decimals"] or ""))
    return factor if factor in _GLYPHS else None
