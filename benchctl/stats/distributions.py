"""The distributions that intervals need, from the standard library alone.

Importing scipy costs more than a second at the start of every command; these agree with it
to nine digits and more (tests/vectors/stats.json).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

__all__ = ["incomplete_beta", "t_cdf", "t_quantile"]

_TINY: Final = 1e-300
_PRECISION: Final = 1e-16
_MOST_TERMS: Final = 10_000


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), for a, b > 0 and x in [0, 1].

    The continued fraction of DLMF 8.17.22 (https://dlmf.nist.gov/8.17.E22), on the side of
    the mean where it converges fast.
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x <= (a + 1) / (a + b + 2):
        return front / a / _fraction(a, b, x)
    return 1 - front / b / _fraction(b, a, 1 - x)


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction by the modified Lentz method (Thompson & Barnett 1986)."""
    value = c = 1.0
    d = 0.0
    for term in range(1, _MOST_TERMS):
        m = term // 2
        if term % 2:
            numerator = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            numerator = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + numerator * d or _TINY)
        c = 1 + numerator / c or _TINY
        value *= c * d
        if abs(c * d - 1) < _PRECISION:
            break
    return value


def t_cdf(t: float, df: float) -> float:
    """Return P(T <= t) of Student's t with `df` > 0 degrees of freedom (Abramowitz & Stegun 26.7.1).

    The central mass where t is small, the tail elsewhere: each is exact where the other cancels.
    """
    squared = t * t
    if squared < df:
        half = incomplete_beta(0.5, df / 2, squared / (df + squared)) / 2
        return 0.5 + math.copysign(half, t)
    tail = incomplete_beta(df / 2, 0.5, df / (df + squared)) / 2
    return 1 - tail if t > 0 else tail


@lru_cache(maxsize=256)
def t_quantile(p: float, df: float) -> float:
    """Return the t with P(T <= t) = p, for p in (0, 1), by bisection of the distribution function."""
    if p < 0.5:
        return -t_quantile(1 - p, df)
    low, high = 0.0, 1.0
    while t_cdf(high, df) < p:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if t_cdf(middle, df) < p else (low, middle)
    return high
