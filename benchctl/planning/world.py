"""What a plan has to know about the machine and the trees, handed in as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchctl.schema.run import CorpusRecord
from benchctl.schema.suite import SandboxLevel, Suite

__all__ = ["World", "commands_of", "starts_with"]


@dataclass(frozen=True, slots=True)
class World:
    """Facts for a plan.

    `commands` are those of `commands_of(suite)` that were found; `sandbox` is the level in force, None
    where it was not proven (the dry run proves nothing); `corpora` by repository; `agent_files` by agent, the digest of the files it ships with.
    """

    commands: frozenset[str]
    corpora: Mapping[str, CorpusRecord]
    sandbox: SandboxLevel | None = None
    agent_files: Mapping[str, str] = field(default_factory=dict)


def commands_of(suite: Suite) -> frozenset[str]:
    """Return every command whose presence decides about a cell: what arms require and agents start with."""
    required = {command for arm in suite.arms.values() for command in arm.requires}
    return frozenset(
        required | {command for agent in suite.agents.values() for command in starts_with(agent.argv)}
    )


def starts_with(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command an argv starts, or nothing where a placeholder stands for it."""
    return tuple(word for word in argv[:1] if "{" not in word)
