"""CI-2, CI-3, RATIO-1 and TEST-1: two arms on the same questions."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl import stats
from benchctl.errors import SampleInvalidError
from benchctl.stats import Sample, difference, mcnemar_p, paired_ratio
from benchctl.stats.distributions import t_quantile


def arm(*groups, repo="r", **counts):
    """One repository with a question for each tuple of repetitions."""
    return Sample.of(
        [
            (repo, f"q{index:02}", rep, float(value))
            for index, values in enumerate(groups)
            for rep, value in enumerate(values)
        ],
        **counts,
    )


def both(*samples, **counts):
    return Sample(tuple(item for sample in samples for item in sample.observations), **counts)


EIGHT = [(0.1 * index, 0.1 * index + 0.1) for index in range(1, 9)]
ZEROS = [(0, 0)] * 8


def test_the_first_is_held_against_the_second():
    assert difference(arm((1,), (1,)), arm((0,), (0.5,))).value == pytest.approx(0.75)
    assert paired_ratio(arm((200,), (400,)), arm((100,), (200,))).value == pytest.approx(2)


def test_a_question_counts_once_however_often_it_was_repeated():
    found = difference(arm((1, 1, 1, 0), (0,)), arm((0,), (0,)))
    assert found.value == pytest.approx(0.375)


def test_with_six_differing_questions_it_is_the_paired_t():
    found = difference(arm(*EIGHT), arm(*ZEROS))
    means = [stats.mean(values) for values in EIGHT]
    half = t_quantile(0.975, 7) * stats.sd(means) / math.sqrt(8)
    assert (found.lo, found.hi) == (
        pytest.approx(stats.mean(means) - half),
        pytest.approx(stats.mean(means) + half),
    )
    assert (found.method, found.df, found.units, found.cells) == ("paired t", 7, 8, 16)
    assert (found.discordant, found.min_p, found.differs) == (8, 2**-7, True)
    assert found.notes == ()


def test_the_rerun_variance_by_hand():
    found = difference(arm((1, 0, 1), (1, 1)), arm((0, 0), (0, 1)), "rerun")
    variance = ((1 / 3) / 3 + 0.5 / 2) / 2**2
    half = t_quantile(0.975, 2 + 1 + 1 + 1) * math.sqrt(variance)
    assert (found.value, found.df) == (pytest.approx((2 / 3 + 1 / 2) / 2), 5)
    assert found.hi == pytest.approx(min(found.value + half, 1))
    assert found.lo == pytest.approx(found.value - half)


def test_every_question_tied_is_an_interval_and_no_verdict():
    found = difference(arm(*[(1, 1, 1)] * 16), arm(*[(1, 1, 1)] * 16))
    assert found.hi - found.lo == pytest.approx(0.17, abs=0.005)  # statistics notes, CI-3
    assert found.value == 0
    assert (found.differs, found.discordant, found.min_p) == (False, 0, 1)
    assert found.method == "paired t with a pseudo-pair"
    assert "fewer than 6" in found.notes[0]


def test_the_pseudo_pair_is_two_more_questions():
    values = [0.4, -0.2, 0, 0, 0]
    found = difference(arm(*[(value,) for value in values]), arm(*[(0,)] * 5))
    drawn = [*values, -0.5, 0.5]
    half = t_quantile(0.975, 6) * stats.sd(drawn) / math.sqrt(7)
    assert found.lo == pytest.approx(stats.mean(drawn) - half)
    assert found.hi == pytest.approx(stats.mean(drawn) + half)
    assert found.df == 6


@pytest.mark.parametrize(("count", "differs"), [(5, False), (6, True)])
def test_six_differing_questions_are_the_least_for_a_verdict(count, differs):
    groups = [(0.9 + index / 100,) for index in range(count)]
    found = difference(arm(*groups), arm(*[(0.0,)] * count))
    assert found.differs is differs


def test_a_difference_that_is_rounding_is_no_difference():
    found = difference(arm((0.1 + 0.2,), (1,)), arm((0.3,), (1,)))
    assert found.discordant == 0


def test_an_interval_never_leaves_the_span():
    found = difference(arm((1,), (1,)), arm((0,), (0,)))
    drawn = [1, 1, -0.5, 0.5]
    half = t_quantile(0.975, 3) * stats.sd(drawn) / 2
    assert (found.lo, found.hi) == (pytest.approx(0.5 - half), 1)


def test_without_a_span_there_is_no_pseudo_pair_and_no_edge():
    few = difference(arm((5,), (9,)), arm((0,), (0,)), span=None)
    assert (few.method, few.differs) == ("paired t", False)
    assert few.hi > 9
    tied = difference(arm((5,), (5,)), arm((5,), (5,)), span=None)
    assert (tied.lo, tied.hi) == (None, None)
    assert tied.notes[0] == "no interval: no spread in 2 units"


def test_arms_that_never_vary_still_have_a_rerun_interval():
    found = difference(arm(*[(1, 1, 1)] * 8), arm(*[(0, 0, 0)] * 8), "rerun")
    assert (found.value, found.hi) == (1, 1)
    assert found.lo < 1
    assert found.method == "paired t with a pseudo-pair"


def test_few_differing_questions_keep_plain_t_at_the_rerun_scope():
    assert difference(arm((1, 0)), arm((0, 0)), "rerun").method == "paired t"


@pytest.mark.parametrize(
    ("a", "b", "scope"),
    [
        (arm((1,), (0, 1)), arm((1, 1), (0, 0)), "rerun"),
        (arm((1, 0)), arm((0, 0)), "questions"),
        (arm(*EIGHT), arm(*ZEROS), "repositories"),
    ],
)
def test_what_one_unit_cannot_say_is_a_note(a, b, scope):
    found = difference(a, b, scope)
    assert (found.lo, found.hi, found.differs) == (None, None, False)
    assert any("no interval" in note for note in found.notes)


def test_repositories_are_redrawn_with_their_own_degrees_of_freedom():
    a = both(*(arm(*EIGHT, repo=repo) for repo in "xyz"), failed=1, void=2)
    b = both(*(arm(*ZEROS, repo=repo) for repo in "xyz"), failed=3)
    tied = difference(a, b, "repositories")
    assert tied.method == "paired t with a pseudo-pair"  # three equal means are no spread
    assert (tied.units, tied.df, tied.failed, tied.void) == (3, 4, 4, 2)


def test_questions_of_one_side_are_left_out_and_counted():
    a = both(arm((1,), (1,)), arm((1,), repo="only a"))
    found = difference(a, arm((0,), (0,), (0,)))
    assert (found.units, found.value) == (2, 1)
    assert found.notes[0] == "2 questions of one side only are left out"


@pytest.mark.parametrize("compare", [difference, paired_ratio, mcnemar_p])
def test_nothing_in_common_is_refused(compare):
    with pytest.raises(SampleInvalidError, match="no question in common"):
        compare(arm((1,), repo="a"), arm((1,), repo="b"))


def test_a_ratio_has_its_interval_on_logarithms():
    pairs = [(100, 90), (50, 40), (200, 190), (10, 9), (20, 30), (7, 8)]
    found = paired_ratio(arm(*[(a,) for a, _ in pairs]), arm(*[(b,) for _, b in pairs]))
    logs = [math.log(a / b) for a, b in pairs]
    half = t_quantile(0.975, 5) * stats.sd(logs) / math.sqrt(6)
    assert math.log(found.value) == pytest.approx(stats.mean(logs))
    assert math.log(found.lo) == pytest.approx(stats.mean(logs) - half)
    assert math.log(found.hi) == pytest.approx(stats.mean(logs) + half)
    assert (found.differs, found.discordant) == (False, 6)


def test_a_ratio_that_excludes_one_differs():
    assert paired_ratio(arm(*[(2 + index / 10,) for index in range(8)]), arm(*[(1,)] * 8)).differs


def test_a_ratio_may_be_as_wide_as_numbers_go():
    found = paired_ratio(arm((1e149,), (1e-300,)), arm((1e-300,), (1e149,)))
    assert 0 <= found.lo < found.value < found.hi < math.inf


def test_a_ratio_without_spread_has_no_interval():
    found = paired_ratio(arm((1,), (2,)), arm((1,), (2,)))
    assert (found.value, found.lo, found.hi) == (1, None, None)
    assert found.notes[0] == "no interval: no spread in 2 units"


@pytest.mark.parametrize("value", [0, -1])
def test_a_ratio_of_what_is_not_positive_is_refused(value):
    with pytest.raises(SampleInvalidError, match="positive"):
        paired_ratio(arm((value,)), arm((1,)))


def test_mcnemar_counts_questions_and_not_cells():
    found = mcnemar_p(arm(*[(1, 1, 1)] * 6, (0, 0, 0)), arm(*[(0, 0, 1)] * 6, (0, 0, 0)))
    assert found.value == pytest.approx(0.03125)  # study K: six questions to none
    assert (found.discordant, found.min_p, found.units, found.differs) == (6, 0.03125, 7, True)
    assert (found.lo, found.hi, found.method) == (None, None, "exact McNemar test on questions")


def test_five_questions_to_none_do_not_reach_the_level():
    found = mcnemar_p(arm(*[(1,)] * 5), arm(*[(0,)] * 5))
    assert (found.value, found.differs) == (0.0625, False)
    assert "fewer than 6" in found.notes[0]


def test_mcnemar_of_no_difference_is_one():
    found = mcnemar_p(arm((1,)), arm((1,)))
    assert (found.value, found.differs) == (1, False)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_symmetric_and_a_probability(wins, losses):
    p = stats.mcnemar_exact(wins, losses)
    assert p == stats.mcnemar_exact(losses, wins)
    assert stats.min_p_sign(wins + losses) <= p <= 1


def test_the_least_p_is_reached_when_all_agree():
    assert all(stats.mcnemar_exact(n, 0) == stats.min_p_sign(n) for n in range(40))
    assert stats.mcnemar_exact(3_000, 3_000) == 1


GROUPS = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=2)
SCOPES = st.sampled_from(["rerun", "questions", "repositories"])


@given(GROUPS, SCOPES)
def test_a_difference_turns_its_sign_when_the_arms_change_places(groups, scope):
    a, b = arm(*[(x, x) for x, _ in groups]), arm(*[(y, x) for x, y in groups])
    there, back = difference(a, b, scope), difference(b, a, scope)
    assert back.value == pytest.approx(-there.value)
    assert back.differs == there.differs
    if there.lo is not None:
        assert (back.lo, back.hi) == (pytest.approx(-there.hi), pytest.approx(-there.lo))
        assert there.lo <= there.hi


@given(st.lists(st.tuples(st.floats(0.1, 1e6), st.floats(0.1, 1e6)), min_size=2), SCOPES)
def test_a_ratio_turns_over_when_the_arms_change_places(pairs, scope):
    a, b = arm(*[(x,) for x, _ in pairs]), arm(*[(y,) for _, y in pairs])
    there, back = paired_ratio(a, b, scope), paired_ratio(b, a, scope)
    assert back.value == pytest.approx(1 / there.value)
    if there.lo is not None:
        assert back.lo == pytest.approx(1 / there.hi)
