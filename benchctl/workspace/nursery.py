"""The nursery: one small process a run that forks a worker for each cell, and ends what a dead worker leaves.

It is a program of its own, so that no worker inherits a lock, a descriptor or the memory of the collector; and it
is small, so that a fork is cheap. It never reads a job. Whoever loses its worker becomes the nursery's child and
is ended; when the collector goes away, so do the workers, and the nursery follows them.

Run as `python -c … FD`, where FD is one end of a stream socket: one byte with a descriptor asks for a worker that
serves it, one byte without is answered once nothing is left of workers that are dead.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import time

from benchctl.workspace import stragglers
from benchctl.workspace.cgroup import end_group_of, groups_home, remove_empty_groups
from benchctl.workspace.keyrings import leave_session_keyring
from benchctl.workspace.worker import serve

__all__ = ["CLEARED", "main"]

CLEARED = b"c"
"""The question whether dead workers have left something, and the answer that they have not."""

_LAST_S = 5.0
"""How long workers may take to end their cells once the collector is gone: more than SIGTERM's grace."""

_ROUND_S = 0.0005


def main(descriptor: int) -> None:
    """Serve until the collector goes away."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN if number == signal.SIGPIPE else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    with contextlib.suppress(ImportError):
        # Once here, and not once in every worker.
        import ahocorasick_rs  # noqa: F401 - what redaction searches with, once there is a secret

        import benchctl.workspace.redaction  # noqa: F401
    stragglers.adopt_orphans()
    stragglers.close_memory()
    leave_session_keyring()  # a cell could read the keys of whoever started the collector
    gc.collect()
    gc.freeze()  # or the first collection in every worker would copy all that it shares with this process
    nursery = _Nursery(socket.socket(fileno=descriptor))
    while nursery.turn():
        pass
    nursery.end()


class _Nursery:
    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.workers: set[int] = set()
        self.groups = groups_home()
        if self.groups is not None:
            remove_empty_groups(self.groups)
        self.bell, ring = socket.socketpair()
        os.set_blocking(self.bell.fileno(), False)
        os.set_blocking(ring.fileno(), False)
        self.ring = ring
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(ring.fileno(), warn_on_full_buffer=False)

    def turn(self) -> bool:
        """Wait for a word of the collector or the death of a child, and see to it; False once the collector is gone."""
        readable, _, _ = select.select([self.control, self.bell], [], [])
        if self.bell in readable:
            self._answer_bell()
        if self.control not in readable:
            return True
        try:
            word, descriptors, _, _ = socket.recv_fds(self.control, 1, 1)
        except ConnectionError:
            return False
        if not word:
            return False
        if descriptors:
            self._begin(descriptors[0])
        else:
            self._clear()
            with contextlib.suppress(OSError):
                self.control.sendall(CLEARED)
        return True

    def _begin(self, descriptor: int) -> None:
        """Fork a worker that serves the descriptor; where no fork is possible, the descriptor's end says so."""
        try:
            pid = os.fork()
        except OSError:
            pid = -1
        if pid == 0:
            try:
                self._become_worker(descriptor)
            finally:
                os._exit(0)
        os.close(descriptor)
        if pid > 0:
            self.workers.add(pid)

    def _become_worker(self, descriptor: int) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        gc.disable()  # it does one thing and is gone
        for inherited in (self.control, self.bell, self.ring):
            inherited.close()
        serve(socket.socket(fileno=descriptor), self.groups)

    def _answer_bell(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self.bell.recv(4096):
                pass
        self._clear()

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (dead := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                if dead in self.workers:
                    self.workers.remove(dead)
                    if self.groups is not None:
                        end_group_of(self.groups, dead)

    def _clear(self) -> None:
        """Collect the dead, and end every child that is no worker: it has lost its own."""
        until = time.monotonic() + stragglers.SWEEP_S
        while time.monotonic() < until:
            self._reap()
            orphans = [pid for pid in stragglers.own_children() if pid not in self.workers]
            if not orphans:
                return
            for pid in reversed(orphans):
                stragglers.end_family(pid)
            # What was killed hands its own children to us once it is dead: look again at once.
            time.sleep(_ROUND_S)

    def end(self) -> None:
        """Let the workers, whose streams have ended too, end their cells; then end what is left."""
        until = time.monotonic() + _LAST_S
        self._clear()
        while self.workers and time.monotonic() < until:
            select.select([self.bell], [], [], max(0.0, until - time.monotonic()))
            self._answer_bell()
        late, self.workers = self.workers, set()
        for pid in late:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._clear()
        if self.groups is not None:
            for pid in late:
                end_group_of(self.groups, pid)
            remove_empty_groups(self.groups)
