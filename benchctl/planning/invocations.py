"""How a cell becomes a command: the one composition that both `plan` and `run` go through."""

from __future__ import annotations

from dataclasses import dataclass

from benchctl.agents.base import Agent, Invocation, Request
from benchctl.schema.cell import Cell
from benchctl.schema.suite import Arm, Question, Suite

__all__ = ["Places", "compose", "prompt_text"]


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are as the agent sees them. The dry run fills it with words such as `<cell>/tree`."""

    tree: str
    agent_dir: str
    scratch: str
    python: str


def prompt_text(question: Question, arm: Arm) -> str:
    """Return what the agent is told: the arm's wording around the question's prompt."""
    return arm.prompt.replace("{prompt}", question.prompt)


def compose(agent: Agent, suite: Suite, cell: Cell, places: Places) -> Invocation:
    """Return the command of a cell's first turn. Equal arguments give an equal command."""
    question = next(question for question in suite.questions if question.id == cell.question)
    return agent.invocation(
        Request(
            spec=suite.agents[cell.agent],
            question=cell.question,
            arm=cell.arm,
            model=cell.model,
            prompt=prompt_text(question, suite.arms[cell.arm]),
            tree=places.tree,
            agent_dir=places.agent_dir,
            scratch=places.scratch,
            python=places.python,
        )
    )
