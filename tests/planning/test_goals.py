from __future__ import annotations

import pytest

from benchctl.errors import SuiteInvalidError
from benchctl.planning.goals import check_goals
from benchctl.schema.suite import Goal


def with_goal(suite, assertion):
    return suite.model_copy(update={"goals": (Goal(id="g", title="a rule", assertion=assertion),)})


def test_a_goal_that_refers_to_rows_is_fine(suite):
    check_goals(with_goal(suite, "score.macro > 0.5 and n_failed = 0"))
    check_goals(suite)


@pytest.mark.parametrize(
    ("assertion", "words"),
    [
        ("score.macro >", "goal 'g'"),  # cut off
        ("2 > 1", "whatever the run says"),  # no row could change it
    ],
)
def test_a_goal_that_nothing_could_decide_is_a_mistake_before_the_first_cell(suite, assertion, words):
    with pytest.raises(SuiteInvalidError, match=words):
        check_goals(with_goal(suite, assertion))
