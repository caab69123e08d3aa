"""Whether a changed number is true of the data all the same, worked out anew from the manual's words.

Deliberately not the checker's own code: what decides which changes must be found may not share its
mistakes. Fractions, no rounding, the table of units alone is common (the manual on claims, "When is
a number true?").
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from benchctl.claims.answers.nature import Nature
from benchctl.expressions import Value
from benchctl.quantities.units import FAMILIES, normalise_unit

__all__ = ["Printed", "said_of", "why_true"]

_NO_COUNT = frozenset(
    {"time", "size", "share", "difference of shares", "money", "euro", "pound", "yen", "frequency"}
)


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as a page prints it: its value, what its last place is worth, its unit, and how it is meant.

    `ends` says that behind its strict bound the value itself may stand: `over 3 repositories` may be "across".
    """

    value: Fraction
    place: Fraction
    unit: str = ""
    cmp: str = "="
    ends: bool = False


def why_true(printed: Printed, value: Value, nature: Nature, about: Fraction) -> str:
    """Return in which way a printed number is true of a value; "" where it is false of it.

    `about` is the share that `~` allows.
    """
    actual = said_of(value, printed.unit, nature)
    if actual is None:
        return ""
    gap, half = abs(actual - printed.value), printed.place / 2
    if printed.cmp == "=":
        if nature.exact:
            return "true" if gap == 0 else ""
        return "" if gap > half else "a tie" if gap == half else "true"
    if printed.cmp == "~":
        return "true as about" if gap <= max(half, abs(printed.value) * about) else ""
    if printed.ends and gap == 0:
        return "true where the word before it is no bound"
    holds = {
        ">": actual > printed.value,
        ">=": actual >= printed.value,
        "<": actual < printed.value,
        "<=": actual <= printed.value,
    }[printed.cmp]
    return "true as a bound" if holds else ""


def said_of(value: Value, unit: str, nature: Nature) -> Fraction | None:
    """Return a value in a printed unit; None for what is no number or cannot be said in it."""
    if isinstance(value, bool | str):
        return None
    number = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    printed = _family(unit)
    own = _family(nature.unit or "")
    if printed is None:
        return number
    if own is None:
        return None if nature.plain and printed[0] in _NO_COUNT and not nature.unit else number
    if printed[0] == "difference of shares" and own[0] == "share":
        return number * own[1] * 100
    return number * own[1] / printed[1] if own[0] == printed[0] else None


def _family(unit: str) -> tuple[str, Fraction] | None:
    name = normalise_unit(unit)
    for family, members in FAMILIES.items():
        if name in members:
            return family, Fraction(members[name])
    return None
