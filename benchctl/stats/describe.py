"""One number for many values. Each raises SampleInvalidError where it is not defined."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchctl.errors import SampleInvalidError

__all__ = ["distinct", "iqr", "mean", "median", "quantile", "sd", "variance"]


def _need(values: Sequence[float], least: int, what: str) -> None:
    if len(values) < least:
        raise SampleInvalidError(f"the {what} of {len(values)} values", expected=f"at least {least}")


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean, from the exactly rounded sum."""
    _need(values, 1, "mean")
    return math.fsum(values) / len(values)


def variance(values: Sequence[float]) -> float:
    """Return the variance with n - 1 below it."""
    _need(values, 2, "variance")
    middle = mean(values)
    return math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1)


def sd(values: Sequence[float]) -> float:
    """Return the standard deviation with n - 1 below it."""
    return math.sqrt(variance(values))


def quantile(values: Sequence[float], p: float) -> float:
    """Return the type 7 quantile, p in [0, 1]: the default of numpy and of DuckDB's `quantile_cont`.

    Hyndman & Fan 1996, doi:10.1080/00031305.1996.10473566. Packages differ: of seven values
    the p90 may be 37.3 or 41.0, so the definition is part of the contract.
    """
    _need(values, 1, "quantile")
    if not 0 <= p <= 1:
        raise SampleInvalidError(f"a quantile at {p}", expected="a share between 0 and 1")
    ordered = sorted(values)
    place = p * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def median(values: Sequence[float]) -> float:
    """Return the middle value, or the mean of the middle two."""
    return quantile(values, 0.5)


def iqr(values: Sequence[float]) -> float:
    """Return the distance of the type 7 quartiles."""
    return quantile(values, 0.75) - quantile(values, 0.25)


def distinct(values: Sequence[float]) -> tuple[float, ...]:
    """Return the different values, sorted: two values of three cells are no spread to take a median of."""
    return tuple(sorted(set(values)))
