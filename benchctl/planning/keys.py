"""What makes a cell this cell: the digests behind the content key by which a resumed run knows it."""

from __future__ import annotations

from benchctl.planning.invocations import prompt_text
from benchctl.planning.world import World
from benchctl.schema.canonical import digest
from benchctl.schema.cell import Cell, CellInputs
from benchctl.schema.suite import Caps, Question, Suite

__all__ = ["CellKeys"]


class CellKeys:
    """The digests that make a cell this cell. What only describes (titles, notes, optional) is left out."""

    def __init__(self, suite: Suite, world: World, caps: Caps) -> None:
        self._suite = suite
        self._trees = {name: corpus.tree_digest for name, corpus in world.corpora.items()}
        self._arms = {
            name: digest(arm.model_dump(mode="json", include={"prompt", "requires", "sandbox"}))
            for name, arm in suite.arms.items()
        }
        self._agents = {
            name: digest(
                {
                    "spec": agent.model_dump(mode="json", include={"kind", "argv", "env"}),
                    "files": world.agent_files.get(name, ""),
                }
            )
            for name, agent in suite.agents.items()
        }
        self._caps = digest(caps.model_dump(mode="json"))
        self._prompts: dict[tuple[str, str], str] = {}

    def key(self, question: Question, cell: Cell) -> str:
        """Return the content key of one cell of this question."""
        place = (question.id, cell.arm)
        if place not in self._prompts:
            self._prompts[place] = digest(prompt_text(question, self._suite.arms[cell.arm]))
        inputs = CellInputs(
            prompt_digest=self._prompts[place],
            tree_digest=self._trees[question.repo],
            arm_digest=self._arms[cell.arm],
            agent_digest=self._agents[cell.agent],
            caps_digest=self._caps,
        )
        return inputs.key(cell)
