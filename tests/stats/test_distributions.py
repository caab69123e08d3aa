"""Distributions: known values, and the identities that hold everywhere."""

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.stats.distributions import incomplete_beta, t_cdf, t_quantile

SHAPES = st.floats(0.1, 500)
SHARES = st.floats(0.0001, 0.9999)


@pytest.mark.parametrize(
    ("a", "b", "x", "value"),
    [
        (1, 1, 0.3, 0.3),  # the uniform distribution
        (2, 1, 0.5, 0.25),  # x ** a
        (1, 3, 0.5, 1 - 0.5**3),  # 1 - (1 - x) ** b
        (0.5, 0.5, 0.5, 0.5),  # the arcsine distribution is symmetric
        (5, 9, 0.0, 0.0),
        (5, 9, 1.0, 1.0),
        (5, 9, -0.1, 0.0),
        (2, 3, 0.4, 0.5248),  # P(X >= 2), X binomial(4, 0.4)
    ],
)
def test_incomplete_beta_where_it_has_a_closed_form(a, b, x, value):
    assert incomplete_beta(a, b, x) == pytest.approx(value, abs=1e-14)


@given(SHAPES, SHAPES, SHARES)
def test_incomplete_beta_mirrors(a, b, x):
    assert incomplete_beta(a, b, x) == pytest.approx(1 - incomplete_beta(b, a, 1 - x), abs=1e-9)


@pytest.mark.parametrize("t", [-3.0, -0.5, 0.0, 0.5, 3.0])
def test_t_of_one_degree_of_freedom_is_the_cauchy_distribution(t):
    assert t_cdf(t, 1) == pytest.approx(0.5 + math.atan(t) / math.pi, abs=1e-14)


@given(SHARES, st.integers(1, 5_000))
def test_the_t_quantile_inverts_the_distribution(p, df):
    assert t_cdf(t_quantile(p, df), df) == pytest.approx(p, abs=1e-12)


@given(st.integers(1, 5_000))
def test_t_is_wider_than_the_normal(df):
    assert t_quantile(0.975, df) > NormalDist().inv_cdf(0.975)
    assert t_quantile(0.5, df) == pytest.approx(0, abs=1e-12)


def test_t_becomes_the_normal():
    assert t_quantile(0.975, 10_000_000) == pytest.approx(1.959964, abs=1e-5)


def test_a_fraction_that_does_not_settle_still_ends():
    assert 0 <= incomplete_beta(1e12, 1e12, 0.5) <= 1
