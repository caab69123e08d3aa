"""CI-1: the interval of a mean between 0 and 1, by what is redrawn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl import stats
from benchctl.errors import SampleInvalidError
from benchctl.stats import Sample, interval_mean01
from benchctl.stats.distributions import t_quantile


def sample_of(tree, **counts):
    return Sample.of(
        [
            (repo, question, rep, float(value))
            for repo, questions in tree.items()
            for question, values in questions.items()
            for rep, value in enumerate(values)
        ],
        **counts,
    )


def questions(*groups, repo="r"):
    return {repo: {f"q{index}": values for index, values in enumerate(groups)}}


def test_sixteen_perfect_questions_are_sixteen_trials():
    found = interval_mean01(sample_of(questions(*[(1, 1, 1)] * 16)))
    assert (found.lo, found.hi) == (pytest.approx(0.779, abs=0.0005), 1.0)  # statistics notes, section 0, 3
    assert (found.df, found.units, found.cells, found.n_eff, found.deff) == (15, 16, 48, 16, 3)
    assert found.notes == ("no spread in 16 units: each counts as one trial",)


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_nothing_and_everything_are_ends_of_their_own_interval(value, level):
    found = interval_mean01(sample_of(questions(*[(value,) * 3] * 2)), "rerun", level=level)
    assert value in {found.lo, found.hi}


def test_the_pooled_rate_of_the_notes():
    lo, hi = stats.wilson(17 / 1084, 1084 / (4.000234301780694 * 16 / 15), t_quantile(0.975, 15))
    assert (round(lo, 4), round(hi, 4)) == (0.0057, 0.0427)  # statistics notes, section 1


def test_equal_means_that_differ_by_rounding_are_no_spread():
    found = interval_mean01(sample_of(questions((0.1, 0.2, 0.3), (0.3, 0.2, 0.1), (0.2,))))
    assert found.n_eff == 3


def test_spread_between_questions_gives_the_effective_trials():
    found = interval_mean01(sample_of(questions((1, 1), (1, 0), (0, 0), (1, 1))))
    p, variance = 0.625, stats.variance([1, 0.5, 0, 1]) / 4
    assert found.n_eff == pytest.approx(p * (1 - p) / variance)
    assert (found.lo, found.hi) == stats.wilson(p, found.n_eff, t_quantile(0.975, 3))
    assert found.notes == ()


def test_effective_trials_are_never_more_than_the_cells():
    found = interval_mean01(sample_of(questions((0.50,), (0.51,), (0.49,))))
    assert (found.n_eff, found.deff) == (3, 1)


TWO_REPOS = {**questions((1, 1), (1, 0), repo="a"), **questions((0, 0), (1, 0), (0, 1), repo="b")}


@pytest.mark.parametrize(
    ("scope", "df", "units"), [("rerun", 5, 10), ("questions", 3, 5), ("repositories", 1, 2)]
)
def test_each_scope_has_its_units_and_degrees_of_freedom(scope, df, units):
    found = interval_mean01(sample_of(TWO_REPOS, failed=2, void=1), scope)
    assert (found.df, found.units, found.scope) == (df, units, scope)
    assert found.value == pytest.approx((0.75 + 1 / 3) / 2)
    assert (found.failed, found.void, found.level) == (2, 1, 0.95)
    assert found.lo < found.value < found.hi


def test_the_variance_of_each_scope_by_hand():
    p = (0.75 + 1 / 3) / 2
    variance = {
        "rerun": (0.25 / 4**2) + 2 * (0.25 / 6**2),  # s^2 / K of the three questions that vary
        "questions": ((0.125 + 1 / 6) / 3) * (1 / 2 + 1 / 3) / 4,
        "repositories": stats.variance([0.75, 1 / 3]) / 2,
    }
    for scope, expected in variance.items():
        found = interval_mean01(sample_of(TWO_REPOS), scope)
        assert found.n_eff == pytest.approx(min(p * (1 - p) / expected, 10))


@pytest.mark.parametrize(
    ("tree", "scope", "word"),
    [
        (questions((1,), (0, 1)), "rerun", "repetition"),
        (questions((1, 0)), "questions", "one question"),
        ({**questions((1,), repo="a"), **questions((0,), repo="b")}, "questions", "one question"),
        (questions((1, 0), (1, 1)), "repositories", "one repository"),
    ],
)
def test_what_one_unit_cannot_say_is_a_note_and_no_interval(tree, scope, word):
    found = interval_mean01(sample_of(tree), scope)
    assert (found.lo, found.hi, found.n_eff, found.deff) == (None, None, None, None)
    assert word in found.notes[0]


@pytest.mark.parametrize("value", [-0.01, 1.01])
def test_a_value_outside_of_0_to_1_is_refused(value):
    with pytest.raises(SampleInvalidError, match="r/q0"):
        interval_mean01(sample_of(questions((value,))))


TREES = st.dictionaries(
    st.sampled_from("abc"),
    st.dictionaries(
        st.sampled_from("pqrs"),
        st.lists(st.sampled_from([0.0, 0.33, 0.82, 1.0]), min_size=1, max_size=3),
        min_size=1,
    ),
    min_size=1,
)
SCOPES = st.sampled_from(["rerun", "questions", "repositories"])


@given(TREES, SCOPES)
def test_an_interval_holds_its_value_and_stays_between_0_and_1(tree, scope):
    found = interval_mean01(sample_of(tree), scope)
    if found.lo is not None:
        assert 0 <= found.lo <= found.value + 1e-12
        assert found.value - 1e-12 <= found.hi <= 1
        assert found.lo < found.hi


@given(TREES, SCOPES, st.floats(0.5, 0.98))
def test_an_interval_grows_with_its_level(tree, scope, level):
    narrow = interval_mean01(sample_of(tree), scope, level=level)
    wide = interval_mean01(sample_of(tree), scope, level=0.99)
    if narrow.lo is not None:
        assert wide.lo <= narrow.lo
        assert wide.hi >= narrow.hi


@given(TREES, SCOPES, st.randoms())
def test_the_order_of_the_rows_does_not_matter(tree, scope, random):
    rows = [(item.repo, item.question, item.rep, item.value) for item in sample_of(tree).observations]
    shuffled = Sample(tuple(stats.Observation(*row) for row in random.sample(rows, len(rows))))
    one, other = interval_mean01(sample_of(tree), scope), interval_mean01(shuffled, scope)
    assert other.value == pytest.approx(one.value, abs=1e-14)
    assert other.lo == pytest.approx(one.lo, abs=1e-12)


@given(TREES, SCOPES)
def test_right_and_wrong_mirror(tree, scope):
    sample = sample_of(tree)
    one, other = interval_mean01(sample, scope), interval_mean01(sample.mapped(lambda x: 1 - x), scope)
    assert other.value == pytest.approx(1 - one.value)
    if one.lo is not None:
        assert (other.lo, other.hi) == (pytest.approx(1 - one.hi), pytest.approx(1 - one.lo))
