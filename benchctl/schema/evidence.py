"""What one attempt left behind: all that a grader, today or years later, gets to see."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from benchctl.schema.usage import Usage

__all__ = ["FINAL_FAILURES", "OUTCOMES", "VOID_OUTCOMES", "Evidence", "Outcome", "Stream"]

Outcome = Literal[
    "ok",
    "exit_nonzero",
    "spawn_error",
    "timeout",
    "output_cap",
    "no_result",
    "api_error",
    "interrupted",
    "host_stalled",
    "sandbox_error",
    "escape",
    "contaminated",
]

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

VOID_OUTCOMES: frozenset[str] = frozenset(
    {"interrupted", "host_stalled", "sandbox_error", "contaminated", "escape"}
)
"""Outcomes that say nothing about the arm: they leave numerator and denominator, and are listed."""

FINAL_FAILURES: frozenset[str] = frozenset(OUTCOMES) - VOID_OUTCOMES - {"ok"}
"""Outcomes that count against the arm, with score 0."""


@dataclass(frozen=True, slots=True)
class Stream:
    """One output stream of an attempt: what was kept, and the truth about the whole.

    `text` holds the head and the tail where `total_bytes` is above what the caps keep;
    `sha256` is over every byte that was written.
    """

    text: str = ""
    total_bytes: int = 0
    dropped_bytes: int = 0
    sha256: str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One attempt of one cell. Times are seconds; instants are UTC in ISO 8601.

    `wall_s` is from start to the exit of the process, not to the end of its pipes.
    `answer` is None where the agent gave none. `tool_calls` is None where the agent
    does not say what it called.
    """

    cell: str
    attempt: int
    outcome: Outcome
    started_at: str
    ended_at: str
    wall_s: float
    cpu_s: float | None
    exit_code: int | None
    answer: str | None
    usage: Usage = field(default_factory=Usage)
    tool_calls: int | None = None
    stdout: Stream = field(default_factory=Stream)
    stderr: Stream = field(default_factory=Stream)
    stragglers: int = 0
    sandbox: str = "none"
    changed_files: int | None = None
    detail: str = ""
