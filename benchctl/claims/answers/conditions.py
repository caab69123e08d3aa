"""Filters that no row can meet together: `arm=grep, arm=index`."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import combinations

from benchctl.expressions import Filter

__all__ = ["clashing"]


def clashing(filters: Sequence[Filter]) -> tuple[Filter, Filter] | None:
    """Return two filters of one column that exclude each other; None where a row could meet all."""
    for one, other in combinations(filters, 2):
        if one.column == other.column and _exclude(one, other):
            return one, other
    return None


def _exclude(one: Filter, other: Filter) -> bool:
    for fixed, asked in ((one, other), (other, one)):
        if fixed.op == "=":
            return not _meets(fixed.value, asked)
    low, high = (one, other) if one.op.startswith(">") else (other, one)
    least, most = _number(low.value), _number(high.value)
    if not low.op.startswith(">") or not high.op.startswith("<") or least is None or most is None:
        return False
    return least > most or (least == most and (low.op, high.op) != (">=", "<="))


def _meets(value: str, asked: Filter) -> bool:
    """Whether a row whose column holds `value` could meet another filter on it."""
    number, bound = _number(value), _number(asked.value)
    if number is None or bound is None:
        same, below = value == asked.value, value < asked.value
    else:
        same, below = number == bound, number < bound
    match asked.op:
        case "=":
            return same
        case "!=":
            return not same
        case "~":
            return fnmatchcase(value, asked.value)
        case "<" | "<=":
            return below or (same and asked.op == "<=")
        case _:
            return (not below and not same) or (same and asked.op == ">=")


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None
