"""What it cost."""

from __future__ import annotations

from benchctl.metrics.base import Metric

__all__ = ["COSTS"]

COSTS = (
    Metric(
        name="cost_usd",
        title="Cost",
        unit="USD",
        better="lower",
        kind="money",
        domain=(0, None),
        places=4,
        assumption="Positive and skewed: compared by ratios, and only where one source reported both sides.",
        meaning="Dollars as the agent reports them; a difference of account balances is never taken for it.",
        interval="ratio",
    ),
)
