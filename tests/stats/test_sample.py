"""A sample refuses what no statistic is defined for, and averages from the inside out."""

import math

import pytest

from benchctl import stats
from benchctl.errors import SampleInvalidError
from benchctl.stats import Sample


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no value"),
        ([("r", "q", 1, 1.0), ("r", "q", 1, 1.0)], "two values for r/q/1"),
        ([("r", "q", 1, math.nan)], "nan for r/q/1"),
        ([("r", "q", 1, math.inf)], "inf for r/q/1"),
        ([("r", "q", 1, -1e150)], "-1e\\+150 for r/q/1"),
    ],
)
def test_what_is_refused(rows, message):
    with pytest.raises(SampleInvalidError, match=message):
        Sample.of(rows)


def test_one_question_id_in_two_repositories_is_two_questions():
    sample = Sample.of([("a", "q", 1, 0.0), ("b", "q", 1, 1.0)])
    assert sample.tree() == {"a": {"q": (0.0,)}, "b": {"q": (1.0,)}}


def test_repetitions_questions_and_repositories_weigh_the_same():
    rows = [("a", "q1", 1, 0.0), ("a", "q1", 2, 1.0), ("a", "q2", 1, 1.0), ("b", "q1", 1, 0.0)]
    sample = Sample.of(rows, failed=1, void=2)
    assert sample.macro() == (0.75 + 0) / 2
    assert (sample.cells, sample.failed, sample.void) == (4, 1, 2)


def test_a_function_of_every_value_keeps_labels_and_counts():
    sample = Sample.of([("a", "q", 2, 4.0)], failed=1).mapped(math.sqrt)
    assert sample.observations[0] == stats.Observation("a", "q", 2, 2.0)
    assert sample.failed == 1


def test_public_names_are_listed():
    assert all(hasattr(stats, name) for name in stats.__all__)
