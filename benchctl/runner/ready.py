"""Everything that preflight has made sure of, handed on to the cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchctl.planning.plan import Plan
from benchctl.planning.questions import GoldOutcome
from benchctl.runner.grants import Grant
from benchctl.runner.shard import Shard
from benchctl.schema.run import PlannedCell, RunRecord
from benchctl.schema.suite import Question, Suite
from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.leaks import Needles
from benchctl.workspace.sandbox import Sandbox
from benchctl.workspace.tree import Base

__all__ = ["Ready"]


@dataclass(frozen=True, slots=True)
class Ready:
    """A run that may start. `root` is a temporary folder outside the project, gone when the command ends.

    `bases` holds a tree for each repository, `agent_dirs` a copy of each agent's files, `grants` one
    entry an arm, `agent_grants` one an agent, `gold` an outcome a question. `shard` is the part that is
    collected here, None the whole; `again` is the command line that continues the run. `indexes` holds, by arm
    and repository, a folder with one folder for each index; `needles` are what of the key no cell may show.
    `baseline_reps` empty runs measure the floor of each way of answering.
    """

    record: RunRecord
    suite: Suite
    suite_text: str
    plan: Plan
    gold: Mapping[str, GoldOutcome]
    sandbox: Sandbox
    root: Path
    bases: Mapping[str, Base]
    agent_dirs: Mapping[str, Path]
    grants: Mapping[str, Grant]
    shard: Shard | None
    again: str
    indexes: Mapping[tuple[str, str], Path] = field(default_factory=dict)
    needles: Needles = field(default_factory=Needles)
    agent_grants: Mapping[str, Grant] = field(default_factory=dict)
    baseline_reps: int = 0

    def reads(self, planned: PlannedCell) -> tuple[Path, ...]:
        """Return all that a cell may read beside its own folders: interpreter, agent files, its arm's commands and indexes."""
        given = (self.agent_dirs.get(planned.agent), self.indexes_of(planned))
        own = (path for grant in self._grants(planned) for path in grant.reads)
        return (*interpreter_reads(), *own, *(path for path in given if path))

    def commands(self, planned: PlannedCell) -> str | None:
        """Return what comes first on a cell's PATH: the folder of its arm's commands, then that of its agent's own."""
        folders = [str(grant.commands) for grant in self._grants(planned) if grant.commands]
        return ":".join(folders) or None

    def _grants(self, planned: PlannedCell) -> tuple[Grant, Grant]:
        return self.grants[planned.arm], self.agent_grants.get(planned.agent, Grant())

    def indexes_of(self, planned: PlannedCell) -> Path | None:
        """Return the folder of the indexes that a cell's arm reads of its repository, one folder an index; None without any."""
        return self.indexes.get((planned.arm, planned.repo))

    def cells(self) -> tuple[PlannedCell, ...]:
        """Return the cells that are collected here, in the recorded order."""
        return tuple(cell for cell in self.record.cells if self.shard is None or self.shard.takes(cell))

    def question(self, name: str) -> Question:
        """Return a question of the suite."""
        return next(question for question in self.suite.questions if question.id == name)
