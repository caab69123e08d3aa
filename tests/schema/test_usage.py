"""Late usage: a group is filled whole, with its source, by figures that can be, and never over what was reported."""

import math

import pytest

from benchctl.schema.usage import LARGEST_COUNT, LARGEST_USD, USAGE_GROUPS, figure_problem, usage_problem

BLANK = dict.fromkeys(name for group in USAGE_GROUPS.values() for name in group)
TOKENS = {**BLANK, "input_tokens": 10, "output_tokens": 5, "total_tokens": 15, "token_source": "agent"}


@pytest.mark.parametrize(
    ("name", "value"),
    [("input_tokens", None), ("input_tokens", 0), ("total_tokens", LARGEST_COUNT), ("cost_usd", None),
     ("cost_usd", 0), ("cost_usd", 0.0), ("cost_usd", 1e-9), ("cost_usd", LARGEST_USD)],
)  # fmt: skip
def test_a_figure(name, value):
    assert figure_problem(name, value) is None


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("input_tokens", -1, "input_tokens is -1, not a whole number from 0"),
        ("input_tokens", 1.0, "is 1.0"),
        ("input_tokens", True, "is True"),
        ("input_tokens", LARGEST_COUNT + 1, "not a whole number"),
        ("cost_usd", -0.5, "cost_usd is -0.5, not a number from 0"),
        ("cost_usd", -0.0, "cost_usd is -0.0, not a number from 0"),
        ("cost_usd", math.nan, "is nan"),
        ("cost_usd", math.inf, "is inf"),
        ("cost_usd", 10**400, "is 1000"),
        ("cost_usd", False, "is False"),
        ("cost_usd", "1", "is '1'"),
    ],
)
def test_what_is_no_figure(name, value, what):
    assert what in figure_problem(name, value)


@pytest.mark.parametrize(
    ("row", "reported", "what"),
    [
        ({"total_tokens": 3, "token_source": "p"}, BLANK, None),
        ({"cost_usd": 0.5, "cost_source": "p"}, TOKENS, None),
        (TOKENS, TOKENS, None),
        ({}, BLANK, "no figure"),
        ({"token_source": "agent"}, TOKENS, "no figure"),
        ({"token_source": "p"}, BLANK, "a token_source without a figure"),
        ({"cost_usd": 0.5}, BLANK, "figures without a cost_source"),
        ({"cost_usd": -0.0, "cost_source": "p"}, BLANK, "cost_usd is -0.0"),
        (
            {**TOKENS, "token_source": "proxy"},
            TOKENS,
            "the tokens were reported by agent (input_tokens 10, output_tokens 5, total_tokens 15)",
        ),
        (
            {"cost_usd": 1.0, "cost_source": "p"},
            {**BLANK, "cost_usd": 2.0},
            "the dollars were reported by the run itself (cost_usd 2.0)",
        ),
    ],
)
def test_late_usage(row, reported, what):
    found = usage_problem(row, reported)
    assert found is None if what is None else what in found
