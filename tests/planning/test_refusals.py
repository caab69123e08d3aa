from __future__ import annotations

from dataclasses import replace

import pytest

from benchctl.agents.base import Capabilities
from benchctl.planning.matrix import combinations
from benchctl.planning.refusals import refuse_ways, unreachable
from benchctl.planning.world import Reason, commands_of, commands_of_arm, needed_variables, variables_of
from benchctl.schema.sandbox import SANDBOX_LEVELS
from benchctl.schema.suite import Caps, Index, Injected, ToolServer


def changed(suite, table, name, **fields):
    parts = {**getattr(suite, table)}
    parts[name] = parts[name].model_copy(update=fields)
    return suite.model_copy(update={table: parts})


def refused(suite, world):
    ways, refusals = refuse_ways(suite, combinations(suite), world)
    return {(way.arm, way.agent) for way in ways}, refusals


def test_nothing_is_refused_where_everything_is_there(suite, world):
    ways, refusals = refused(suite, world)
    assert len(ways) == 4
    assert refusals == ()


def test_commands_of_a_suite_are_those_of_arms_and_agents(suite):
    assert commands_of(suite) == {"rg", "graphify", "big"}


MISSING = {
    "rg": ("grep", True, "pip install ripgrep"),
    "graphify": ("graph", False, "pip install graphify"),  # optional: refused all the same, with the line
}


@pytest.mark.parametrize("lost", MISSING)
def test_an_arm_without_its_command_is_refused_with_the_install_line(suite, world, lost):
    arm, required, install = MISSING[lost]
    ways, (refusal,) = refused(suite, replace(world, commands=world.commands - {lost}))
    assert arm not in {way for way, _ in ways}
    assert (refusal.arm, refusal.reason, refusal.next_step) == (arm, f"{lost} not found on the PATH", install)
    assert refusal.required is required


def test_an_optional_agent_without_its_command_costs_nothing(suite, world):
    ways, (refusal,) = refused(suite, replace(world, commands=world.commands - {"big"}))
    assert {agent for _, agent in ways} == {"script"}
    assert (refusal.agent, refusal.arm, refusal.required) == ("model", None, False)


def test_a_required_agent_that_only_meets_optional_arms_is_not_required(suite, world):
    suite = changed(suite, "agents", "model", optional=False, arms=("graph",))
    _, (refusal,) = refused(suite, replace(world, commands=world.commands - {"big"}))
    assert refusal.required is False


@pytest.mark.parametrize(
    ("wanted", "given", "is_refused"),
    [
        (None, "none", False),
        ("bwrap", None, False),  # the dry run proves no sandbox
        ("bwrap", "bwrap", False),
        ("bwrap+landlock", "bwrap", False),
        ("bwrap", "bwrap+landlock", True),  # the network is shared there
        ("bwrap", "landlock", True),
        ("landlock", "none", True),
    ],
)
def test_an_arm_that_asks_for_more_containment_than_there_is_is_refused(
    suite, world, wanted, given, is_refused
):
    suite = changed(suite, "arms", "grep", sandbox=wanted)
    ways, refusals = refused(suite, replace(world, sandbox=given))
    assert bool(refusals) is is_refused
    assert ("grep" not in {arm for arm, _ in ways}) is is_refused


def test_the_ladder_has_every_level_once():
    assert len(set(SANDBOX_LEVELS)) == len(SANDBOX_LEVELS) == 6


def test_an_arm_that_nobody_selected_takes_is_a_refusal(suite):
    only_model = [way for way in combinations(suite) if way.agent == "model"]
    refusals = unreachable(suite, ("grep", "index", "graph"), only_model)
    assert [(refusal.arm, refusal.required) for refusal in refusals] == [("grep", True), ("graph", False)]


def with_caps(world, **held):
    base = {"withholds_tools": False, "reports_tokens": False, "reports_cost": False}
    base |= {"reports_tool_calls": False, "resumes_session": False}
    able = Capabilities(**(base | held))
    return replace(world, capabilities={"script": able, "model": able})


def reasons(suite, world, caps=None):
    _, refusals = refuse_ways(suite, combinations(suite), world, caps)
    return {(each.arm, each.agent, each.model): each.reason for each in refusals}


# A limit that nothing could hold, what reports it, and what is refused without.
LIMITS = {
    "tool calls": (
        Caps(tool_calls=9),
        {"counts_tool_calls": True},
        {(None, "script", None), (None, "model", None)},
    ),
    "events": (Caps(events=9), {"counts_events": True}, {(None, "script", None), (None, "model", None)}),
    "tokens": (Caps(tokens=9), {"reports_tokens": True}, {(None, "model", "m1"), (None, "model", "m2")}),
    "cost": (Caps(cost_usd=9.0), {"reports_cost": True}, {(None, "model", "m1"), (None, "model", "m2")}),
}


@pytest.mark.parametrize("case", LIMITS)
def test_a_cap_that_nothing_could_hold_refuses_the_agent(suite, world, case):
    caps, able, lost = LIMITS[case]
    assert set(reasons(suite, with_caps(world), caps)) == lost
    assert reasons(suite, with_caps(world, **able), caps) == {}
    assert reasons(suite, world, caps) == {}, "nobody has asked the adapters"


def test_a_run_with_a_spend_limit_needs_agents_that_report_their_cost(suite, world):
    limited = suite.model_copy(update={"run": suite.run.model_copy(update={"spend_usd": 5.0})})
    found = reasons(limited, with_caps(world))
    assert set(found) == {(None, "model", "m1"), (None, "model", "m2")}, (
        "a script without a model costs nothing"
    )
    assert found[None, "model", "m1"] == "it reports no cost, so run.spend_usd could not hold it"
    assert reasons(limited, with_caps(world, reports_cost=True)) == {}


def agent_with(suite, **fields):
    agents = {**suite.agents, "script": suite.agents["script"].model_copy(update=fields)}
    return suite.model_copy(update={"agents": agents})


DOOR = Injected(upstream="https://api.example.org", secret="DOOR_KEY")

# What an agent names, which variables it then needs.
VARIABLES = {
    "a secret": ({"secrets": ("MINE",)}, ("MINE",)),
    "an injected key": ({"inject": {"BASE_URL": DOOR}}, ("DOOR_KEY",)),
    "a key passed on": ({"env": ("OPENAI_API_KEY", "LANGUAGE")}, ("OPENAI_API_KEY",)),
    "words that only look like a key": ({"env": ("MAX_TOKENS", "KEYBOARD", "TOKENIZER")}, ()),
    "any case": ({"env": ("my_token", "Db_Password")}, ("my_token", "Db_Password")),
    "one twice": ({"secrets": ("API_KEY",), "env": ("API_KEY",)}, ("API_KEY",)),
}


@pytest.mark.parametrize("case", VARIABLES)
def test_a_key_that_is_not_set_refuses_the_agent(suite, world, case):
    fields, needed = VARIABLES[case]
    suite = agent_with(suite, **fields)
    assert needed_variables(suite.agents["script"]) == needed
    assert variables_of(suite) == set(needed)
    found = reasons(suite, replace(world, variables=frozenset()))
    assert set(found) == ({(None, "script", None)} if needed else set())
    assert all(name in found[None, "script", None] for name in needed)
    assert reasons(suite, replace(world, variables=frozenset(needed))) == {}


def test_the_commands_of_an_arm_are_those_it_requires_and_those_of_its_servers_and_indexes(suite, world):
    servers = {
        "g": ToolServer(argv=("graph-mcp", "x"), tools=("t",)),
        "p": ToolServer(argv=("{python}",), tools=("t",)),
    }
    indexes = {"i": Index(repo="alpha", argv=("build-graph", "{index}"))}
    arm = suite.arms["index"].model_copy(update={"servers": servers, "indexes": indexes, "install": "pip it"})
    suite = suite.model_copy(update={"arms": {**suite.arms, "index": arm}})
    assert commands_of(suite) >= {"graph-mcp", "build-graph"}
    assert commands_of_arm(arm) == ("graph-mcp",), "a cell may not build what it is given"
    _, (refusal,) = refuse_ways(suite, combinations(suite), world)
    assert (refusal.reason, refusal.next_step) == ("graph-mcp, build-graph not found on the PATH", "pip it")


def test_what_preflight_tried_in_vain_is_refused_and_a_pair_costs_only_itself(suite, world):
    tried = replace(
        world,
        failed_arms={"grep": Reason("its server is dead", "mend it")},
        failed_agents={("model", "m2"): Reason("not accepted")},
        unable={("index", "script"): Reason("no effort"), ("grep", "script"): Reason("no tools")},
    )
    ways, refusals = refuse_ways(suite, combinations(suite), tried)
    assert [(each.arm, each.agent, each.model, each.required) for each in refusals] == [
        ("grep", None, None, True),
        (None, "model", "m2", False),  # the agent is optional
        ("index", "script", None, True),
    ]
    assert {(way.arm, way.agent, way.model) for way in ways} == {
        ("index", "model", "m1"),
        ("graph", "script", "none"),
    }


def test_an_agent_whose_program_is_of_no_use_is_refused_once(suite, world):
    tried = replace(
        world, failed_agents={("script", None): Reason("broken"), ("script", "none"): Reason("no")}
    )
    assert reasons(suite, tried) == {(None, "script", None): "broken"}
