"""Interval arithmetic over printed numbers: what may be true of a sum or a ratio of rounded figures.

A printed number stands for every value that rounds to it, ends included, so what is computed of it is
an interval too. Exact fractions: no error of its own is added. A result that only touches counts as
possible, so that arithmetic of true figures is never called wrong, whichever way a tie was rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

__all__ = ["Span"]


@dataclass(frozen=True, slots=True)
class Span:
    """A closed interval of exact numbers, `lo` <= `hi`."""

    lo: Fraction
    hi: Fraction

    @classmethod
    def exact(cls, value: Decimal | int) -> Span:
        """Return the interval of one number alone: of a count."""
        return cls(Fraction(value), Fraction(value))

    @classmethod
    def printed(cls, value: Decimal, place: Decimal) -> Span:
        """Return what a number printed to its last place `place` stands for (the manual on claims, "When is a number true?")."""
        half = abs(Fraction(place)) / 2
        return cls(Fraction(value) - half, Fraction(value) + half)

    @property
    def middle(self) -> Fraction:
        """Return the number half way."""
        return (self.lo + self.hi) / 2

    def __add__(self, other: Span) -> Span:
        return Span(self.lo + other.lo, self.hi + other.hi)

    def __sub__(self, other: Span) -> Span:
        return Span(self.lo - other.hi, self.hi - other.lo)

    def __mul__(self, other: Span) -> Span:
        ends = [left * right for left in (self.lo, self.hi) for right in (other.lo, other.hi)]
        return Span(min(ends), max(ends))

    def over(self, other: Span) -> Span | None:
        """Return the quotient; None where the divisor may be zero, for then nothing is ruled out."""
        if other.lo <= 0 <= other.hi:
            return None
        return self * Span(1 / other.hi, 1 / other.lo)

    def times(self, factor: Fraction | int) -> Span:
        """Return every number of it times an exact factor."""
        return self * Span(Fraction(factor), Fraction(factor))

    def touches(self, other: Span) -> bool:
        """Say whether the two have a number in common, an end included."""
        return self.lo <= other.hi and other.lo <= self.hi
