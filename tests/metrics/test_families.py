"""The table of metrics is made of its families, each metric once, in reading order."""

from benchctl.metrics import METRICS
from benchctl.metrics.conduct import CONDUCT, OUTCOMES
from benchctl.metrics.cost import COSTS
from benchctl.metrics.duration import DURATIONS
from benchctl.metrics.score import ITEMS, SCORES
from benchctl.metrics.tokens import TOKENS

FAMILIES = (SCORES, OUTCOMES, DURATIONS, TOKENS, COSTS, ITEMS, CONDUCT)


def test_no_metric_stands_twice():
    assert len(METRICS) == sum(map(len, FAMILIES))


def test_scores_come_before_costs_and_costs_before_conduct():
    order = list(METRICS)
    assert order.index("score") < order.index("failed") < order.index("wall_s")
    assert order.index("total_tokens") < order.index("cost_usd") < order.index("tool_calls")


def test_a_metric_is_found_by_its_columns_name():
    assert all(METRICS[name].name == name for name in METRICS)


def test_intervals_redraw_questions_unless_a_page_says_otherwise():
    assert {metric.scope for metric in METRICS.values()} == {"questions"}
