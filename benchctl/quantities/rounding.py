"""Does a true value lie where a printed number says it lies.

A number printed to its last place `u` stands for the closed interval
[p - u/2, p + u/2] (the manual on claims, "When is a number true?"). Everything is
computed exactly in decimals: no float, no relative tolerance except after a
word like "about". Which value is meant, and in which unit, is decided elsewhere.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from typing import TYPE_CHECKING, Literal

from benchctl.errors import NumeralInvalidError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ABOUT", "Agreement", "agreement", "as_decimal", "exact_context", "holds", "interval"]

Agreement = Literal["true", "tie", "false"]

ABOUT = Decimal("0.05")
"""The share of the printed number that `about` allows either way, unless a policy says otherwise."""

_TWO = Decimal(2)


def as_decimal(value: float | Decimal) -> Decimal:
    """Return the shortest decimal that reads back as `value` (its repr), not its binary expansion.

    16.25 stays 16.25, and 36.65 is the 36.65 that its reader sees, not the
    36.6499999999999986 that its float holds. Raises NumeralInvalidError for
    infinities and not-a-number, which no page can print.
    """
    result = value if isinstance(value, Decimal) else Decimal(repr(value))
    if not result.is_finite():
        raise NumeralInvalidError(
            f"`{value}` is not a finite number", expected="a measured number, or None for not measured"
        )
    return result


def exact_context(*values: Decimal) -> Context:
    """Return a decimal context wide enough to add, subtract, halve and double `values` without rounding."""
    highest = max(value.adjusted() for value in values)
    lowest = min(_exponents(values))
    return Context(prec=max(28, highest - lowest + 4))


def _exponents(values: tuple[Decimal, ...]) -> Iterator[int]:
    for value in values:
        exponent = value.as_tuple().exponent
        if isinstance(exponent, int):
            yield exponent
        else:
            raise NumeralInvalidError(f"`{value}` is not a finite number", expected="a finite decimal")


def interval(printed: Decimal, place: Decimal) -> tuple[Decimal, Decimal]:
    """Return the closed interval a printed number stands for; `place` 0 stands for the number alone."""
    with localcontext(exact_context(printed, place, place / _TWO)):
        half = place / _TWO
        return printed - half, printed + half


def agreement(true_value: Decimal, printed: Decimal, place: Decimal) -> Agreement:
    """Say whether `true_value` rounds to `printed` at `place`: "true", "tie" (exactly half way) or "false".

    `place` is the unit of the last printed place (1.57 % -> 0.01, 44.8k -> 100);
    0 asks for the very number, which is how counts are compared.
    """
    with localcontext(exact_context(true_value, printed, place)):
        twice_the_gap = abs(true_value - printed) * _TWO
        if twice_the_gap > place:
            return "false"
        return "tie" if twice_the_gap == place != 0 else "true"


def holds(
    true_value: Decimal, printed: Decimal, place: Decimal, cmp: str, *, about: Decimal = ABOUT
) -> Agreement:
    """Say whether `true_value` is what `cmp printed` claims; `cmp` is one of `= ~ > >= < <=`.

    Bounds are what they say: "at least 10" is false of 9.96. `~` allows the
    share `about` of the printed number, or half the last place where that is
    wider; an exact end of that range is "true", for no rounding is involved.
    """
    if cmp == "=":
        return agreement(true_value, printed, place)
    with localcontext(exact_context(true_value, printed, place, printed * about)):
        allowed = max(place / _TWO, abs(printed) * about)
        verdict = {
            "~": abs(true_value - printed) <= allowed,
            ">": true_value > printed,
            ">=": true_value >= printed,
            "<": true_value < printed,
            "<=": true_value <= printed,
        }[cmp]
    return "true" if verdict else "false"
