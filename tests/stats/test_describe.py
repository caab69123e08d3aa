"""Descriptions of values, each against its definition."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl import stats
from benchctl.errors import SampleInvalidError

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("statistic", "least"),
    [
        (stats.mean, 1),
        (stats.median, 1),
        (stats.iqr, 1),
        (lambda values: stats.quantile(values, 0.9), 1),
        (stats.sd, 2),
        (stats.variance, 2),
    ],
)
def test_a_statistic_of_too_few_values_is_an_error(statistic, least):
    with pytest.raises(SampleInvalidError, match=f"at least {least}"):
        statistic([1.0] * (least - 1))


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_a_quantile_outside_of_0_to_1_is_an_error(p):
    with pytest.raises(SampleInvalidError):
        stats.quantile([1.0], p)


@given(VALUES)
def test_the_median_is_the_standard_librarys(values):
    assert stats.median(values) == pytest.approx(statistics.median(values), abs=1e-9)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_quartiles_and_sd_are_the_standard_librarys(values):
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    assert stats.iqr(values) == pytest.approx(high - low, abs=1e-6)
    assert stats.sd(values) == pytest.approx(statistics.stdev(values), rel=1e-9, abs=1e-9)


@given(VALUES, st.floats(0, 1), st.floats(0, 1))
def test_quantiles_rise_with_p_and_stay_within_the_values(values, p, q):
    low, high = sorted((p, q))
    assert min(values) <= stats.quantile(values, low) <= stats.quantile(values, high) + 1e-9
    assert stats.quantile(values, high) <= max(values) + 1e-9


@given(VALUES, st.randoms())
def test_order_does_not_matter(values, random):
    shuffled = random.sample(values, len(values))
    assert stats.mean(shuffled) == stats.mean(values)
    assert stats.quantile(shuffled, 0.9) == stats.quantile(values, 0.9)


def test_two_values_are_seen_as_two():
    assert stats.distinct([1.0, 0.82, 1.0, 0.82]) == (0.82, 1.0)
