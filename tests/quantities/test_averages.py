"""What printed numbers come to: every sum, mean, ratio of true values lies in the interval computed from their prints."""

import math
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.quantities.averages import (
    average,
    change_pct,
    envelope,
    geometric_mean,
    median,
    percent,
    total,
)
from benchctl.quantities.span import Span

TRUE = st.lists(st.decimals(min_value="0.01", max_value="100000", places=5), min_size=1, max_size=12)
PLACES = st.integers(0, 4)
ROUNDING = st.sampled_from([ROUND_HALF_EVEN, ROUND_HALF_UP])


def printed(value, places, rounding):
    place = Decimal(1).scaleb(-places)
    return Span.printed(Decimal(value).quantize(place, rounding=rounding), place)


def holds(span, value):
    return span.lo <= Fraction(value) <= span.hi


@given(TRUE, PLACES, ROUNDING)
def test_the_interval_holds_what_the_true_values_come_to(values, places, rounding):
    spans = [printed(value, places, rounding) for value in values]
    exact = [Fraction(value) for value in values]
    ordered = sorted(exact)
    size = len(values)
    assert holds(total(spans), sum(exact))
    assert holds(average(spans), sum(exact) / size)
    assert holds(median(spans), (ordered[(size - 1) // 2] + ordered[size // 2]) / 2)
    assert holds(envelope(spans), ordered[0])
    assert holds(envelope(spans), ordered[-1])
    geometric = geometric_mean(spans)
    if geometric is not None:
        true = math.exp(math.fsum(math.log(value) for value in values) / size)
        assert float(geometric.lo) * (1 - 1e-9) <= true <= float(geometric.hi) * (1 + 1e-9)


@given(TRUE, PLACES, ROUNDING)
def test_any_weighting_of_true_values_lies_in_their_envelope(values, places, rounding):
    spans = [printed(value, places, rounding) for value in values]
    weights = [Fraction(index % 3) + 1 for index in range(len(values))]
    exact = sum(Fraction(value) * weight for value, weight in zip(values, weights, strict=True)) / sum(
        weights
    )
    assert holds(average(spans, weights), exact)
    assert holds(envelope(spans), exact)


@given(st.decimals(1, 1000, places=4), st.decimals(1, 1000, places=4), PLACES, ROUNDING)
def test_a_percent_and_a_change_hold_those_of_the_true_values(a, b, places, rounding):
    first, last = printed(a, places, rounding), printed(b, places, rounding)
    share, change = percent(first, last), change_pct(first, last)
    assert share is not None
    assert change is not None
    assert holds(share, 100 * Fraction(a) / Fraction(b))
    assert holds(change, 100 * (Fraction(b) - Fraction(a)) / Fraction(a))


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (total([]), (0, 0)),
        (total([Span.exact(2), Span.exact(3)]), (5, 5)),
        (
            average([Span.exact(1), Span.exact(2)], [Fraction(1), Fraction(3)]),
            (Fraction(7, 4), Fraction(7, 4)),
        ),
        (
            median([Span.exact(3), Span.exact(1), Span.exact(2), Span.exact(10)]),
            (Fraction(5, 2), Fraction(5, 2)),
        ),
        (percent(Span.exact(44), Span.exact(48)), (Fraction(275, 3), Fraction(275, 3))),
        (change_pct(Span.exact(4), Span.exact(5)), (25, 25)),
        (envelope([Span.exact(3), Span.exact(-1)]), (-1, 3)),
    ],
)
def test_counts_are_exact(result, expected):
    assert (result.lo, result.hi) == expected


def test_nothing_is_divided_by_what_may_be_zero():
    maybe = Span.printed(Decimal(0), Decimal(1))
    assert percent(Span.exact(1), maybe) is None
    assert change_pct(maybe, Span.exact(1)) is None
    assert geometric_mean([Span.exact(2), maybe]) is None


def test_the_geometric_mean_is_as_wide_as_its_rounding():
    mean = geometric_mean([Span.exact(2), Span.exact(8)])
    assert mean is not None
    assert mean.lo < 4 < mean.hi
    assert mean.hi - mean.lo < Fraction(1, 10**18)
