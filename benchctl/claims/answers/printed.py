"""A printed number against its value: the closed interval, the units, the bounds. Pure decimals."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from benchctl.claims.answers.nature import Nature
from benchctl.expressions import Value
from benchctl.quantities.numerals import Token
from benchctl.quantities.rounding import agreement, as_decimal, holds
from benchctl.quantities.units import convert, family, is_rate, normalise_unit

__all__ = ["Judgement", "in_printed_unit", "is_no_rate", "judge"]

_HUNDRED = Decimal(100)
_SHARES = ("fraction", "%")
_NOT_COUNTED = frozenset(
    {"time", "size", "share", "difference of shares", "money", "euro", "pound", "yen", "frequency"}
)
"""Families of units that no number of things has."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`word` is how the print stands to the value; `actual` the value in the printed unit, None where it has none.

    "end" says that a strict bound is its value. `saturated` marks a printed 0, 1.00 or 100 % that is not exactly so.
    """

    word: Literal["true", "tie", "false", "slack", "end", "unit", "kind"]
    actual: Decimal | None = None
    saturated: bool = False

    @property
    def holds(self) -> bool:
        """Whether the page may print this."""
        return self.word in ("true", "tie", "slack", "end")


def judge(token: Token, value: Value, nature: Nature, about: Decimal) -> Judgement:
    """Say whether `token` may stand for a value of some nature; counts (`exact`) get no rounding credit.

    `about` is the share that `~` allows. A value without a unit compares as printed, unless it is a
    number of things (`plain`).
    """
    printed, place = token.value, token.place
    unit, exact, plain = nature
    if isinstance(value, bool | str) or printed is None or place is None:
        return Judgement("kind")
    if is_rate(token.unit) and is_no_rate(nature):
        return Judgement("unit")
    actual = in_printed_unit(as_decimal(value), unit, normalise_unit(token.unit))
    if actual is None or (plain and not unit and family(token.unit) in _NOT_COUNTED):
        return Judgement("unit")
    if token.cmp == "=":
        word = agreement(actual, printed, Decimal(0) if exact else place)
        full = _is_full(printed, place, token.unit, unit)
        return Judgement(word, actual, saturated=word != "false" and actual != printed and full)
    if holds(actual, printed, place, token.cmp, about=about) == "false":
        return Judgement("false", actual)
    # A bound that holds is slack where the value lies further off than "about" would allow: "at least 18" of 29.
    slack = token.cmp != "~" and holds(actual, printed, place, "~", about=about) == "false"
    return Judgement("slack" if slack else "true", actual)


def is_no_rate(nature: Nature) -> bool:
    """Whether a value is certainly nothing for each second or megabyte; what has no unit and counts nothing may be."""
    return not is_rate(nature.unit) if nature.unit else nature.exact or nature.plain


def in_printed_unit(value: Decimal, unit: str | None, printed: str) -> Decimal | None:
    """Return the value as the page prints it; None where its unit cannot become the printed one."""
    if not unit or not family(unit) or not family(printed):
        return value
    if printed == "pp" and unit in _SHARES:
        return convert(value, unit, "%")
    return convert(value, unit, printed) if family(unit) == family(printed) else None


def _is_full(printed: Decimal, place: Decimal, glyph: str, unit: str | None) -> bool:
    """Whether a print says "none" or "all": 0, 1.00 or 100 %."""
    if glyph == "%":
        return printed in (0, _HUNDRED)
    return printed == 0 or (printed == 1 and (place < 1 or unit == "fraction"))
