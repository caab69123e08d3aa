"""The one place that starts a cell's process: wall time, output cap, its whole family ended, nothing left.

Wall time ends when the process exits, never when its pipes close: a background child that holds
stdout open would add its own life to the cell's. What it leaves behind is ended and counted.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Unpack

from benchctl.schema.evidence import Outcome, Stream
from benchctl.workspace import stragglers
from benchctl.workspace.capture import Capture
from benchctl.workspace.cgroup import CellGroup
from benchctl.workspace.clock import utc_now
from benchctl.workspace.host import HostWatch
from benchctl.workspace.job import READY_FD, Job, ProcessResult, Terms
from benchctl.workspace.watch import Watch

__all__ = ["READY_FD", "ProcessResult", "end_orphans", "run_job", "run_process"]

_CHUNK = 1 << 16
_DRAIN_S = 0.25
_CLOSING_S = 0.05
"""How long pipes may stay open without being held: a sandbox's first process outlives its launcher by a moment."""
_READY, _FAILED, _NO_COMMAND = b"exit-code", b"failed", b"no-command"
_NOT_EXECUTED = re.compile(
    "bwrap: execvp (.*): (No such file|Permission denied|Exec format|Not a directory|Argument list|Is a dir|File name too)"
)
"""What bubblewrap says when its wall stands and the command cannot be executed; before that nobody else can speak."""

_running: set[int] = set()
"""The first processes of all calls of run_process that are not finished, in any thread."""

_spawning = threading.Lock()
"""Held while a process is started and while orphans are swept, so that a sweep knows every process that is no orphan."""


def run_process(argv: Sequence[str], **terms: Unpack[Terms]) -> ProcessResult:
    """Run a command to its end and return what it did; it never outlives this call, nor does its family.

    See job.Terms. An interrupt ends the process and is raised again.
    """
    return run_job(Job.of(argv, **terms))


def run_job(job: Job, *, hangup: int | None = None, group: CellGroup | None = None) -> ProcessResult:
    """Run a job as run_process does; once the descriptor `hangup` can be read, it is ended as interrupted.

    This process, which runs nothing else then, is in the `group`, and so is all that it starts.
    """
    stragglers.adopt_orphans()
    before = frozenset(stragglers.own_children()) - _running
    ready: tuple[int, int] | None = os.pipe() if READY_FD in job.argv else None
    try:
        result = _run(job, before, ready, hangup, group)
        return _with_sandbox_verdict(result, ready[0]) if ready else result
    except BaseException:
        # Whatever was started before the interrupt is a child of ours with this marker.
        end_orphans(before, job.marker)
        raise
    finally:
        for fd in ready or ():
            os.close(fd)


def _run(
    job: Job,
    before: frozenset[int],
    ready: tuple[int, int] | None,
    hangup: int | None,
    group: CellGroup | None,
) -> ProcessResult:
    call = _Call(job, before, group)
    try:
        with _spawning:
            process = subprocess.Popen(
                [str(ready[1]) if ready and word == READY_FD else word for word in job.argv],
                cwd=job.cwd,
                env={"PWD": str(job.cwd), **job.env, stragglers.MARKER: job.marker},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
                pass_fds=ready[1:] if ready else (),
            )
            _running.add(process.pid)
    except (OSError, ValueError) as error:
        return call.not_started(error)
    try:
        with Watch(
            process,
            call.stdout,
            call.stderr,
            job.output_bytes,
            job.limits,
            call.started + job.wall_s,
            call.started,
            hangup,
            group,
        ) as watch:
            return _supervise(watch, call)
    finally:
        _running.discard(process.pid)


@dataclass
class _Call:
    """One run of a job, from the moment before its process is started."""

    job: Job
    before: frozenset[int]
    group: CellGroup | None = None
    stdout: Capture = field(init=False)
    stderr: Capture = field(init=False)
    host: HostWatch = field(default_factory=HostWatch)
    started_at: str = field(default_factory=utc_now)
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        job = self.job
        self.stdout = _capture(job, job.counts)
        self.stderr = _capture(job, {})

    def redactions(self) -> dict[str, int] | None:
        """Return what was taken out of both streams; None where there was nothing to look for."""
        if not self.job.secrets:
            return None
        parts = self.stdout.redactions, self.stderr.redactions
        return {name: sum(part.get(name, 0) for part in parts) for name in sorted({**parts[0], **parts[1]})}

    def not_started(self, error: Exception) -> ProcessResult:
        """Return the result of a command that could not be started."""
        return ProcessResult(
            outcome="spawn_error",
            exit_code=None,
            wall_s=time.monotonic() - self.started,
            cpu_s=None,
            stdout=Stream(),
            stderr=Stream(),
            stragglers=0,
            started_at=self.started_at,
            ended_at=utc_now(),
            detail=str(error),
            redactions=self.redactions(),
        )


def _capture(job: Job, counts: Mapping[str, str]) -> Capture:
    redactor = None
    if job.secrets:
        from benchctl.workspace.redaction import Redactor

        redactor = Redactor(job.secrets)
    return Capture(job.keep_bytes, redactor=redactor, counts=counts)


def _supervise(watch: Watch, call: _Call) -> ProcessResult:
    process = watch.process
    try:
        watch.wait()
    except BaseException:
        watch.signal_group(signal.SIGKILL)
        _collect(process)
        raise
    # Read here: the sweep that follows takes its own time, which is none of the cell's.
    ended_at, max_gap_s, host = utc_now(), watch.max_gap_s, call.host.facts()
    held = watch.drain(_CLOSING_S)
    swept = _swept(watch, call)
    watch.signal_group(signal.SIGKILL)  # where there is no subreaper, this is all there is
    exit_code, cpu_s = _collect(process)
    if held:
        watch.drain(_DRAIN_S)
    assert watch.exited is not None  # noqa: S101 - wait() returns only after an exit
    stdout, stderr = watch.stdout.stream(), watch.stderr.stream()
    # The last line is counted only now: whoever was quicker than the cap has passed it all the same.
    cap = watch.cap or (None if watch.ended_by else watch.exceeded())
    ended_by = watch.ended_by or ("output_cap" if cap else None)
    stall = _stall(max_gap_s, host.suspended_s or 0.0, call.job.stall_s)
    return ProcessResult(
        outcome=_outcome(ended_by, exit_code, stall) if swept.whole else "escape",
        exit_code=None if ended_by else exit_code,
        wall_s=watch.exited - watch.started,
        cpu_s=cpu_s + swept.cpu_s,
        stdout=stdout,
        stderr=stderr,
        stragglers=swept.stragglers,
        started_at=call.started_at,
        ended_at=ended_at,
        pipes_held=held,
        max_gap_s=max_gap_s,
        detail=_outlasted(swept) or stall or watch.stdout.uncounted,
        cap=cap,
        counts=watch.stdout.counts,
        redactions=call.redactions(),
        **asdict(host),
    )


def _swept(watch: Watch, call: _Call) -> stragglers.Swept:
    """End what the first process has left: all in its group at one stroke, then what is ours or has left the group."""
    # Ended first and looked at then: the dead wait for us to collect them.
    left = watch.outside | (call.group.end() if call.group is not None else frozenset())
    return end_orphans(
        call.before, call.job.marker, [pid for pid in left if stragglers.in_our_namespace(pid)]
    )


def _outlasted(swept: stragglers.Swept) -> str:
    if swept.whole:
        return ""
    return f"what the cell left was not ended in {stragglers.SWEEP_S:g} s: it multiplies, and may run still"


def end_orphans(before: frozenset[int], marker: str, ended: Collection[int] = ()) -> stragglers.Swept:
    """End what has lost its parent to us and belongs to no call that is running. See stragglers.end_adopted."""
    with _spawning:
        return stragglers.end_adopted(before, frozenset(_running), marker, ended)


def _collect(process: subprocess.Popen[bytes]) -> tuple[int, float]:
    """Collect the dead process: (exit code, CPU seconds of it and of the children it had collected)."""
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    process.returncode = code  # Popen would otherwise wait for a process that is already collected
    return (code if code >= 0 else 128 - code), usage.ru_utime + usage.ru_stime


def _stall(max_gap_s: float, suspended_s: float, stall_s: float) -> str:
    """Say that the host stood still, or slept; empty where it did not."""
    how, for_s = ("slept", suspended_s) if suspended_s > max_gap_s else ("stood still", max_gap_s)
    return f"the host {how} for {for_s:.1f} s of this cell" if for_s >= stall_s else ""


def _outcome(ended_by: Outcome | None, exit_code: int, stall: str) -> Outcome:
    """Return how it ended. A host that stood still may have made it late, or made it give up; never talkative."""
    outcome: Outcome = ended_by or ("ok" if exit_code == 0 else "exit_nonzero")
    return "host_stalled" if stall and outcome in ("timeout", "exit_nonzero") else outcome


def _with_sandbox_verdict(result: ProcessResult, ready_fd: int) -> ProcessResult:
    """Tell a sandbox that failed from a command that could not be executed inside it, and both from one that failed."""
    os.set_blocking(ready_fd, False)
    try:
        said = os.read(ready_fd, _CHUNK)
    except BlockingIOError:
        said = b""
    if result.outcome != "exit_nonzero":
        return result
    unseen = _NOT_EXECUTED.match(result.stderr.text) if _READY not in said else None
    # This interpreter is what a wall itself starts with.
    if _NO_COMMAND in said or (unseen and unseen[1] != sys.executable):
        return replace(result, outcome="spawn_error", exit_code=None, detail=result.stderr.text.strip()[:500])
    if _READY not in said or _FAILED in said:
        return replace(result, outcome="sandbox_error", detail=result.stderr.text.strip()[:500])
    return result
