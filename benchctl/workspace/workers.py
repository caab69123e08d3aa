"""A worker process for each cell, so that one cell's family is never taken for another's, nor outlives the collector."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self, Unpack

from benchctl.errors import WorkerUnavailableError
from benchctl.schema.evidence import Stream
from benchctl.workspace import job as job_module
from benchctl.workspace import stragglers
from benchctl.workspace.clock import utc_now
from benchctl.workspace.job import Job, ProcessResult, Terms
from benchctl.workspace.nursery import CLEARED
from benchctl.workspace.process import end_orphans
from benchctl.workspace.worker import NUMBER_BYTES, job_bytes, received, result_from

__all__ = ["Workers"]

_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from benchctl.workspace.nursery import main; main(int(sys.argv[2]))"
_INHERITED = ("LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE")
"""What this interpreter may need to start and to spell file names; nothing else, since a cell may read it."""

_STOOD_STILL = "the worker of this cell stood still and was ended"
_TRIES = 3
_PAUSE_S = 0.2

_ANSWER_S = 30.0
"""A nursery that has not answered by then stands still, and is replaced."""

_LATE_S = 60.0
"""A worker that is so late after the end of its cell's time stands still."""

_END_S = 10.0
"""How long an interrupted worker, or a nursery that is told to go, may take before it is killed."""


class Workers:
    """The workers of one run; a context manager that leaves no process behind.

    Each call of `run` has a worker process of its own: forked by a nursery that was started once, holding no
    lock and no descriptor of this process. When this process dies, of whatever, every cell ends.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._nursery: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._before: frozenset[int] = frozenset()
        self._owed = 0

    def __enter__(self) -> Self:
        stragglers.adopt_orphans()  # of a nursery that dies
        self._before = frozenset(stragglers.own_children())
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._dismiss()

    def run(self, argv: Sequence[str], **terms: Unpack[Terms]) -> ProcessResult:
        """Run a command in a worker of its own and return what it did, as process.run_process does.

        A worker that is killed takes its cell along: the outcome is `interrupted`; `host_stalled` where it did
        not come to an end long after its time and had to be killed. An interrupt of this
        process ends the cell and is raised again. Raises WorkerUnavailableError where no worker can be started.
        """
        job = Job.of(argv, **terms)
        started_at, started = utc_now(), time.monotonic()
        connection, pid = self._begun()
        try:
            answer = self._answer(connection, pid, job)
        finally:
            connection.close()
            with self._lock:
                self._forget(pid)
        if isinstance(answer, ProcessResult):
            return answer
        self._clear(job.marker)
        return _void(answer, started_at, time.monotonic() - started)

    def _begun(self) -> tuple[socket.socket, int]:
        """Return the stream to a new worker, and its pid; nothing was told to it yet."""
        for _ in range(_TRIES):
            connection, theirs = socket.socketpair()
            try:
                with theirs:
                    self._ask_for_worker(theirs)
                connection.settimeout(_ANSWER_S)
                pid = connection.recv(NUMBER_BYTES, socket.MSG_WAITALL)
            except ConnectionError:
                pid = b""
            except TimeoutError:
                pid = b""
                self._give_up()
            except BaseException:
                connection.close()
                raise
            if len(pid) == NUMBER_BYTES:
                number = int.from_bytes(pid, "big")
                stragglers.spared.add(number)
                return connection, number
            # Nothing was begun: the nursery has died, or could not fork, or stands still.
            connection.close()
            time.sleep(_PAUSE_S)
        raise WorkerUnavailableError(
            f"no process for a cell could be started, {_TRIES} times in a row",
            next_step="look at the limit of processes (ulimit -u) and at free memory",
        )

    def _ask_for_worker(self, descriptor: socket.socket) -> None:
        with self._lock:
            if self._nursery is None or self._nursery.poll() is not None:
                self._found()
            assert self._control is not None  # noqa: S101 - founded with its nursery
            socket.send_fds(self._control, [b"w"], [descriptor.fileno()])

    def _found(self) -> None:
        """Start the nursery, in a session of its own: what is typed at the terminal is for the collector alone."""
        self._dismiss()
        self._owed = 0
        self._control, theirs = socket.socketpair()
        self._control.settimeout(_ANSWER_S)
        package = Path(job_module.__file__).parents[2]
        with theirs:
            self._nursery = subprocess.Popen(
                [sys.executable, "-I", "-c", _BOOT, str(package), str(theirs.fileno())],
                cwd="/",
                env={name: os.environ[name] for name in _INHERITED if name in os.environ},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        stragglers.spared.add(self._nursery.pid)

    def _dismiss(self) -> None:
        """Let the nursery go, and with it what is left of its workers."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._nursery is not None:
            nursery, self._nursery = self._nursery, None
            try:
                nursery.wait(_END_S)
            except subprocess.TimeoutExpired:
                nursery.kill()
                nursery.wait()
            stragglers.spared.discard(nursery.pid)

    def _give_up(self) -> None:
        """Kill a nursery that does not answer; its workers live on, as our children."""
        with self._lock:
            if self._nursery is not None:
                self._nursery.kill()
            self._dismiss()

    def _answer(self, connection: socket.socket, pid: int, job: Job) -> ProcessResult | str:
        """Return the worker's result, or why there is none."""
        connection.settimeout(job.wall_s + _LATE_S)
        try:
            connection.sendall(job_bytes(job))
            message = received(connection)
        except TimeoutError:
            # It holds its end of the stream still open, so the number is its own.
            os.kill(pid, signal.SIGKILL)
            return _STOOD_STILL
        except ConnectionError:
            message = None
        except BaseException:
            try:
                self._hang_up(connection, pid)
            finally:
                self._clear(job.marker)
            raise
        return "the worker of this cell was ended from outside" if message is None else result_from(message)

    @staticmethod
    def _hang_up(connection: socket.socket, pid: int) -> None:
        """Have a worker end its cell, and wait until it has; a second interrupt waits for nothing."""
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        connection.settimeout(_END_S)
        try:
            while connection.recv(1 << 20):
                pass
        except ConnectionError:
            return
        except BaseException as error:
            # It holds its end still open, so the number is its own.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            if not isinstance(error, TimeoutError):
                raise

    def _clear(self, marker: str) -> None:
        """End all that a dead worker has left: the nursery's new children, ours, and whoever carries the marker."""
        try:
            with self._lock:
                if self._control is not None:
                    self._owed += 1  # an interrupt may have come before an earlier answer was read
                    self._control.sendall(CLEARED)
                    while self._owed and (answers := self._control.recv(self._owed)):
                        self._owed -= len(answers)
        except TimeoutError:
            self._give_up()
        except ConnectionError:
            pass  # the nursery has died, and what was its is ours
        end_orphans(self._before, marker)
        stragglers.end_marked(marker, whole=True)

    def _forget(self, pid: int) -> None:
        """Collect a worker whose nursery has died, since it is our child then."""
        stragglers.spared.discard(pid)
        if self._nursery is not None and self._nursery.poll() is None:
            return
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)


def _void(why: str, started_at: str, wall_s: float) -> ProcessResult:
    """Return the result of a cell that has lost its worker."""
    return ProcessResult(
        outcome="host_stalled" if why == _STOOD_STILL else "interrupted",
        exit_code=None,
        wall_s=wall_s,
        cpu_s=None,
        stdout=Stream(),
        stderr=Stream(),
        stragglers=0,
        started_at=started_at,
        ended_at=utc_now(),
        detail=why,
    )
