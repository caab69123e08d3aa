"""Means and shares that whole values cannot have: the arithmetic of GRIM, and of a shared denominator.

Decides what is impossible and nothing else: a figure that passes may still be wrong. Everything is exact, and
a printed figure stands for its closed rounding interval, so that no true figure is ever called impossible.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchctl.quantities.span import Span

__all__ = ["mean_possible", "means_around", "share_possible", "shared_mean_possible"]


def mean_possible(mean: Span, n: int, step: Fraction = Fraction(1)) -> bool:
    """Say whether `n` values, each a whole multiple of `step`, may have a mean in the interval `mean`.

    The sum of such values is a multiple of `step`, so the interval must hold a multiple of `step / n`
    (the GRIM test, Brown & Heathers 2017, doi:10.1177/1948550616673876). No value is no mean: False for n < 1.
    """
    if n < 1:
        return False
    return math.ceil(mean.lo * n / step) <= math.floor(mean.hi * n / step)


def means_around(value: Fraction, n: int, step: Fraction = Fraction(1)) -> tuple[Fraction, Fraction]:
    """Return the means next below and next above `value` that `n` >= 1 multiples of `step` can have."""
    below = math.floor(value * n / step)
    return below * step / n, (below + 1) * step / n


def share_possible(share: Span, whole: int) -> bool:
    """Say whether some whole number of `whole` things is a share in the interval: GRIM of values 0 and 1."""
    inside = share.lo <= 1 and share.hi >= 0
    return inside and mean_possible(share, whole)


def shared_mean_possible(mean: Span, n: int, answered: int, most: int = 1) -> bool:
    """Say whether a mean over `n` values may be so large when only `answered` of them are above 0, each at most `most`.

    The sum is `mean * n` and cannot exceed `answered * most`: 0.935 over 48 is 44.88, more than 44 answers can give.
    """
    return mean.lo * n <= answered * most
