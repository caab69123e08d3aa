"""When a printed number is true: exact ties, closed intervals, bounds."""

from __future__ import annotations

from decimal import Decimal

import pytest

from benchctl.errors import NumeralInvalidError
from benchctl.quantities.numerals import scan
from benchctl.quantities.rounding import agreement, as_decimal, exact_context, holds, interval


@pytest.mark.parametrize(
    ("true_value", "printed", "expected"),
    [
        (16.25, "16.2", "tie"),  # half-even prints this,
        (16.25, "16.3", "tie"),  # half-up prints that: both are honest
        (16.25, "16.1", "false"),
        (36.65, "36.6", "tie"),  # its float lies below 36.65; its repr decides
        (36.65, "36.7", "tie"),
        (139809.5, "139,809", "tie"),
        (139809.5, "139,810", "tie"),
        (139809.5, "139,811", "false"),
        (31.549999999999997, "31.5", "true"),
        (31.549999999999997, "31.6", "false"),
        (1.005, "1.00", "tie"),
        (1.005, "1.01", "tie"),
        (2.5, "2", "tie"),
        (2.5, "3", "tie"),
        (12.5, "13 %", "tie"),
        (12.5, "12 %", "tie"),
        (12.5, "12.4 %", "false"),
        (0.995, "1.00", "tie"),  # trailing zeros count: 1.00 is [0.995, 1.005]
        (0.994, "1.00", "false"),
        (0.6, "1", "true"),
        (44_750, "44.8k", "tie"),
        (44_751, "44.8k", "true"),
        (-0.0294, "−0.029", "true"),
        (0, "-0%", "true"),
        (10**30 + 1, f"{10**30}", "false"),  # beyond the precision of an ordinary decimal context
        (72, "1m 12s", "true"),
        (0.0001, "10⁻⁴", "true"),
        (1 / 3, "a third of", "true"),
        (0.37, "a third of", "false"),
    ],
)
def test_a_printed_number_stands_for_its_closed_interval(true_value, printed, expected):
    (token,) = scan(printed)
    assert agreement(as_decimal(true_value), token.value, token.place) == expected


def test_a_place_of_zero_asks_for_the_very_number():
    assert agreement(Decimal(48), Decimal(48), Decimal(0)) == "true"
    assert agreement(Decimal("48.0001"), Decimal(48), Decimal(0)) == "false"
    assert interval(Decimal(48), Decimal(0)) == (48, 48)


@pytest.mark.parametrize(
    ("true_value", "cmp", "printed", "expected"),
    [
        ("9.96", "=", "10", "true"),
        ("9.96", ">=", "10", "false"),  # at least is what it says
        ("10", ">=", "10", "true"),
        ("10", ">", "10", "false"),
        ("10.1", ">", "10", "true"),
        ("10", "<", "10", "false"),
        ("9.9", "<", "10", "true"),
        ("10", "<=", "10", "true"),
        ("10.1", "<=", "10", "false"),
        ("10.5", "~", "10", "true"),
        ("10.51", "~", "10", "false"),
        ("95", "~", "100", "true"),
        ("94.9", "~", "100", "false"),
        ("-104", "~", "-100", "true"),
        ("2.5", "~", "2", "true"),  # half the last place is wider than five per cent
    ],
)
def test_comparators_are_what_they_say(true_value, cmp, printed, expected):
    assert holds(Decimal(true_value), Decimal(printed), Decimal(1), cmp) == expected


def test_the_share_that_about_allows_is_a_policy():
    assert holds(Decimal(109), Decimal(100), Decimal(1), "~", about=Decimal("0.1")) == "true"


@pytest.mark.parametrize("value", [float("inf"), float("nan"), Decimal("NaN")])
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(NumeralInvalidError):
        as_decimal(value)
    with pytest.raises(NumeralInvalidError):
        exact_context(Decimal(repr(value)) if isinstance(value, float) else value)
