"""What preflight has tried out before the first cell: programs, models, preparations, indexes and servers of tools.

What fails here costs an arm, an agent or a model, and nothing else: it is refused, and the rest can run. A step that
fails to make a tree ready would do so in every cell, and stops the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchctl.planning.world import Reason, commands_of_arm, starts_with
from benchctl.runner.acceptance import refused_models
from benchctl.runner.given import Given, Tried
from benchctl.runner.indexes import Indexes
from benchctl.runner.leak_check import index_leaks
from benchctl.runner.programs import program_records
from benchctl.runner.step_trials import failed_steps
from benchctl.runner.tool_servers import Taker, check_servers
from benchctl.runner.trials import Trials

if TYPE_CHECKING:
    from benchctl.planning.matrix import Combination
    from benchctl.runner.progress import Progress
    from benchctl.schema.suite import Suite

__all__ = ["try_out"]


def try_out(given: Given, ways: Sequence[Combination], progress: Progress) -> Tried:
    """Try everything that the combinations `ways` need, each thing once, and return what came of it."""
    trials = Trials(given.sandbox, given.root)
    tried = Tried()
    commands = given.found.commands
    tried.programs = program_records(_programs(given.suite, ways), commands, trials, given.root / "versions")
    tried.failed_agents.update(refused_models(given, ways, trials, progress))
    tried.problems.extend(failed_steps(given, ways, trials, progress))
    arms = _Arms(given, tried, trials, progress)
    for name in dict.fromkeys(way.arm for way in ways):
        agents = dict.fromkeys(way.agent for way in ways if way.arm == name)
        reason = arms.indexes(name) or arms.servers(name, tuple(agents))
        if reason is not None:
            tried.failed_arms[name] = reason
    return tried


def _programs(suite: Suite, ways: Sequence[Combination]) -> Iterator[str]:
    """Yield the command of every program that the combinations start, agents first."""
    for way in ways:
        yield from starts_with(suite.agents[way.agent].argv)
    for way in ways:
        yield from commands_of_arm(suite.arms[way.arm])
        for index in suite.arms[way.arm].indexes.values():
            yield from starts_with(index.argv)


class _Arms:
    """The trials of one arm after the other; each returns why the arm cannot be used, None where it can."""

    def __init__(self, given: Given, tried: Tried, trials: Trials, progress: Progress) -> None:
        self._given, self._tried, self._trials, self._progress = given, tried, trials, progress
        folder = given.root / "indexes"
        commands = given.found.commands
        self._indexes = Indexes(given.suite, given.suite_folder, folder, trials, commands, tried.folders)

    def indexes(self, name: str) -> Reason | None:
        """Make the indexes of an arm, and search them for answers."""
        given, tried, arm = self._given, self._tried, self._given.suite.arms[name]
        if not arm.indexes:
            return None
        self._progress.note(f"arm {name}: making and checking {', '.join(arm.indexes)}")
        records, reason = self._indexes.make(name, arm, corpora=given.found.corpora, bases=given.bases)
        tried.indexes.extend(records)
        for record in records:
            folder = tried.folders[name, record.repo] / record.index
            what = f"arms.{name}.indexes.{record.index}"
            tried.problems.extend(index_leaks(given.suite, what, folder, self._progress))
        return reason

    def servers(self, name: str, agents: Sequence[str]) -> Reason | None:
        """Start the servers of an arm, with the files of each of its agents where their commands ask for them."""
        given, arm = self._given, self._given.suite.arms[name]
        if not arm.servers:
            return None
        self._progress.note(f"arm {name}: starting {', '.join(arm.servers)} to list the tools")
        records, reason = check_servers(
            name,
            arm,
            trials=self._trials,
            grant=given.grants[name],
            bases=given.bases,
            agents=tuple(Taker(given.suite.agents[agent], given.agent_dirs.get(agent)) for agent in agents),
            indexes=self._tried.folders,
        )
        self._tried.servers.extend(records)
        return reason
