"""The one place that starts a cell's process: wall time, output cap, its whole family ended, nothing left.

Wall time ends when the process exits, never when its pipes close: a background child that holds
stdout open would add its own life to the cell's. What it leaves behind is ended and counted.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchctl.schema.evidence import Outcome, Stream
from benchctl.workspace import stragglers
from benchctl.workspace.capture import Capture
from benchctl.workspace.clock import utc_now
from benchctl.workspace.watch import STALL_S, Watch

__all__ = ["READY_FD", "ProcessResult", "run_process"]

READY_FD = "{ready_fd}"
"""A word of argv that becomes the number of a descriptor on which a sandbox says that the command was started.

Without that word on the descriptor a failed process is the sandbox's failure (`sandbox_error`), and
no output of the command itself can bring this about.
"""

_CHUNK = 1 << 16
_DRAIN_S = 0.25
_READY, _FAILED = b"exit-code", b"failed"


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """What one process did. Times are seconds, instants UTC ISO 8601.

    `exit_code` is None where we ended the process or could not start it; death by a signal of its
    own reads 128 + signal. `cpu_s` counts the process and everything it or we collected; None where
    it never started. `stragglers` is how many processes outlived it and were ended. `pipes_held` says
    that the output was still open when the process had gone. `max_gap_s` is the longest time the
    supervisor was late.
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


_running: set[int] = set()
"""The first processes of all calls of run_process that are not finished, in any thread."""

_spawning = threading.Lock()
"""Held while a process is started and while orphans are swept, so that a sweep knows every process that is no orphan."""


def run_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    wall_s: float,
    output_bytes: int,
    keep_bytes: int = 8 * 1024 * 1024,
    marker: str | None = None,
) -> ProcessResult:
    """Run a command to its end and return what it did; it never outlives this call, nor does its family.

    The process gets exactly `env` (and a marker by which its family is known), a session of its own and
    no standard input. It is ended when `wall_s` seconds have passed, or when stdout and stderr together
    exceed `output_bytes`; of each stream `keep_bytes` are kept, head and tail. An interrupt ends the
    process and is raised again.
    """
    marker = marker or secrets.token_hex(16)
    stragglers.adopt_orphans()
    before = frozenset(stragglers.own_children()) - _running
    ready: tuple[int, int] | None = os.pipe() if READY_FD in argv else None
    try:
        result = _run(
            argv,
            cwd=cwd,
            env={**env, stragglers.MARKER: marker},
            wall_s=wall_s,
            output_bytes=output_bytes,
            keep_bytes=keep_bytes,
            before=before,
            ready=ready,
        )
        return _with_sandbox_verdict(result, ready[0]) if ready else result
    except BaseException:
        # Whatever was started before the interrupt is a child of ours with this marker.
        _end_orphans(before, marker)
        raise
    finally:
        for fd in ready or ():
            os.close(fd)


def _run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    wall_s: float,
    output_bytes: int,
    keep_bytes: int,
    before: frozenset[int],
    ready: tuple[int, int] | None,
) -> ProcessResult:
    started_at, started = utc_now(), time.monotonic()
    try:
        with _spawning:
            process = subprocess.Popen(
                [str(ready[1]) if ready and word == READY_FD else word for word in argv],
                cwd=cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
                pass_fds=ready[1:] if ready else (),
            )
            _running.add(process.pid)
    except (OSError, ValueError) as error:
        return _not_started(error, started_at, time.monotonic() - started)
    try:
        captures = Capture(keep_bytes), Capture(keep_bytes)
        with Watch(process, *captures, output_bytes, started + wall_s, started) as watch:
            return _supervise(watch, before, env[stragglers.MARKER], started_at)
    finally:
        _running.discard(process.pid)


def _supervise(watch: Watch, before: frozenset[int], marker: str, started_at: str) -> ProcessResult:
    process = watch.process
    try:
        watch.wait()
    except BaseException:
        watch.signal_group(signal.SIGKILL)
        _collect(process)
        raise
    # Read here: the sweep that follows takes its own time, which is none of the cell's.
    ended_at, max_gap_s = utc_now(), watch.max_gap_s
    held = watch.drain(0.0)
    left, their_cpu_s = _end_orphans(before, marker)
    watch.signal_group(signal.SIGKILL)  # where there is no subreaper, this is all there is
    exit_code, cpu_s = _collect(process)
    if held:
        watch.drain(_DRAIN_S)
    assert watch.exited is not None  # noqa: S101 - wait() returns only after an exit
    outcome, detail = _verdict(watch.ended_by, exit_code, max_gap_s)
    return ProcessResult(
        outcome=outcome,
        exit_code=None if watch.ended_by else exit_code,
        wall_s=watch.exited - watch.started,
        cpu_s=cpu_s + their_cpu_s,
        stdout=watch.stdout.stream(),
        stderr=watch.stderr.stream(),
        stragglers=left,
        started_at=started_at,
        ended_at=ended_at,
        pipes_held=held,
        max_gap_s=max_gap_s,
        detail=detail,
    )


def _end_orphans(before: frozenset[int], marker: str) -> tuple[int, float]:
    with _spawning:
        return stragglers.end_adopted(before, frozenset(_running), marker)


def _collect(process: subprocess.Popen[bytes]) -> tuple[int, float]:
    """Collect the dead process: (exit code, CPU seconds of it and of the children it had collected)."""
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    process.returncode = code  # Popen would otherwise wait for a process that is already collected
    return (code if code >= 0 else 128 - code), usage.ru_utime + usage.ru_stime


def _verdict(ended_by: Outcome | None, exit_code: int, max_gap_s: float) -> tuple[Outcome, str]:
    stall = f"the host stood still for {max_gap_s:.1f} s of this cell" if max_gap_s >= STALL_S else ""
    if ended_by == "timeout" and stall:
        return "host_stalled", stall
    if ended_by is not None:
        return ended_by, stall
    return ("ok" if exit_code == 0 else "exit_nonzero"), stall


def _with_sandbox_verdict(result: ProcessResult, ready_fd: int) -> ProcessResult:
    """Tell a sandbox that could not start the command from a command that failed."""
    os.set_blocking(ready_fd, False)
    try:
        said = os.read(ready_fd, _CHUNK)
    except BlockingIOError:
        said = b""
    if result.outcome == "exit_nonzero" and (_READY not in said or _FAILED in said):
        return replace(result, outcome="sandbox_error", detail=result.stderr.text.strip()[:500])
    return result


def _not_started(error: Exception, started_at: str, wall_s: float) -> ProcessResult:
    return ProcessResult(
        outcome="spawn_error",
        exit_code=None,
        wall_s=wall_s,
        cpu_s=None,
        stdout=Stream(),
        stderr=Stream(),
        stragglers=0,
        started_at=started_at,
        ended_at=utc_now(),
        detail=str(error),
    )
