from __future__ import annotations

from dataclasses import replace

import pytest

from benchctl.planning.matrix import combinations
from benchctl.planning.refusals import refuse_ways, unreachable
from benchctl.planning.world import commands_of
from benchctl.schema.sandbox import SANDBOX_LEVELS


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
