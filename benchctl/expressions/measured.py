"""What was measured for a probe, and the values an expression can have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchctl.errors import EvaluationError

__all__ = ["Measured", "Value"]

Value = float | int | bool | str
"""What an expression evaluates to."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The answer to one probe.

    `value` None is not measured. `n` values went into it, of `count` matching rows, of which
    `failed` failed and `void` say nothing. `lo` and `hi` are the interval at `scope`, where
    one was asked for. `error` stands where there is no value; `groups` has one answer for each
    value of the probe's `group_by`, None being that of the rows without one.
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
