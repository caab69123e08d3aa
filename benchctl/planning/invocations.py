"""How a cell becomes a command: the one composition that both `plan` and `run` go through."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchctl.agents.base import Agent, Invocation, Request, ServerCommand
from benchctl.schema import placeholders
from benchctl.schema.cell import Cell
from benchctl.schema.suite import Arm, Question, Suite, ToolServer

__all__ = [
    "CONTINUE_PROMPT",
    "PROBE_PROMPT",
    "Places",
    "compose",
    "granted_tools",
    "prompt_text",
    "server_command",
]

CONTINUE_PROMPT = "Continue. End with the answer, in the form that was asked for."
"""What a session is told that ended without a result, whichever arm or agent it is of."""

PROBE_PROMPT = "Reply with the single word OK."
"""What an empty run is asked, by which the floor of a way of answering is measured."""

_GIT_ENV = {"GIT_CONFIG_NOSYSTEM": "1"}
"""For arms with git: the machine's own settings are none of the experiment's, and behind some walls git ends over them."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are as the agent sees them. The dry run fills it with words such as `<cell>/tree`."""

    tree: str
    agent_dir: str
    scratch: str
    python: str
    indexes: str = ""

    def values(self) -> dict[str, str]:
        """Return them by the names of their placeholders."""
        return {
            "agent": self.agent_dir,
            "indexes": self.indexes,
            "python": self.python,
            "scratch": self.scratch,
            "tree": self.tree,
        }


def prompt_text(question: Question, arm: Arm) -> str:
    """Return what the agent is told: the arm's wording around the question's prompt."""
    return arm.prompt.replace("{prompt}", question.prompt)


def granted_tools(arm: Arm) -> tuple[str, ...]:
    """Return every tool that an arm grants: its agent's own by name, those of its servers as `server.tool`."""
    served = (f"{name}.{tool}" for name, server in arm.servers.items() for tool in server.tools)
    return tuple(dict.fromkeys([*arm.tools, *served]))


def server_command(server: ToolServer, places: Places) -> ServerCommand:
    """Return how a server of tools is started: by preflight, and by every agent of the arm."""
    values = places.values()
    return ServerCommand(
        tuple(placeholders.fill(word, values) for word in server.argv),
        {name: placeholders.fill(value, values) for name, value in server.env.items()},
    )


def compose(
    agent: Agent, suite: Suite, cell: Cell, places: Places, *, session: str | None = None
) -> Invocation:
    """Return the command of a cell's first turn, or of one more of `session`. Equal arguments give an equal command."""
    question = next(question for question in suite.questions if question.id == cell.question)
    arm = suite.arms[cell.arm]
    invocation = agent.invocation(
        Request(
            spec=suite.agents[cell.agent],
            question=cell.question,
            arm=cell.arm,
            model=cell.model,
            prompt=prompt_text(question, arm) if session is None else CONTINUE_PROMPT,
            tree=places.tree,
            agent_dir=places.agent_dir,
            scratch=places.scratch,
            python=places.python,
            indexes=places.indexes,
            session=session,
            tools=granted_tools(arm),
            effort=arm.effort,
            instructions=arm.instructions,
            servers={name: server_command(server, places) for name, server in arm.servers.items()},
        )
    )
    return replace(invocation, env={**_GIT_ENV, **invocation.env}) if arm.git else invocation
