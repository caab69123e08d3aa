"""What an agent adapter is: a translator. It starts nothing and reads nothing but what it is handed.

A module that has the names of `Agent` is an adapter; the table in `agents/__init__.py`
is the only place that knows which there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from benchctl.schema.suite import AgentSpec
from benchctl.schema.usage import Usage

__all__ = ["Agent", "Capabilities", "Invocation", "Reply", "Request", "Transcript"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an adapter can honour, so that the plan can refuse what it cannot."""

    withholds_tools: bool
    reports_tokens: bool
    reports_cost: bool
    reports_tool_calls: bool
    resumes_session: bool


@dataclass(frozen=True, slots=True)
class Request:
    """One turn to be composed. Paths are the ones the agent will see inside its cell.

    `python` is the interpreter of this program, `agent_dir` the read-only folder with the
    suite's agent files, `scratch` a folder the agent may write to.
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


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command, ready to be started by workspace/process.py. `files` maps paths under the scratch folder to text."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Transcript:
    """What the process left: its kept output, and its exit status (None where it was ended from outside)."""

    stdout: str
    stderr: str
    exit_code: int | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What the adapter read from a transcript. `answer` None is no answer; `error` an API's own words."""

    answer: str | None
    usage: Usage = field(default_factory=Usage)
    tool_calls: int | None = None
    session: str | None = None
    error: str | None = None


class Agent(Protocol):
    """The names a module must have to be an agent adapter."""

    @property
    def CAPABILITIES(self) -> Capabilities:  # noqa: N802 - a module constant seen through a protocol
        """What the adapter can honour."""
        ...

    def mistakes(self, spec: AgentSpec) -> tuple[str, ...]:
        """Return what is wrong with the `argv` of an agent of this kind, each to be read behind that word."""
        ...

    def invocation(self, request: Request) -> Invocation:
        """Return the command for one turn."""
        ...

    def read(self, transcript: Transcript) -> Reply:
        """Return what the transcript says. Never raises: an unreadable transcript is a reply without an answer."""
        ...
