"""A run stops where going on would be in vain or would cost more than it may."""

from __future__ import annotations

import pytest

from benchctl.runner.stop_rules import IN_VAIN, StopRules
from benchctl.schema.evidence import AGAIN_OUTCOMES, OUTCOMES
from benchctl.schema.spent import Spent


def rules(stop_after=3, spend_usd=None, spent=0.0):
    return StopRules(stop_after, spend_usd, lambda: None if spent is None else Spent(spent))


def after(*outcomes, stop_after=3):
    found = rules(stop_after)
    for outcome in outcomes:
        found.ended(outcome)
    return found.stop()


@pytest.mark.parametrize(
    ("outcomes", "why"),
    [
        (("api_error",) * 3, "3 API errors in a row"),
        (("host_stalled",) * 3, "3 host stalls in a row"),
        (("prepare_error",) * 3, "3 failed preparations in a row"),
        (("api_error", "host_stalled", "api_error"), "2 API errors and 1 host stall in a row"),
        (("api_error",) * 2, None),
        (("api_error", "api_error", "ok", "api_error"), None),  # not in a row
        (("api_error", "api_error", "timeout", "api_error"), None),  # a time-out is the agent's
        (("ok", "api_error", "api_error", "api_error"), "3 API errors in a row"),
    ],
)
def test_errors_in_a_row_stop_a_run(outcomes, why):
    assert after(*outcomes) == why


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_only_what_bodes_ill_for_the_next_cell_counts(outcome):
    assert bool(after(outcome, stop_after=1)) is (outcome in IN_VAIN)


def test_all_that_the_machine_does_bodes_ill_but_an_interrupt():
    assert IN_VAIN.keys() == AGAIN_OUTCOMES - {"interrupted"} | {"api_error"}


@pytest.mark.parametrize(
    ("spend_usd", "spent", "stops"),
    [(None, 1e9, False), (1.0, None, False), (1.0, 0.99, False), (1.0, 1.0, True), (1.0, 2.5, True)],
)
def test_a_run_that_has_spent_what_it_may_begins_nothing_more(spend_usd, spent, stops):
    assert bool(rules(spend_usd=spend_usd, spent=spent).stop()) is stops


def test_what_is_said_when_the_money_is_spent():
    assert rules(spend_usd=1.0, spent=1.25).stop() == "1.25 USD are spent, of at most 1.00 USD"


@pytest.mark.parametrize("spend_usd", [None, 1.0])
def test_a_limit_that_cannot_be_held_stops_a_run(spend_usd):
    silent = StopRules(3, spend_usd, lambda: Spent(0.0, 2, 0.0, 2))
    assert silent.stop() == (spend_usd and "nobody knows what 2 attempts cost, so that `spend_usd` cannot be held without a cap `cost_usd`")  # fmt: skip
