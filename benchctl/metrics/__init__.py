"""What may be published: one entry for each measurable column of a cell, in reading order.

A metric is added as one `Metric` in the family's file; its column stands in `schema.result`.
"""

from __future__ import annotations

from benchctl.metrics.base import Metric
from benchctl.metrics.conduct import CONDUCT, OUTCOMES
from benchctl.metrics.cost import COSTS
from benchctl.metrics.duration import DURATIONS
from benchctl.metrics.score import ITEMS, SCORES
from benchctl.metrics.tokens import TOKENS

__all__ = ["METRICS", "Metric"]

METRICS: dict[str, Metric] = {
    metric.name: metric
    for family in (SCORES, OUTCOMES, DURATIONS, TOKENS, COSTS, ITEMS, CONDUCT)
    for metric in family
}
"""Every metric by the name of its column, in the order in which a reader wants them."""
