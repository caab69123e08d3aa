"""What one attempt left behind: all that a grader, today or years later, gets to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from benchctl.schema.usage import Usage

__all__ = [
    "AGAIN_OUTCOMES",
    "FINAL_FAILURES",
    "HOST_OUTCOMES",
    "OUTCOMES",
    "VOID_OUTCOMES",
    "Evidence",
    "Outcome",
    "Stream",
]

Outcome = Literal[
    "ok",
    "exit_nonzero",
    "spawn_error",
    "prepare_error",
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

HOST_OUTCOMES: frozenset[str] = frozenset({"interrupted", "host_stalled", "sandbox_error"})
"""Outcomes that are the machine's doing, be it to an agent or to a step of the suite."""

AGAIN_OUTCOMES: frozenset[str] = HOST_OUTCOMES | {"prepare_error"}
"""Outcomes of an attempt that gave its agent no fair chance: it is run again and uses up none of the arm's."""

VOID_OUTCOMES: frozenset[str] = AGAIN_OUTCOMES | {"contaminated", "escape"}
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

    `parts` counts the starts of the agent: one, and its continuations (none where its cell could not be made
    ready); their times, tokens and dollars are summed. `total_s` is the attempt with all that is not on the
    agent's clock. `cap` names the cap that ended it. `max_gap_s` is the longest time the supervisor was late,
    `suspended_s` how long the machine slept, `clock_drift_s` how far the wall clock was set meanwhile,
    `stalled_*_s` how long some process of the machine waited for that resource. `redactions` counts what was
    taken out of the output, by the variable's name; None where there was no secret to look for. `least_cost_usd`
    is what some parts cost where not all said it: it is charged, and no column, for a part is not the whole. `kept` are
    further streams: `diff` what the agent changed, `network` the proxy's log, `prepare` and `check` what the
    suite's own steps wrote (`prepare_stderr`, `prepare_network` …), `stdout_1`, `stderr_1` … what the parts
    before the last wrote: `stdout` and `stderr` are the last one's.
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
    parts: int = 1
    total_s: float | None = None
    cap: str | None = None
    events: int | None = None
    session: str | None = None
    pipes_held: bool = False
    max_gap_s: float | None = None
    suspended_s: float | None = None
    clock_drift_s: float | None = None
    stalled_cpu_s: float | None = None
    stalled_io_s: float | None = None
    stalled_memory_s: float | None = None
    network_refused: int | None = None
    prepare_s: float | None = None
    check_failed: bool | None = None
    redactions: Mapping[str, int] | None = None
    least_cost_usd: float | None = None
    kept: Mapping[str, Stream] = field(default_factory=dict)
