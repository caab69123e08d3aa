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
        self._trees = {name: _tree(suite, name, corpus.tree_digest) for name, corpus in world.corpora.items()}
        self._arms = {
            name: digest(
                arm.model_dump(mode="json", include={"prompt", "requires", "sandbox"})
                | arm.told()
                | _index_files(name, world)
            )
            for name, arm in suite.arms.items()
        }
        self._agents = {
            name: digest(
                {
                    "spec": agent.model_dump(mode="json", include={"kind", "argv", "env"}) | agent.further(),
                    "files": world.agent_files.get(name, ""),
                }
            )
            for name, agent in suite.agents.items()
        }
        self._caps = digest(caps.told())
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


def _tree(suite: Suite, repo: str, tree_digest: str) -> str:
    """Return the digest of a tree and of the suite's own steps in it; that of the tree alone where there are none."""
    own = suite.repos[repo]
    steps = {
        name: step.model_dump(mode="json", exclude_defaults=True)
        for name, step in (("prepare", own.prepare), ("check", own.check))
        if step is not None
    }
    return digest({"tree": tree_digest, **steps}) if steps else tree_digest


def _index_files(arm: str, world: World) -> dict[str, object]:
    """Return the digests of the indexes that are given with the suite; nothing where there are none."""
    files = {index: found for (owner, index), found in world.index_files.items() if owner == arm}
    return {"index_files": files} if files else {}
