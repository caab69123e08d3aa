"""A started process seen from outside: its output drained, its exit noticed, its caps held.

Nothing here waits for a pipe to close: a process has ended when it exits.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from benchctl.schema.evidence import Outcome
from benchctl.workspace import stragglers
from benchctl.workspace.capture import Capture
from benchctl.workspace.cgroup import CellGroup

__all__ = ["Watch"]

_TICK_S = 0.25
"""How often a waiting supervisor looks at its clock."""

_GRACE_S = 1.0
"""The time between SIGTERM and SIGKILL."""

_ASKING_S = 0.25
"""How long whom to ask may be looked for: a cell of thousands of processes is ended on time all the same."""

_CHUNK = 1 << 16
_DRAIN_STEPS = 64


@dataclass
class Watch:
    """A started process, seen from outside. `hangup` is a descriptor; once it can be read, the process is ended.

    `group` is the control group of all that the process starts; `outside` are those that were ended with it and not
    with the process group. `cap` names what the process has exceeded, also where it exited before it could be ended for that.
    """

    process: subprocess.Popen[bytes]
    stdout: Capture
    stderr: Capture
    output_bytes: int
    limits: Mapping[str, int]
    deadline: float
    started: float
    hangup: int | None = None
    group: CellGroup | None = None
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    exited: float | None = None
    ended_by: Outcome | None = None
    cap: str | None = None
    hung_up: bool = False
    max_gap_s: float = 0.0
    last_step: float = field(init=False)
    last_cpu_s: float = field(default_factory=time.thread_time)
    open_pipes: int = 0
    pidfd: int | None = None
    outside: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        self.last_step = self.started

    def __enter__(self) -> Self:
        for pipe, capture in ((self.process.stdout, self.stdout), (self.process.stderr, self.stderr)):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                self.selector.register(pipe.fileno(), selectors.EVENT_READ, capture)
                self.open_pipes += 1
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                self.pidfd = os.pidfd_open(self.process.pid)
                self.selector.register(self.pidfd, selectors.EVENT_READ, None)
        if self.hangup is not None:
            self.selector.register(self.hangup, selectors.EVENT_READ, None)
        return self

    def __exit__(self, *_: object) -> None:
        self.selector.close()
        if self.pidfd is not None:
            os.close(self.pidfd)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def _step(self, timeout_s: float) -> None:
        """Wait for at most `timeout_s`, take what came, notice an exit and a late return."""
        timeout_s = max(0.0, timeout_s if self.pidfd is not None else min(timeout_s, 0.01))
        events = self.selector.select(timeout_s)
        now, cpu_s = time.monotonic(), time.thread_time()
        # From return to return, so that it does not matter where in between this process stood still; what it
        # worked itself is no stall.
        self.max_gap_s = max(self.max_gap_s, now - self.last_step - timeout_s - (cpu_s - self.last_cpu_s))
        self.last_step, self.last_cpu_s = now, cpu_s
        for key, _ in events:
            if key.data is not None:
                self._read(key.fd, key.data)
            elif key.fd == self.hangup:
                self.hung_up = True
                self.selector.unregister(key.fd)
        if self.exited is None and self._has_exited():
            self.exited = time.monotonic()
            if self.pidfd is not None:
                self.selector.unregister(self.pidfd)

    def _read(self, fd: int, capture: Capture) -> None:
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return
        if data:
            capture.add(data)
        else:
            self.selector.unregister(fd)
            self.open_pipes -= 1

    def _has_exited(self) -> bool:
        # Left a zombie on purpose: its number, which is its group's, cannot be given to another process.
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, flags) is not None

    def wait(self) -> None:
        """Wait until the process exits or has to be ended."""
        while self.exited is None:
            now = time.monotonic()
            if self.hung_up:
                self.ended_by = "interrupted"
            elif cap := self.exceeded():
                self.ended_by, self.cap = "output_cap", cap
            elif now >= self.deadline:
                self.ended_by, self.cap = "timeout", "wall_s"
            if self.ended_by is not None:
                self.end()
                return
            self._step(min(_TICK_S, self.deadline - now))

    def exceeded(self) -> str | None:
        """Return the name of what the output has passed: `output_bytes`, `counts` or one of the limits; None where nothing."""
        if self.read_bytes > self.output_bytes:
            return "output_bytes"
        if self.stdout.uncounted:
            return "counts"
        if self.limits:
            counts = self.stdout.counts
            return next((name for name, limit in self.limits.items() if counts.get(name, 0) > limit), None)
        return None

    @property
    def read_bytes(self) -> int:
        """Return how many bytes both streams have brought."""
        return self.stdout.read_bytes + self.stderr.read_bytes

    def end(self) -> None:
        """Ask the process and its group to end, then end them."""
        if not self._ask_inner():
            self.signal_group(signal.SIGTERM)
        self._was_at_work()
        until = time.monotonic() + _GRACE_S
        while self.exited is None and (now := time.monotonic()) < until:
            self._step(until - now)
        self.signal_group(signal.SIGKILL)
        self._step(_TICK_S)
        if self.exited is None and self.group is not None:
            # It has to wait for its last moment behind its own family, which is why that is ended too.
            self.outside = frozenset(pid for pid in self.group.end() if not self._is_in_group(pid))
            self._was_at_work()
        while self.exited is None:
            self._step(_TICK_S)

    def _was_at_work(self) -> None:
        """Note that the time since the last step was work of ours, which is no time that the host stood still."""
        self.last_step, self.last_cpu_s = time.monotonic(), time.thread_time()

    def _is_in_group(self, pid: int) -> bool:
        try:
            return os.getpgid(pid) == self.process.pid
        except OSError:
            return True

    def _ask_inner(self) -> bool:
        """Send SIGTERM to those behind a pid namespace of their own, as far as they can be found in the time for it."""
        asked = False
        for pid in stragglers.inner_processes(self.process.pid, time.monotonic() + _ASKING_S):
            asked = True
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGTERM)
        return asked

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to the process group; its leader is not collected yet, so the number is its own."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def drain(self, for_s: float) -> bool:
        """Take what lies in the pipes and what comes in `for_s` seconds; return whether somebody holds them open."""
        until = time.monotonic() + for_s
        for _ in range(_DRAIN_STEPS):  # bounded: a straggler may write faster than we read
            if not self.open_pipes:
                break
            before = self.read_bytes
            self._step(until - time.monotonic())
            quiet = before == self.read_bytes
            if quiet and time.monotonic() >= until:
                break
        return self.open_pipes > 0
