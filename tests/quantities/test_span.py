"""Interval arithmetic: whatever the printed numbers stand for, the result holds it."""

from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.quantities.span import Span

numbers = st.decimals(min_value=-1000, max_value=1000, places=4)
places = st.sampled_from([Decimal(1), Decimal("0.1"), Decimal("0.01"), Decimal("0.001")])
ways = st.sampled_from([ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN])


def rounded(value, place, way):
    return Span.printed(value.quantize(place, rounding=way), place)


def holds(span, value):
    return span.lo <= value <= span.hi


@pytest.mark.parametrize(
    ("value", "place", "lo", "hi"),
    [
        ("1.57", "0.01", "1.565", "1.575"),
        ("192", "1", "191.5", "192.5"),
        ("44800", "100", "44750", "44850"),
        ("-0.3", "0.1", "-0.35", "-0.25"),
        ("5", "0", "5", "5"),
    ],
)
def test_a_printed_number_stands_for_its_rounding_interval(value, place, lo, hi):
    assert Span.printed(Decimal(value), Decimal(place)) == Span(Fraction(lo), Fraction(hi))


def test_a_count_stands_for_itself():
    assert Span.exact(48) == Span.printed(Decimal(48), Decimal(0))
    assert Span.exact(48).middle == 48


@given(numbers, numbers, places, places, ways)
def test_a_result_of_rounded_numbers_holds_the_true_result(left, right, one, other, way):
    a, b = rounded(left, one, way), rounded(right, other, way)
    x, y = Fraction(left), Fraction(right)
    assert holds(a + b, x + y)
    assert holds(a - b, x - y)
    assert holds(a * b, x * y)
    quotient = a.over(b)
    assert (quotient is None) == (b.lo <= 0 <= b.hi)
    assert quotient is None or holds(quotient, x / y)
    assert holds(a.times(-3), -3 * x)


@given(numbers, places, ways, ways)
def test_two_roundings_of_one_value_touch(value, place, one, other):
    assert rounded(value, place, one).touches(rounded(value, place, other))


def test_intervals_that_share_an_end_touch_and_those_apart_do_not():
    left, right = Span(Fraction(0), Fraction(1)), Span(Fraction(1), Fraction(2))
    assert left.touches(right)
    assert right.touches(left)
    assert not left.touches(Span(Fraction(3, 2), Fraction(2)))
    assert not Span(Fraction(3, 2), Fraction(2)).touches(left)
