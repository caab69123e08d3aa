from __future__ import annotations

import pytest

from benchctl.planning.goals import goal_mistakes
from benchctl.schema.suite import Goal


def with_goals(suite, *assertions):
    goals = (
        Goal(id=f"g{number}", title="a rule", assertion=assertion)
        for number, assertion in enumerate(assertions)
    )
    return suite.model_copy(update={"goals": tuple(goals)})


def test_a_goal_that_refers_to_rows_is_fine(suite):
    assert list(goal_mistakes(with_goals(suite, "score.macro > 0.5 and n_failed = 0"))) == []
    assert list(goal_mistakes(suite)) == []


@pytest.mark.parametrize(
    ("assertion", "words"),
    [
        ("score.macro >", "goal 'g1': "),  # cut off
        ("2 > 1", "whatever the run says"),  # no row could change it
        ("(" * 5000 + "1", "goal 'g1': "),
        (
            "f1(grep) > 0.5 and tok(a) < 3",
            "goal 'g1' calls `f1`, `tok`",
        ),  # the run does not hold the project's names
    ],
)
def test_a_goal_that_nothing_could_decide_is_a_mistake_before_the_first_cell(suite, assertion, words):
    ((path, message),) = goal_mistakes(with_goals(suite, "count > 0", assertion))
    assert path == ("goals", 1, "assertion")
    assert words in message
