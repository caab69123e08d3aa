from __future__ import annotations

import pytest

from benchctl.agents import AGENTS
from benchctl.planning.suite_check import suite_mistakes
from benchctl.schema.suite import Goal, GoldMethod, Index, QuestionGold, Step, ToolServer


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


def test_a_prompt_that_no_command_line_can_hold_is_a_mistake_where_it_would_stand_on_one(suite):
    """The system takes less than 128 KiB in a word; the agent would not start, and its arm would be charged."""
    long = with_question(suite, 1, prompt="é" * 61_440)
    assert mistakes(with_agent(long, argv=("x", "--ask={prompt}"), arms=("grep",))) == []
    longer = with_question(suite, 1, prompt="é" * 61_441)
    ((path, message),) = mistakes(with_agent(longer, argv=("x", "--ask={prompt}"), arms=("grep",)))
    assert path == ("questions", 1, "prompt")
    assert "is 122,882 bytes in arm grep, which agents.script gets" in message
    assert "take {prompt_file}" in message
    assert mistakes(with_agent(longer, argv=("x", "{prompt_file}", "{{prompt}}"))) == []


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


SERVER = ToolServer(argv=("{python}", "{tree}"), tools=("callers",))


def with_arm(suite, **fields):
    return suite.model_copy(
        update={"arms": {**suite.arms, "grep": suite.arms["grep"].model_copy(update=fields)}}
    )


# What an arm grants or gives, and where and how that is wrong; an empty list where it is right.
GIVEN = {
    "a tool of a server": ({"tools": ("Read", "g.callers"), "servers": {"g": SERVER}}, []),
    "a tool of no server": (
        {"tools": ("h.callers",), "servers": {"g": SERVER}},
        [("tools", "grants 'h.callers', and the arm has no server 'h'")],
    ),
    "a tool that its server does not grant": (
        {"tools": ("g.callees",), "servers": {"g": SERVER}},
        [("tools", "grants 'g.callees', which is none of the `tools` of the server 'g'")],
    ),
    "an unknown place": (
        {"servers": {"g": SERVER.model_copy(update={"argv": ("{gold}",), "env": {"X": "{cell}"}})}},
        [("argv", "{gold}"), ("env", "{cell}")],
    ),
    "a tool twice": (
        {"servers": {"g": SERVER.model_copy(update={"tools": ("a", "a")})}},
        [("tools", "names a tool twice")],
    ),
    "an index": ({"indexes": {"i": Index(repo="alpha", argv=("x", "{index}"))}}, []),
    "an index of nothing": (
        {"indexes": {"i": Index(repo="gamma", argv=("x", "{index}"))}},
        [("repo", "no repository 'gamma'")],
    ),
    "an index that fills nothing": (
        {"indexes": {"i": Index(repo="alpha", argv=("x", "{tree}"))}},
        [("argv", "names no {index}")],
    ),
    "an index with an unknown place": (
        {"indexes": {"i": Index(repo="alpha", argv=("{agent}", "{index}"))}},
        [("argv", "{agent}")],
    ),
    "no pointer": (
        {"indexes": {"i": Index(repo="alpha", files="i", facts="f", covers="files", commit="/a~2")}},
        [("covers", "'files' is no JSON pointer"), ("commit", "'/a~2' is no JSON pointer")],
    ),
    "no pointer to digests": (
        {"indexes": {"i": Index(repo="alpha", files="i", facts="f", covers="/f", digests="sha256")}},
        [("digests", "'sha256' is no JSON pointer")],
    ),
}


@pytest.mark.parametrize("case", GIVEN)
def test_what_an_arm_grants_or_gives_is_checked_before_anything_starts(suite, case):
    fields, wrong = GIVEN[case]
    found = mistakes(with_arm(suite, **fields))
    assert len(found) == len(wrong)
    for (path, message), (last, words) in zip(found, wrong, strict=True):
        assert path[:2] == ("arms", "grep")
        assert path[-1] == last
        assert words in message


@pytest.mark.parametrize(
    ("pattern", "words"),
    [("(", "is no regular expression"), ("x*", "fits nothing at all"), ("tool_call", None)],
)
def test_a_pattern_that_is_counted_fits_something(suite, pattern, words):
    found = mistakes(with_agent(suite, counts={"tool_calls": pattern}))
    assert len(found) == (words is not None)
    for path, message in found:
        assert path == ("agents", "script", "counts", "tool_calls")
        assert words in message


@pytest.mark.parametrize("what", ["prepare", "check"])
def test_a_step_has_places_of_its_own(suite, what):
    steps = {what: Step(argv=("make", "{tree}", "{prompt}"))}
    repos = {**suite.repos, "alpha": suite.repos["alpha"].model_copy(update=steps)}
    ((path, message),) = mistakes(suite.model_copy(update={"repos": repos}))
    assert path == ("repos", "alpha", what, "argv")
    assert "{prompt}" in message
