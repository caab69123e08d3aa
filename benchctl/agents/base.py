"""What an agent adapter is: a translator. It starts nothing and reads nothing but what it is handed.

A module that has the names of `Agent` is an adapter; the table in `agents/__init__.py`
is the only place that knows which there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from benchctl.schema.suite import AgentSpec, Arm
from benchctl.schema.usage import Usage

__all__ = ["Agent", "Capabilities", "Invocation", "Reply", "Request", "ServerCommand", "Transcript"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an adapter, or one agent of its kind, can honour, so that the plan can refuse what it cannot.

    `counts_tool_calls` and `counts_events` say that these are known while the agent runs, and not only
    when it has ended.
    """

    withholds_tools: bool
    reports_tokens: bool
    reports_cost: bool
    reports_tool_calls: bool
    resumes_session: bool
    counts_tool_calls: bool = False
    counts_events: bool = False


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """How an agent starts a server of tools: a command line and variables of its own."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """One turn to be composed. Paths are the ones the agent will see inside its cell.

    `python` is the interpreter of this program, `agent_dir` the read-only folder with the
    suite's agent files, `scratch` a folder the agent may write to, `indexes` the read-only folder with
    the arm's indexes by name. `session` is that of the turn before, by its id; None for a first turn.
    `tools`, `effort`, `instructions` and `servers` (command lines by name) are what the arm gives.
    """

    spec: AgentSpec
    question: str
    arm: str
    model: str
    prompt: str
    tree: str
    agent_dir: str
    scratch: str
    python: str
    indexes: str = ""
    session: str | None = None
    tools: tuple[str, ...] = ()
    effort: str = ""
    instructions: str = ""
    servers: Mapping[str, ServerCommand] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command, ready to be started by workspace/process.py. `files` maps paths under the scratch folder to text."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Transcript:
    """What the process left: its kept output, and its exit status (None where it was ended from outside).

    `files` holds those of `Agent.reports` that it wrote, `counts` what was counted while it ran.
    """

    stdout: str
    stderr: str
    exit_code: int | None
    files: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the adapter read from a transcript. `answer` None is no answer; `error` an API's own words.

    `cumulative` names what is of the whole session so far and not of this turn alone: `tokens`, `cost`,
    `tool_calls`. `lacking` says of each figure that was to be reported and was not what stood in its place.
    """

    answer: str | None
    usage: Usage = field(default_factory=Usage)
    tool_calls: int | None = None
    session: str | None = None
    error: str | None = None
    cumulative: frozenset[str] = frozenset()
    lacking: tuple[str, ...] = ()


class Agent(Protocol):
    """The names a module must have to be an agent adapter."""

    @property
    def CAPABILITIES(self) -> Capabilities:  # noqa: N802 - a module constant seen through a protocol
        """What an adapter can honour for every agent of its kind."""
        ...

    def capabilities(self, spec: AgentSpec) -> Capabilities:
        """Return what it can honour for this one."""
        ...

    def mistakes(self, spec: AgentSpec) -> tuple[str, ...]:
        """Return what is wrong with the `argv` of an agent of this kind, each to be read behind that word."""
        ...

    def unable(self, spec: AgentSpec, arm: Arm) -> tuple[str, ...]:
        """Return what of an arm an agent of this kind cannot be told or held to, each as `effort: why`."""
        ...

    def acceptance(self, request: Request) -> Invocation | None:
        """Return a command that ends with 0 where a model is accepted, and spends nothing; None where nothing can be asked."""
        ...

    def reports(self, spec: AgentSpec) -> tuple[str, ...]:
        """Return the files below the scratch folder that an agent writes and `read` wants to see."""
        ...

    def invocation(self, request: Request) -> Invocation:
        """Return the command for one turn: the first, or one more of `request.session`."""
        ...

    def read(self, spec: AgentSpec, transcript: Transcript) -> Reply:
        """Return what the transcript says. Never raises: an unreadable transcript is a reply without an answer."""
        ...
