"""Sums, averages and changes of printed numbers: the interval in which each must lie, however they were rounded.

Exact fractions, but for the geometric mean, which is widened by far more than its logarithms err and by far less
than any page prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction

from benchctl.quantities.span import Span

__all__ = ["average", "change_pct", "envelope", "geometric_mean", "median", "percent", "total"]

_DIGITS = 40
_WIDER = Fraction(1, 10**20)
_HUNDRED = 100


def total(spans: Sequence[Span]) -> Span:
    """Return the sum; of nothing, 0."""
    return Span(sum((span.lo for span in spans), Fraction(0)), sum((span.hi for span in spans), Fraction(0)))


def average(spans: Sequence[Span], weights: Sequence[Fraction] | None = None) -> Span:
    """Return the mean of at least one; `weights` are none of them negative, and together above 0."""
    shares = [Fraction(1)] * len(spans) if weights is None else weights
    weighed = [span.times(share) for span, share in zip(spans, shares, strict=True)]
    return total(weighed).times(1 / sum(shares, Fraction(0)))


def median(spans: Sequence[Span]) -> Span:
    """Return the median of at least one: the middle one, or half way between the middle two."""
    lows, highs = sorted(span.lo for span in spans), sorted(span.hi for span in spans)
    left, right = (len(spans) - 1) // 2, len(spans) // 2
    return Span((lows[left] + lows[right]) / 2, (highs[left] + highs[right]) / 2)


def geometric_mean(spans: Sequence[Span]) -> Span | None:
    """Return the geometric mean of at least one; None where a value may be 0 or less."""
    if any(span.lo <= 0 for span in spans):
        return None
    low, high = _geometric([span.lo for span in spans]), _geometric([span.hi for span in spans])
    return Span(low * (1 - _WIDER), high * (1 + _WIDER))


def _geometric(values: Sequence[Fraction]) -> Fraction:
    with localcontext(Context(prec=_DIGITS)):
        logs = sum(((Decimal(value.numerator) / value.denominator).ln() for value in values), Decimal(0))
        return Fraction((logs / len(values)).exp())


def percent(part: Span, whole: Span) -> Span | None:
    """Return 100 part / whole; None where the whole may be 0."""
    share = part.over(whole)
    return None if share is None else share.times(_HUNDRED)


def change_pct(before: Span, after: Span) -> Span | None:
    """Return 100 (after - before) / before; None where `before` may be 0."""
    share = after.over(before)
    return None if share is None else (share - Span.exact(1)).times(_HUNDRED)


def envelope(spans: Sequence[Span]) -> Span:
    """Return the least interval that holds all of at least one: no average of theirs lies outside of it."""
    return Span(min(span.lo for span in spans), max(span.hi for span in spans))
