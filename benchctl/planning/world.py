"""What a plan has to know about the machine and the trees, handed in as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchctl.agents.base import Capabilities
from benchctl.schema.run import CorpusRecord
from benchctl.schema.secret_names import sounds_secret
from benchctl.schema.suite import AgentSpec, Arm, SandboxLevel, Suite

__all__ = [
    "Reason",
    "World",
    "commands_of",
    "commands_of_agent",
    "commands_of_arm",
    "needed_variables",
    "starts_with",
    "variables_of",
]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something cannot be had here, and what to do about it."""

    why: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class World:
    """Facts for a plan.

    `commands` are those of `commands_of(suite)` that were found, `variables` those of `variables_of(suite)`
    that are set and not empty. `sandbox` is the level in force, None where it was not proven (the dry run
    proves nothing); `corpora` by repository; `agent_files` by agent, the digest of the files it ships with,
    `index_files` by arm and index. `unable` says by arm and agent what the agent cannot be told or held to.
    `failed_arms` are those whose servers or indexes preflight has tried in vain, `failed_agents` those whose
    program (the model None) or whose model it has. `capabilities` are those of each agent. None or an empty
    mapping is "nobody has looked".
    """

    commands: frozenset[str]
    corpora: Mapping[str, CorpusRecord]
    sandbox: SandboxLevel | None = None
    agent_files: Mapping[str, str] = field(default_factory=dict)
    index_files: Mapping[tuple[str, str], str] = field(default_factory=dict)
    variables: frozenset[str] | None = None
    unable: Mapping[tuple[str, str], Reason] = field(default_factory=dict)
    failed_arms: Mapping[str, Reason] = field(default_factory=dict)
    failed_agents: Mapping[tuple[str, str | None], Reason] = field(default_factory=dict)
    capabilities: Mapping[str, Capabilities] = field(default_factory=dict)


def commands_of(suite: Suite) -> frozenset[str]:
    """Return every command whose presence decides about a cell: what arms start and agents start with."""
    required = {command for arm in suite.arms.values() for command in commands_of_arm(arm)}
    built = {
        command
        for arm in suite.arms.values()
        for index in arm.indexes.values()
        for command in starts_with(index.argv)
    }
    own = {command for agent in suite.agents.values() for command in commands_of_agent(agent)}
    return frozenset(required | built | own)


def commands_of_agent(agent: AgentSpec) -> tuple[str, ...]:
    """Return the commands that an agent itself starts with: its own, and the one that asks for its models."""
    return tuple(dict.fromkeys([*starts_with(agent.argv), *starts_with(agent.accepts)]))


def commands_of_arm(arm: Arm) -> tuple[str, ...]:
    """Return the commands that a cell of an arm may start: those it requires, and those of its servers."""
    served = (command for server in arm.servers.values() for command in starts_with(server.argv))
    return tuple(dict.fromkeys([*arm.requires, *served]))


def starts_with(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command an argv starts, or nothing where a placeholder stands for it."""
    return tuple(word for word in argv[:1] if "{" not in word)


def variables_of(suite: Suite) -> frozenset[str]:
    """Return the names of the caller's variables without which some agent of the suite cannot be started."""
    return frozenset(name for spec in suite.agents.values() for name in needed_variables(spec))


def needed_variables(spec: AgentSpec) -> tuple[str, ...]:
    """Return the variables that an agent cannot do without: its secrets, what is injected, and the keys that it passes on.

    Any other variable of `env` that is not set stays unset.
    """
    injected = (each.secret for each in spec.inject.values())
    keys = (name for name in spec.env if sounds_secret(name))
    return tuple(dict.fromkeys([*spec.secrets, *injected, *keys]))
