import pytest

from benchctl.grading import contains
from benchctl.grading.base import Key


@pytest.mark.parametrize(
    ("expected", "answer", "score"),
    [
        (("alpha", "beta"), "Alpha and BETA", 1.0),
        (("alpha", "beta"), "alpha only", 0.5),
        (("alpha", "beta"), "neither", 0.0),
        (("install.sh",), "**`install.sh`** does it", 1.0),  # marks are no part of a name
        (("pre-commit hook",), "the pre commit\nhook", 1.0),  # dashes and blanks are one
        (("snake_case",), "snake case", 0.0),  # underscores are not
        (("is **not** affected",), "is not affected", 1.0),
        (("***",), "anything", 0.0),  # nothing is found nowhere
        (("alpha", "alpha"), "alpha", 1.0),
        ((), "anything", 0.0),
        (("alpha",), None, 0.0),
    ],
)
def test_the_share_of_strings_that_are_there(expected, answer, score):
    assert contains.grade(Key(expected=expected), answer).score == score


def test_a_grade_says_what_was_found():
    grade = contains.grade(Key(expected=("beta", "alpha")), "alpha")
    assert [(fact.id, fact.state) for fact in grade.facts] == [("alpha", "hit"), ("beta", "missed")]
    assert (grade.note, grade.recall, grade.gold_items, grade.hit_items) == ("1 of 2 found", 0.5, 2, 1)
    assert contains.grade(Key(), "x").recall is None
