"""The functions of numbers: each total but for the errors it names."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

from benchctl.errors import DivisionByZeroError, KindMismatchError, NotFiniteError

__all__ = ["aggregate", "apply", "call", "compare", "number"]

_MOST_BITS: Final = 256
_ALL_PLACES: Final = 2**53
"""From here on a float has no places behind its point."""

_CLOSE: Final = 1e-12

_Scalar = float | int


def number(value: object, what: object) -> _Scalar:
    """Return `value` if it is a finite number; the text of `what` names it in errors.

    Raises KindMismatchError for a truth or a text, NotFiniteError for infinity and NaN. A whole
    number stays exact; beyond 2**256 it becomes a float, so that no product grows without bound.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        kind = "true or false" if isinstance(value, bool) else "a text"
        raise KindMismatchError(f"{what} is {kind}", expected="a number")
    if isinstance(value, int):
        return value if value.bit_length() <= _MOST_BITS else float(value)
    if not math.isfinite(value):
        raise NotFiniteError(f"{what} is no finite number")
    return value


_OPERATORS: Final[dict[str, Callable[[_Scalar, _Scalar], _Scalar]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def apply(op: str, a: _Scalar, b: _Scalar, what: object, right: object) -> _Scalar:
    """Return `a op b` for one of `+ - * /`; `what` and `right` name the whole and `b` in errors."""
    try:
        return number(_OPERATORS[op](a, b), what)
    except ZeroDivisionError:
        raise DivisionByZeroError(f"{what} divides by {right}, which is zero") from None


def _round(value: _Scalar, places: _Scalar, what: object) -> _Scalar:
    if places != int(places) or not 0 <= places <= 15:
        raise KindMismatchError(f"{what} rounds to {places} places", expected="a whole number from 0 to 15")
    if isinstance(value, int) or abs(value) >= _ALL_PLACES:
        return value
    rounded = round(Decimal(repr(value)), int(places))
    return float(rounded) if places else int(rounded)


_FUNCTIONS: Final[dict[str, Callable[..., _Scalar]]] = {
    "abs": abs,
    "min": lambda *args: min(args),
    "max": lambda *args: max(args),
    "delta": lambda a, b: a - b,
    "ratio": lambda a, b: a / b,
    "speedup": lambda a, b: a / b,
    "change_pct": lambda a, b: 100 * (b - a) / a,
    "reduction_pct": lambda a, b: 100 * (a - b) / a,
}


def call(function: str, args: Sequence[_Scalar], what: object) -> _Scalar:
    """Return a function of numbers; `what` names the expression in errors.

    `ratio` and `delta` hold the first against the second (a / b, a - b); `speedup`,
    `change_pct` and `reduction_pct` go from the first to the second (a / b,
    100 (b - a) / a, 100 (a - b) / a). `round` is half-even in decimals.
    """
    if function == "round":
        return _round(args[0], args[1] if len(args) > 1 else 0, what)
    try:
        return number(_FUNCTIONS[function](*args), what)
    except ZeroDivisionError:
        raise DivisionByZeroError(f"{what} divides by zero") from None


_ORDER: Final[dict[str, Callable[[_Scalar, _Scalar], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compare(op: str, a: _Scalar, b: _Scalar) -> bool:
    """Return `a op b`. Floats within one part in 10**12 are equal: the order of a sum is not data."""
    whole = isinstance(a, int) and isinstance(b, int)
    equal = a == b if whole else math.isclose(a, b, rel_tol=_CLOSE)
    if op in {"=", "!="}:
        return equal == (op == "=")
    return op.endswith("=") if equal else _ORDER[op](a, b)


def _quantile(values: Sequence[_Scalar], p: float) -> _Scalar:
    """Return the type 7 quantile (Hyndman & Fan 1996, doi:10.1080/00031305.1996.10473566)."""
    ordered = sorted(values)
    place = p * (len(ordered) - 1)
    below = math.floor(place)
    if place == below:
        return ordered[below]
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _sd(values: Sequence[_Scalar]) -> _Scalar:
    if len(values) < 2:
        raise NotFiniteError("the sd of one value", expected="at least two values")
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


_AGGREGATES: Final[dict[str, Callable[[Sequence[_Scalar]], _Scalar]]] = {
    "count": len,
    "n": len,
    "sum": sum,
    "mean": lambda values: math.fsum(values) / len(values),
    "min": min,
    "max": max,
    "iqr": lambda values: _quantile(values, 0.75) - _quantile(values, 0.25),
    "sd": _sd,
    "distinct": lambda values: len(set(values)),
}


def aggregate(statistic: str, p: float | None, values: Sequence[_Scalar], what: object) -> _Scalar:
    """Return a statistic of at least one value; `p` is the quantile that `statistic` names, if it does.

    Raises NotFiniteError for the `sd` of one value, and for a result too large.
    """
    try:
        return number(_AGGREGATES[statistic](values) if p is None else _quantile(values, p), what)
    except OverflowError:
        raise NotFiniteError(f"{what} is no finite number") from None
