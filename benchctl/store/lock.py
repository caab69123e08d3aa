"""Who is collecting a run: one process at a time, named so that anybody can see whether it still lives.

The lock is an flock, so it ends with its process however that ends. Its content (process
id, start time, boot id) is for readers, who must not take the lock to look: a pid alone
may have been given to another process since.
"""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from benchctl.errors import RunBusyError, Where
from benchctl.store.durable import fsync_folder, make_folder, unwritable
from benchctl.store.outside import parse_json, read_regular

__all__ = ["Collector", "RunLock", "read_collector"]

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Collector:
    """A process that collects, or collected, a run.

    `started` is its start in clock ticks since boot and `boot` the machine's boot id; both
    None where the system does not say.
    """

    pid: int
    started: int | None
    boot: str | None

    @property
    def alive(self) -> bool:
        """Return whether that very process still runs on this machine since this boot."""
        if self.boot != _boot():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return self.started == _started(self.pid)


def _boot() -> str | None:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return None


def _started(pid: int) -> int | None:
    """Return field 22 of /proc/<pid>/stat (proc(5)); None where there is none, or for a zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text[text.rindex(")") + 2 :].split()  # the name before it may hold spaces and brackets
    return None if fields[0] in "ZX" else int(fields[19])


def read_collector(path: Path) -> Collector | None:
    """Return who took the lock last, dead or alive; None where nobody is named."""
    try:
        data = parse_json(read_regular(path))
        return Collector(int(data["pid"]), data["started"], data["boot"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


class RunLock:
    """The lock of one run, held from construction to `release` or the end of the process."""

    def __init__(self, path: Path, run: str) -> None:
        make_folder(path.parent)
        self.path = path
        self.collector = Collector(os.getpid(), _started(os.getpid()), _boot())
        with unwritable(path):
            self._descriptor = self._take(path, run)
            try:
                self._sign()
            except BaseException:
                self.release()
                raise

    def _sign(self) -> None:
        """Say in the file who holds it."""
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, json.dumps(asdict(self.collector)).encode(), 0)
        os.fsync(self._descriptor)
        fsync_folder(self.path.parent)

    @staticmethod
    def _take(path: Path, run: str) -> int:
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                os.close(descriptor)
                holder = read_collector(path)
                raise RunBusyError(
                    f"run {run} is being collected by process {holder.pid if holder else 'unknown'}",
                    where=Where(str(path)),
                    next_step="wait for it, or end that process; `benchctl status` shows how far it is",
                ) from error
            # The one before us may have closed the run and removed the file that we have locked.
            if os.fstat(descriptor).st_nlink > 0:
                return descriptor
            os.close(descriptor)
            make_folder(path.parent)

    def release(self) -> None:
        """Give the lock back; twice is fine."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
