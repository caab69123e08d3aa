"""What an arm gives, and whether an agent of kind command can be told of it."""

from __future__ import annotations

import pytest

from benchctl.agents import command
from benchctl.agents.base import Request
from benchctl.schema.suite import AgentSpec, Arm, Index, ToolServer

SERVER = ToolServer(argv=("{python}",), tools=("t",))
READS_INDEX = SERVER.model_copy(update={"env": {"I": "{indexes}/i"}})
INDEX = Index(repo="r", argv=("x", "{index}"))

# What an arm gives, the word that an argv needs for it, and how its lack is said.
GIVEN = {
    "effort": ({"effort": "high"}, "--effort={effort}", "effort"),
    "instructions": ({"instructions": "Be brief."}, "{instructions_file}", "instructions"),
    "tools": ({"tools": ("Read",)}, "{tools}", "tools"),
    "servers": ({"servers": {"g": SERVER}}, "{servers_file}", "servers"),
    "indexes": ({"indexes": {"i": INDEX}}, "{indexes}/i", "indexes"),
}


@pytest.mark.parametrize("case", GIVEN)
def test_an_agent_has_a_place_for_what_an_arm_gives_or_cannot_take_it(case):
    fields, word, name = GIVEN[case]
    arm = Arm(title="A", **fields)
    (why,) = command.unable(AgentSpec(argv=("x", "{prompt}")), arm)
    assert why.startswith(f"{name}: its argv has no {{")
    assert command.unable(AgentSpec(argv=("x", word)), arm) == ()
    assert command.unable(AgentSpec(argv=("x", word.replace("{", "{{").replace("}", "}}"))), arm), (
        "a literal brace is no place"
    )


def test_an_index_that_a_server_reads_need_not_be_told_to_the_agent():
    arm = Arm(title="A", indexes={"i": INDEX}, servers={"g": READS_INDEX})
    assert command.unable(AgentSpec(argv=("x", "{servers_file}")), arm) == ()


def test_an_arm_that_gives_nothing_can_be_told_to_anybody():
    assert command.unable(AgentSpec(argv=("x",)), Arm(title="A", prompt="Do: {prompt}")) == ()


def request(spec):
    return Request(
        spec=spec,
        question="",
        arm="",
        model="m1",
        prompt="",
        tree="/t",
        agent_dir="/a",
        scratch="/s",
        python="/p",
    )


def test_a_model_is_asked_for_by_the_suites_own_command():
    spec = AgentSpec(argv=("x",), accepts=("{python}", "{agent}/ask.py", "{model}"))
    assert command.acceptance(request(spec)).argv == ("/p", "/a/ask.py", "m1")
    assert command.acceptance(request(AgentSpec(argv=("x",)))) is None


def test_what_asks_for_a_model_knows_no_question():
    (mistake,) = command.mistakes(AgentSpec(argv=("x",), accepts=("ask", "{prompt}")))
    assert "`accepts` holds the unknown placeholder {prompt}" in mistake
