"""A cell: one (question, arm, agent, model, repetition), and the two names it goes by."""

from __future__ import annotations

from dataclasses import dataclass

from benchctl.schema.canonical import digest
from benchctl.schema.names import path_safe

__all__ = ["CELL_KEY_VERSION", "Cell", "CellInputs"]

CELL_KEY_VERSION = 1
"""Raised when the inputs of a cell's key change meaning, so that old and new keys never meet by accident."""


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One cell of the matrix; `rep` counts from 1."""

    question: str
    arm: str
    agent: str
    model: str
    rep: int

    @property
    def id(self) -> str:
        """Return the cell's name inside its run: `question/arm/agent/model/rep`, each part path-safe."""
        return "/".join(
            path_safe(str(part)) for part in (self.question, self.arm, self.agent, self.model, self.rep)
        )


@dataclass(frozen=True, slots=True)
class CellInputs:
    """Everything whose change makes a cell another cell; all digests are `sha256:…`."""

    prompt_digest: str
    tree_digest: str
    arm_digest: str
    agent_digest: str
    caps_digest: str

    def key(self, cell: Cell) -> str:
        """Return the content key by which a resumed run knows a finished cell."""
        return digest(
            {
                "version": CELL_KEY_VERSION,
                "question": cell.question,
                "arm": cell.arm,
                "agent": cell.agent,
                "model": cell.model,
                "rep": cell.rep,
                "prompt": self.prompt_digest,
                "tree": self.tree_digest,
                "arm_digest": self.arm_digest,
                "agent_digest": self.agent_digest,
                "caps": self.caps_digest,
            }
        )
