"""What was measured for a probe, and the values an expression can have."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchctl.errors import EvaluationError

__all__ = ["Measured", "Value", "same_value"]

Value = float | int | bool | str
"""What an expression evaluates to."""
_CLOSE, _NOUGHT = 1e-9, 1e-9
"""The share, and the amount around 0, by which the order of a sum may change it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The answer to one probe.

    `value` None is not measured. `n` values went into it, of `count` matching rows, of which
    `failed` failed and `void` say nothing. `lo` and `hi` are the interval at `scope`, where
    one was asked for. `error` stands where there is no value; `groups` has one answer for each
    value of the probe's `group_by`, None being that of the rows without one. `elsewhere` is of SQL alone:
    the other values that it has over other data, none where it is the same over all of them; None where
    nobody can tell.
    """

    value: Value | None
    n: int = 0
    count: int = 0
    failed: int = 0
    lo: float | None = None
    hi: float | None = None
    error: EvaluationError | None = None
    void: int = 0
    scope: str | None = None
    groups: Mapping[str | None, Measured] = field(default_factory=dict)
    elsewhere: tuple[Value, ...] | None = None


def same_value(one: object, other: object) -> bool:
    """Whether two values are one but for the order of a sum. Texts and truths are one where they are equal."""
    numbers = [
        value for value in (one, other) if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if len(numbers) < 2:
        return one == other
    return math.isclose(*numbers, rel_tol=_CLOSE, abs_tol=_NOUGHT)
