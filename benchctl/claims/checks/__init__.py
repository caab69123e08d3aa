"""The checks of a page, in the order they run. Each is a module with `check(sheet)`, which adds findings.

A check is added as one file here and one line in CHECKS; `tests/contract/test_checks.py` says
what it must do.
"""

from __future__ import annotations

from collections.abc import Callable

from benchctl.claims.checks import (
    assertion,
    beside,
    change,
    chart,
    consistency,
    coverage,
    directions,
    domain,
    equation,
    interval,
    level,
    mean,
    order,
    parts,
    pins,
    ranking,
    rates,
    ratios,
    retraction,
    reversals,
    scope_rows,
    share,
    stamp,
    table,
    totals,
    universals,
    vacuity,
    value,
)
from benchctl.claims.sheet import Sheet

__all__ = ["CHECKS"]

CHECKS: dict[str, Callable[[Sheet], None]] = {
    "pins": pins.check,
    "beside": beside.check,
    "scope_rows": scope_rows.check,
    "stamp": stamp.check,
    "chart": chart.check,
    "table": table.check,  # before value: it knows which rows cannot be asked
    "value": value.check,
    "assertion": assertion.check,
    "retraction": retraction.check,  # behind value: it reads what was judged
    "consistency": consistency.check,
    "share": share.check,  # from here on behind value: what the data confirms is no slip of the page
    "mean": mean.check,
    "equation": equation.check,
    "change": change.check,
    "order": order.check,
    "interval": interval.check,
    "level": level.check,
    "domain": domain.check,
    "totals": totals.check,
    "parts": parts.check,
    "rates": rates.check,
    "ratios": ratios.check,
    "ranking": ranking.check,
    "reversals": reversals.check,
    "directions": directions.check,
    "universals": universals.check,
    "vacuity": vacuity.check,
    "coverage": coverage.check,
}
"""By name, in order."""
