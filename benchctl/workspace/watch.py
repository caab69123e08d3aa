"""A started process seen from outside: its output drained, its exit noticed, its caps held."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass, field
from typing import Self

from benchctl.schema.evidence import Outcome
from benchctl.workspace import stragglers
from benchctl.workspace.capture import Capture

__all__ = ["STALL_S", "Watch"]

_TICK_S = 0.25
"""How often a waiting supervisor looks at its clock."""

STALL_S = 2.0
"""A supervisor that comes back this much later than it asked for was not running: the host stood still."""

_GRACE_S = 1.0
"""The time between SIGTERM and SIGKILL."""

_CHUNK = 1 << 16
_DRAIN_STEPS = 64


@dataclass
class Watch:
    """A started process, seen from outside."""

    process: subprocess.Popen[bytes]
    stdout: Capture
    stderr: Capture
    output_bytes: int
    deadline: float
    started: float
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    exited: float | None = None
    ended_by: Outcome | None = None
    max_gap_s: float = 0.0
    last_step: float = field(init=False)
    open_pipes: int = 0
    pidfd: int | None = None

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
        now = time.monotonic()
        # From return to return, so that it does not matter where in between this process stood still.
        self.max_gap_s = max(self.max_gap_s, now - self.last_step - timeout_s)
        self.last_step = now
        for key, _ in events:
            if key.data is not None:
                self._read(key.fd, key.data)
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
            if self.stdout.total_bytes + self.stderr.total_bytes > self.output_bytes:
                self.ended_by = "output_cap"
            elif now >= self.deadline:
                self.ended_by = "timeout"
            if self.ended_by is not None:
                self.end()
                return
            self._step(min(_TICK_S, self.deadline - now))

    def end(self) -> None:
        """Ask the process and its group to end, then end them."""
        inner = stragglers.inner_processes(self.process.pid)
        for pid in inner:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGTERM)
        if not inner:
            self.signal_group(signal.SIGTERM)
        until = time.monotonic() + _GRACE_S
        while self.exited is None and (now := time.monotonic()) < until:
            self._step(until - now)
        self.signal_group(signal.SIGKILL)
        while self.exited is None:
            self._step(_TICK_S)

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
            before = self.stdout.total_bytes + self.stderr.total_bytes
            self._step(until - time.monotonic())
            quiet = before == self.stdout.total_bytes + self.stderr.total_bytes
            if quiet and time.monotonic() >= until:
                break
        return self.open_pipes > 0
