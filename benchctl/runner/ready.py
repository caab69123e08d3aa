"""Everything that preflight has made sure of, handed on to the cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchctl.planning.plan import Plan
from benchctl.planning.questions import GoldOutcome
from benchctl.runner.grants import Grant
from benchctl.runner.shard import Shard
from benchctl.schema.run import PlannedCell, RunRecord
from benchctl.schema.suite import Question, Suite
from benchctl.workspace.sandbox import Sandbox
from benchctl.workspace.tree import Base

__all__ = ["Ready"]


@dataclass(frozen=True, slots=True)
class Ready:
    """A run that may start. `root` is a temporary folder outside the project, gone when the command ends.

    `bases` holds a tree for each repository, `agent_dirs` a copy of each agent's files, `grants` one
    entry an arm, `gold` an outcome a question. `shard` is the part that is collected here, None the whole;
    `again` is the command line that continues the run.
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

    def cells(self) -> tuple[PlannedCell, ...]:
        """Return the cells that are collected here, in the recorded order."""
        return tuple(cell for cell in self.record.cells if self.shard is None or self.shard.takes(cell))

    def question(self, name: str) -> Question:
        """Return a question of the suite."""
        return next(question for question in self.suite.questions if question.id == name)
