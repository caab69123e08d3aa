"""What a run has cost: one sum, and how much of it nobody has reported."""

import pytest

from benchctl.schema.spent import Spent, dollars


@pytest.mark.parametrize(
    ("costs", "cap", "said"),
    [
        ([], 1.0, "None"),
        ([0.1] * 24, None, "2.40 USD"),
        ([0.5, None, 0.25], 1.0, "1.75 USD (1.00 USD of it charged for 1 attempt that reported no cost)"),
        ([None, None], 1.0, "2.00 USD (charged for 2 attempts that reported no cost)"),
        ([0.0, None], None, "at least 0.00 USD (and 1 attempt that reported no cost)"),
    ],
)
def test_a_sum_says_how_much_of_it_nobody_reported(costs, cap, said):
    assert str(Spent.of(costs, cap)) == said


def test_tenths_of_a_dollar_add_up():
    assert Spent.of([0.1] * 24, None).usd == 2.4


@pytest.mark.parametrize(
    ("costs", "cap", "silent", "unbounded"),
    [
        ([None], None, 1, True),
        ([None], None, 0, False),  # it may be running, or the machine ended it
        ([None], 1.0, 1, False),
        ([None, 0.5], None, 1, False),
        ([0.5], None, 0, False),
    ],
)
def test_what_nobody_said_is_unbounded_where_nothing_bounds_it(costs, cap, silent, unbounded):
    assert Spent.of(costs, cap, silent).unbounded == unbounded


@pytest.mark.parametrize(
    ("usd", "said"),
    [(0.0, "0.00 USD"), (0.00123, "0.00123 USD"), (1234.5, "1,234.50 USD"), (0.01, "0.01 USD")],
)
def test_less_than_a_cent_is_not_nothing(usd, said):
    assert dollars(usd) == said
