"""Which ways of answering cannot be honoured on this machine, and why.

A refusal is a result: it is printed, recorded in run.json and shown in every report.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchctl.planning.matrix import Combination
from benchctl.planning.world import World, starts_with
from benchctl.schema.run import RefusalRecord
from benchctl.schema.sandbox import satisfies
from benchctl.schema.suite import Suite

__all__ = ["refuse_ways", "unreachable"]


def refuse_ways(
    suite: Suite, ways: Sequence[Combination], world: World
) -> tuple[tuple[Combination, ...], tuple[RefusalRecord, ...]]:
    """Return the combinations that can run, and one refusal for each arm or agent that cannot.

    A refusal is not required where the arm, or every agent it would have met, is optional.
    """
    arms = {way.arm: _arm_problem(suite, way.arm, world) for way in ways}
    agents = {way.agent: _agent_problem(suite, way.agent, world) for way in ways}
    refusals = [
        RefusalRecord(
            arm=arm, reason=problem[0], next_step=problem[1], required=_required(suite, ways, arm=arm)
        )
        for arm, problem in arms.items()
        if problem
    ]
    refusals += [
        RefusalRecord(
            agent=agent, reason=problem[0], next_step=problem[1], required=_required(suite, ways, agent=agent)
        )
        for agent, problem in agents.items()
        if problem
    ]
    return tuple(way for way in ways if not arms[way.arm] and not agents[way.agent]), tuple(refusals)


def unreachable(suite: Suite, names: Iterable[str], ways: Sequence[Combination]) -> tuple[RefusalRecord, ...]:
    """Return a refusal for each wanted arm that no selected agent takes."""
    taken = {way.arm for way in ways}
    return tuple(
        RefusalRecord(
            arm=arm,
            reason="no selected agent and model takes this arm",
            next_step="see `arms` and `models` of [agents.*] in the suite, or widen --agents and --models",
            required=not suite.arms[arm].optional,
        )
        for arm in names
        if arm not in taken
    )


def _arm_problem(suite: Suite, name: str, world: World) -> tuple[str, str] | None:
    arm = suite.arms[name]
    if missing := [command for command in arm.requires if command not in world.commands]:
        return _not_found(missing), arm.install
    wanted, given = arm.sandbox, world.sandbox
    if given and not satisfies(given, wanted):
        return f"it asks for sandbox {wanted}, this machine gives {given}", "see `benchctl doctor`"
    return None


def _agent_problem(suite: Suite, name: str, world: World) -> tuple[str, str] | None:
    agent = suite.agents[name]
    if missing := [command for command in starts_with(agent.argv) if command not in world.commands]:
        return _not_found(missing), ""
    return None


def _not_found(missing: Sequence[str]) -> str:
    return f"{', '.join(missing)} not found on the PATH"


def _required(
    suite: Suite, ways: Sequence[Combination], *, arm: str | None = None, agent: str | None = None
) -> bool:
    """Return whether any of the lost combinations was one that the suite does not call optional."""
    lost = (way for way in ways if arm in (None, way.arm) and agent in (None, way.agent))
    return any(not suite.arms[way.arm].optional and not suite.agents[way.agent].optional for way in lost)
