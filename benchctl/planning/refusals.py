"""Which ways of answering cannot be honoured on this machine, and why.

A refusal is a result: it is printed, recorded in run.json and shown in every report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchctl.planning.matrix import Combination, combinations
from benchctl.planning.selection import Selection
from benchctl.planning.world import (
    Reason,
    World,
    commands_of_agent,
    commands_of_arm,
    needed_variables,
    starts_with,
)
from benchctl.schema.run import RefusalRecord
from benchctl.schema.sandbox import satisfies
from benchctl.schema.suite import Caps, Suite

__all__ = ["known_refusals", "refuse_ways", "unreachable"]

_INSTALL = "install it, or put its folder on the PATH of this command"

_Lost = tuple[str | None, str | None, str | None]
"""What is refused: (arm, agent, model), None for all of that axis."""


def known_refusals(
    suite: Suite, selection: Selection, world: World, caps: Caps | None = None
) -> tuple[tuple[Combination, ...], tuple[RefusalRecord, ...]]:
    """Return the selected combinations that can run, and every refusal of the others; `refuse_ways` of a selection."""
    wanted = [way for way in combinations(suite) if selection.takes_way(way)]
    ways, refusals = refuse_ways(suite, wanted, world, caps)
    return ways, refusals + unreachable(suite, selection.arms or suite.arms, wanted)


def refuse_ways(
    suite: Suite, ways: Sequence[Combination], world: World, caps: Caps | None = None
) -> tuple[tuple[Combination, ...], tuple[RefusalRecord, ...]]:
    """Return the combinations that can run, and one refusal for each arm, agent, model or pair that cannot.

    `caps` are those of the plan, the suite's own by default. A refusal is not required where every
    combination that it costs has an optional arm or an optional agent.
    """
    found = dict(_problems(suite, ways, world, caps or suite.caps))
    refusals = [
        RefusalRecord(
            arm=lost[0],
            agent=lost[1],
            model=lost[2],
            reason=reason.why,
            next_step=reason.next_step,
            required=_required(suite, ways, lost),
        )
        for lost, reason in found.items()
    ]
    return tuple(way for way in ways if not any(_meets(way, lost) for lost in found)), tuple(refusals)


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


def _problems(
    suite: Suite, ways: Sequence[Combination], world: World, caps: Caps
) -> Iterator[tuple[_Lost, Reason]]:
    """Yield what cannot be honoured; a pair is looked at only where both of it could be."""
    arms = {way.arm: _arm_problem(suite, way.arm, world) for way in ways}
    agents = {way.agent: _agent_problem(suite, way.agent, world, caps) for way in ways}
    models = {(way.agent, way.model): _model_problem(suite, way, world, caps) for way in ways}
    yield from (((arm, None, None), reason) for arm, reason in arms.items() if reason)
    yield from (((None, agent, None), reason) for agent, reason in agents.items() if reason)
    yield from (
        ((None, agent, model), reason)
        for (agent, model), reason in models.items()
        if reason and not agents[agent]
    )
    for arm, agent in dict.fromkeys((way.arm, way.agent) for way in ways):
        reason = world.unable.get((arm, agent))
        if reason and not arms[arm] and not agents[agent]:
            yield (arm, agent, None), reason


def _arm_problem(suite: Suite, name: str, world: World) -> Reason | None:
    arm = suite.arms[name]
    builders = (command for index in arm.indexes.values() for command in starts_with(index.argv))
    wanted = dict.fromkeys([*commands_of_arm(arm), *builders])
    if missing := [command for command in wanted if command not in world.commands]:
        return Reason(_not_found(missing), arm.install or _INSTALL)
    if world.sandbox and not satisfies(world.sandbox, arm.sandbox):
        return Reason(
            f"it asks for sandbox {arm.sandbox}, this machine gives {world.sandbox}", "see `benchctl doctor`"
        )
    return world.failed_arms.get(name)


def _agent_problem(suite: Suite, name: str, world: World, caps: Caps) -> Reason | None:
    agent = suite.agents[name]
    if missing := [command for command in commands_of_agent(agent) if command not in world.commands]:
        return Reason(_not_found(missing), _INSTALL)
    if world.variables is not None and (
        unset := [name for name in needed_variables(agent) if name not in world.variables]
    ):
        are = "is" if len(unset) == 1 else "are"
        return Reason(
            f"{', '.join(unset)} {are} not set, or empty",
            f"set {'it' if len(unset) == 1 else 'them'} in the environment of this command",
        )
    held = world.capabilities.get(name)
    if held:
        counted = {"tool_calls": held.counts_tool_calls, "events": held.counts_events}
        if loose := [cap for cap, counts in counted.items() if getattr(caps, cap) is not None and not counts]:
            return Reason(
                f"nothing counts its {' and '.join(loose)} while it runs, so the cap could not end it",
                f"give agents.{name}.counts a pattern, or leave the cap out",
            )
    return world.failed_agents.get((name, None))


def _model_problem(suite: Suite, way: Combination, world: World, caps: Caps) -> Reason | None:
    held = world.capabilities.get(way.agent)
    if held and way.model != "none":
        limits = {
            "caps.tokens": (caps.tokens, held.reports_tokens, "tokens"),
            "caps.cost_usd": (caps.cost_usd, held.reports_cost, "cost"),
            "run.spend_usd": (suite.run.spend_usd, held.reports_cost, "cost"),
        }
        for name, (limit, reported, noun) in limits.items():
            if limit is not None and not reported:
                return Reason(
                    f"it reports no {noun}, so {name} could not hold it",
                    f"say in agents.{way.agent}.reply where it does, or leave the limit out",
                )
    return world.failed_agents.get((way.agent, way.model))


def _not_found(missing: Sequence[str]) -> str:
    return f"{', '.join(missing)} not found on the PATH"


def _meets(way: Combination, lost: _Lost) -> bool:
    return all(name in (None, own) for name, own in zip(lost, (way.arm, way.agent, way.model), strict=True))


def _required(suite: Suite, ways: Sequence[Combination], lost: _Lost) -> bool:
    """Return whether any of the lost combinations was one that the suite does not call optional."""
    return any(
        not suite.arms[way.arm].optional and not suite.agents[way.agent].optional
        for way in ways
        if _meets(way, lost)
    )
