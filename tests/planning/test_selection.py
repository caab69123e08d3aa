from __future__ import annotations

import pytest

from benchctl.errors import OptionInvalidError
from benchctl.planning.selection import Selection, check_selection


@pytest.mark.parametrize(
    ("selection", "says"),
    [
        (Selection(arms=("grpe",)), "--arms: no arm 'grpe'"),
        (Selection(agents=("scrpt",)), "--agents: no agent 'scrpt'"),
        (Selection(models=("m9",)), "--models: no model 'm9'"),
        (Selection(questions=("a9",)), "--only: no question 'a9'"),
        (Selection(questions=("d1",)), "'d1' of --only is a practice question"),
        (Selection(questions=("a1",), practice=True), "'a1' of --only is no practice question"),
    ],
)
def test_a_name_that_is_not_in_the_suite_is_an_error(suite, selection, says):
    with pytest.raises(OptionInvalidError, match=says.replace("(", r"\(")):
        check_selection(suite, selection)


def test_the_error_names_what_is_near_and_what_there_is(suite):
    with pytest.raises(OptionInvalidError) as caught:
        check_selection(suite, Selection(arms=("grpe",)))
    assert caught.value.next_step == "did you mean grep or graph?"
    assert caught.value.expected == "one of graph, grep, index"
    with pytest.raises(OptionInvalidError) as caught:
        check_selection(suite, Selection(arms=("zzz",)))
    assert caught.value.next_step is None


def only(suite, *, practice):
    kept = tuple(question for question in suite.questions if suite.practice(question) == practice)
    return suite.model_copy(update={"questions": kept})


@pytest.mark.parametrize("practice", [True, False])
def test_a_suite_without_the_sort_of_question_that_is_asked_for_says_so(suite, practice):
    with pytest.raises(OptionInvalidError, match="practice question"):
        check_selection(only(suite, practice=practice), Selection(practice=not practice))
    check_selection(only(suite, practice=practice), Selection(practice=practice))


def test_names_of_the_suite_pass(suite):
    check_selection(suite, Selection())
    check_selection(suite, Selection(("a1",), ("grep",), ("model",), ("m1", "none")))
    check_selection(suite, Selection(("d1",), practice=True))
