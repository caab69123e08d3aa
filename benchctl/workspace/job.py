"""A command to run with all that holds it, and what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any, Required, Self, TypedDict, Unpack

from benchctl.schema.evidence import Outcome, Stream

__all__ = ["KEEP_BYTES", "READY_FD", "STALL_S", "Job", "ProcessResult", "Terms"]

READY_FD = "{ready_fd}"
"""A word of argv that becomes the number of a descriptor on which a sandbox says that the command was started.

Without that word on the descriptor a failed process is the sandbox's failure (`sandbox_error`), unless it says
that it stood and the command could not be executed (`no-command`: `spawn_error`, as without a sandbox), and no output of the command itself can bring this about.
"""

KEEP_BYTES = 8 * 1024 * 1024

STALL_S = 2.0
"""A supervisor that comes back this much later than it asked for was not running: the host stood still."""


class Terms(TypedDict, total=False):
    """The terms on which a command is run.

    It gets exactly `env` (and a marker by which its family is known), a session of its own in `cwd` and no
    standard input. It is ended when `wall_s` seconds have passed, or when stdout and stderr together exceed
    `output_bytes`; of each stream `keep_bytes` are kept, head and tail. `counts` are regular expressions by
    name, counted in stdout line by line while it runs; it is ended when a count passes its number in
    `limits`. The values of `secrets` are taken out of the output before anything is kept or counted.
    `stall_s` is how late the supervisor must be for the host to have stood still.
    """

    cwd: Required[Path]
    env: Required[Mapping[str, str]]
    wall_s: Required[float]
    output_bytes: Required[int]
    keep_bytes: int
    marker: str | None
    counts: Mapping[str, str]
    limits: Mapping[str, int]
    secrets: Mapping[str, str]
    stall_s: float


@dataclass(frozen=True, slots=True)
class Job:
    """A command and its terms. See Terms."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    wall_s: float
    output_bytes: int
    marker: str
    keep_bytes: int = KEEP_BYTES
    counts: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    stall_s: float = field(default_factory=lambda: STALL_S)

    @classmethod
    def of(cls, argv: Sequence[str], **terms: Unpack[Terms]) -> Self:
        """Return the job; without a marker it gets one of its own."""
        told: dict[str, Any] = {**terms, "marker": terms.get("marker") or token_hex(16)}
        return cls(tuple(argv), **told)


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """What one process did. Times are seconds, instants UTC ISO 8601.

    `exit_code` is None where we ended the process, also where it was quicker than us, and where it could not
    be started; death by a signal of its own reads 128 + signal. `cpu_s` counts the process and everything it or we collected; None where
    it never started. `stragglers` is how many processes outlived it and were ended. `pipes_held` says
    that the output was still open when the process had gone. `max_gap_s` is the longest time the
    supervisor was late. `cap` names what was exceeded: `wall_s`, `output_bytes` or a name of `limits`;
    `counts` where a pattern took too long on the output, and `detail` says so.
    `counts` are matches in stdout by name, none where that is so; `redactions` what was taken out of both streams by name, None
    where there was no secret to look for. `detail` also says that the host stood still, where it did. For the
    others see host.HostFacts.
    """

    outcome: Outcome
    exit_code: int | None
    wall_s: float
    cpu_s: float | None
    stdout: Stream
    stderr: Stream
    stragglers: int
    started_at: str
    ended_at: str
    pipes_held: bool = False
    max_gap_s: float = 0.0
    detail: str = ""
    cap: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    redactions: Mapping[str, int] | None = None
    suspended_s: float | None = None
    clock_drift_s: float | None = None
    stalled_cpu_s: float | None = None
    stalled_io_s: float | None = None
    stalled_memory_s: float | None = None
