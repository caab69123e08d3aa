"""What values can have for a mean: GRIM, shares, a shared denominator."""

from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.quantities.span import Span
from benchctl.stats.possible import mean_possible, means_around, share_possible, shared_mean_possible

ways = st.sampled_from([ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN])
digits = st.integers(0, 6)


def span(text):
    value = Decimal(text)
    return Span.printed(value, Decimal(1).scaleb(value.as_tuple().exponent))


def printed(value, places, way):
    """Return an exact value as it is printed; a tie goes the way that is asked for."""
    scaled = value * 10**places
    floor = scaled.numerator // scaled.denominator
    rest = scaled - floor
    up = rest > Fraction(1, 2) or (
        rest == Fraction(1, 2) and (way == ROUND_HALF_UP or (way == ROUND_HALF_EVEN and floor % 2 == 1))
    )
    return Span.printed(Decimal(floor + up).scaleb(-places), Decimal(1).scaleb(-places))


@pytest.mark.parametrize(
    ("mean", "n", "step", "possible"),
    [
        ("5.19", 28, 1, False),  # Brown & Heathers 2017: 145/28 is 5.18, 146/28 is 5.21
        ("5.21", 28, 1, True),
        ("5.18", 28, 1, True),
        ("5.27", 43, 1, False),
        ("5.27", 43, Fraction(1, 2), True),  # finer values can
        ("0.985", 48, Fraction(1, 2), False),
        ("12.5", 2, 1, True),
        ("2.5", 3, 1, False),
        ("2", 3, 1, True),
        ("0.25", 2, Fraction(1, 2), True),
        ("-1.5", 2, 1, True),
        ("5.0", 0, 1, False),
        ("1234.56", 1000, 1, True),
    ],
)
def test_a_mean_of_n_values_is_a_multiple_of_step_over_n(mean, n, step, possible):
    assert mean_possible(span(mean), n, Fraction(step)) is possible


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60), digits, ways)
def test_the_true_mean_of_whole_numbers_is_never_called_impossible(values, places, way):
    assert mean_possible(printed(Fraction(sum(values), len(values)), places, way), len(values))


@given(st.lists(st.integers(0, 12), min_size=1, max_size=60), st.integers(1, 12), digits, ways)
def test_the_true_mean_of_scores_of_a_step_is_never_called_impossible(values, parts, places, way):
    mean = Fraction(sum(values), parts * len(values))
    assert mean_possible(printed(mean, places, way), len(values), Fraction(1, parts))


@given(st.integers(1, 3000), st.data(), digits, ways)
def test_a_true_share_is_never_called_impossible(whole, data, places, way):
    part = data.draw(st.integers(0, whole))
    percent = printed(Fraction(100 * part, whole), places, way)
    assert share_possible(percent.times(Fraction(1, 100)), whole)


@given(st.lists(st.fractions(0, 1), max_size=40), st.integers(0, 40), digits, ways)
def test_a_true_mean_over_answered_and_unanswered_is_never_called_impossible(scores, failed, places, way):
    n = len(scores) + failed
    mean = printed(sum(scores, Fraction(0)) / n, places, way) if n else Span.exact(0)
    assert shared_mean_possible(mean, n, len(scores))


@given(st.integers(1, 500), st.fractions(-20, 20), st.sampled_from([Fraction(1), Fraction(1, 3)]))
def test_the_means_around_a_value_are_neighbours_and_possible(n, value, step):
    below, above = means_around(value, n, step)
    assert below <= value < above
    assert above - below == step / n
    assert mean_possible(Span(below, below), n, step)
    assert mean_possible(Span(above, above), n, step)


@pytest.mark.parametrize(
    ("share", "whole", "possible"),
    [
        ("0.917", 48, True),
        ("0.923", 48, False),
        ("1.02", 48, False),
        ("-0.02", 48, False),
        ("1.0", 48, True),
        ("0", 0, False),
    ],
)
def test_a_share_is_a_whole_number_of_a_whole(share, whole, possible):
    assert share_possible(span(share), whole) is possible


@pytest.mark.parametrize(
    ("mean", "n", "answered", "most", "possible"),
    [
        ("0.935", 48, 44, 1, False),  # 44.88 of 44: study K's defect 31
        ("0.896", 48, 43, 1, True),
        ("0.917", 48, 44, 1, True),
        ("0.935", 48, 44, 2, True),
        ("0.1", 48, 0, 1, False),
        ("0.0", 48, 0, 1, True),
    ],
)
def test_a_mean_over_all_holds_no_more_than_the_answered_can_give(mean, n, answered, most, possible):
    assert shared_mean_possible(span(mean), n, answered, most) is possible
