"""The checks of a page, in the order they run. Each is a module with `check(sheet)`, which adds findings.

A check is added as one file here and one line in CHECKS; `tests/contract/test_checks.py` says
what it must do.
"""

from __future__ import annotations

from collections.abc import Callable

from benchctl.claims.checks import (
    assertion,
    chart,
    consistency,
    coverage,
    pins,
    retraction,
    stamp,
    table,
    vacuity,
    value,
)
from benchctl.claims.sheet import Sheet

__all__ = ["CHECKS"]

CHECKS: dict[str, Callable[[Sheet], None]] = {
    "pins": pins.check,
    "stamp": stamp.check,
    "chart": chart.check,
    "table": table.check,  # before value: it knows which rows cannot be asked
    "value": value.check,
    "assertion": assertion.check,
    "retraction": retraction.check,  # behind value: it reads what was judged
    "consistency": consistency.check,
    "vacuity": vacuity.check,
    "coverage": coverage.check,
}
"""By name, in order."""
