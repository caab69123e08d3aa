from __future__ import annotations

import pytest

from benchctl.agents import AGENTS
from benchctl.planning.suite_check import suite_mistakes
from benchctl.schema.suite import Goal, GoldMethod, QuestionGold


def mistakes(suite):
    return list(suite_mistakes(suite, AGENTS, ("gold", "path")))


def with_agent(suite, **fields):
    agents = {**suite.agents, "script": suite.agents["script"].model_copy(update=fields)}
    return suite.model_copy(update={"agents": agents})


def with_question(suite, index, **fields):
    questions = list(suite.questions)
    questions[index] = questions[index].model_copy(update=fields)
    return suite.model_copy(update={"questions": tuple(questions)})


def test_a_good_suite_has_no_mistake(suite):
    assert mistakes(suite) == []


def test_an_unknown_kind_of_agent_is_a_mistake_that_names_the_known_ones(suite):
    ((path, message),) = mistakes(with_agent(suite, kind="oracle"))
    assert path == ("agents", "script", "kind")
    assert "'oracle'" in message
    assert "command" in message


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ((), "nothing to start"),
        (("  ",), "nothing to start"),
        (("x", "{treee}"), "unknown placeholder {treee}"),
        (("x", "{gold}/k"), "unknown placeholder {gold}"),
        (("x", "{tree"), "without a closing brace"),
        (("x", "{tree!r}"), "without a closing brace"),
        (("x", "{tree.parent}"), "without a closing brace"),
        (("x", "{}"), "names nothing"),
    ],
)
def test_a_command_line_that_could_not_be_filled_is_a_mistake(suite, argv, words):
    ((path, message),) = mistakes(with_agent(suite, argv=argv))
    assert path == ("agents", "script", "argv")
    assert words in message


@pytest.mark.parametrize("word", ["{{tree}}", "{{}}", "{{tree!r}}", '{"a": {}1}', "*.{py,pyi}", "{1}", "}{"])
def test_braces_that_are_meant_literally_are_none(suite, word):
    assert mistakes(with_agent(suite, argv=("x", word.replace("{}1", "1")))) == []


def test_a_gold_method_has_its_own_placeholders(suite):
    methods = (*suite.gold_methods, GoldMethod(title="three", argv=("{python}", "{gold}/x", "{scratch}")))
    ((path, message),) = mistakes(suite.model_copy(update={"gold_methods": methods}))
    assert path == ("gold_methods", 2, "argv")
    assert "{scratch}" in message


def test_an_unknown_grader_and_a_goal_that_does_not_parse_are_mistakes(suite):
    goal = Goal(id="g", title="g", assertion="score >")
    changed = with_question(suite, 0, grader="oracle").model_copy(update={"goals": (goal,)})
    assert [path for path, _ in mistakes(changed)] == [("questions", 0, "grader"), ("goals", 0, "assertion")]


@pytest.mark.parametrize(
    ("prompt", "quoted"),
    [
        ("Is it a.py::one?", True),
        ("a.py::one", True),
        ("Is it a.py::one_more?", False),  # another word
        ("Is it aa.py::one?", False),
    ],
)
def test_a_prompt_that_quotes_its_own_gold_is_a_mistake(suite, prompt, quoted):
    changed = with_question(suite, 4, prompt=prompt, gold=QuestionGold(items=("a.py::one",)))
    assert [path for path, _ in mistakes(changed)] == ([("questions", 4, "gold")] if quoted else [])
