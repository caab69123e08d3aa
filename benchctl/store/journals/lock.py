"""Who is collecting a run: one process, or several that share it, named so that anybody can see whether they live.

The lock is an flock, so it ends with its process however that ends. Its content (process
id, start time, boot id) is for readers, who must not take the lock to look: a pid alone
may have been given to another process since.
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from benchctl.errors import RunBusyError, Where
from benchctl.store.disk.durable import fsync_folder, make_folder, unwritable
from benchctl.store.disk.layout import RunLayout
from benchctl.store.disk.untrusted import parse_json, read_regular
from benchctl.store.journals.journal import journals
from benchctl.store.journals.lines import read_valid_prefix

__all__ = ["Collector", "RunLock", "held_unseen", "read_collector", "read_collectors"]

_PIDS: Final = range(1, 2**31)
_MOST_BYTES: Final = 65536
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Collector:
    """A process that collects, or collected, a run.

    `started` is its start in clock ticks since boot, `boot` the machine's boot id, and `space` where its pid counts
    (`pid_namespaces(7)`); each None where the system, or an earlier version, does not say.
    """

    pid: int
    started: int | None
    boot: str | None
    space: str | None = None

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

    @property
    def visible(self) -> bool:
        """Return whether we would see it: it is of this machine, and its pid counts where ours does."""
        return self.boot == _boot() and self.space in (None, _space())


def _boot() -> str | None:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return None


def _space() -> str | None:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
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


def _collector(data: Any) -> Collector | None:
    """Return the process that is named; None for what can be the id of none."""
    try:
        pid = data["pid"]
        named = data["started"], data["boot"], data.get("space")
        return Collector(pid, *named) if type(pid) is int and pid in _PIDS else None
    except (AttributeError, KeyError, TypeError):
        return None


def read_collector(path: Path) -> Collector | None:
    """Return who took the lock last, dead or alive; None where nobody is named."""
    try:
        return _collector(parse_json(read_regular(path, _MOST_BYTES)))
    except (OSError, ValueError):
        return None


def read_collectors(folder: Path) -> tuple[Collector, ...]:
    """Return the living writers of a run, as the first events of its journals name them, in the order they came."""
    named = []
    for path in journals(folder):
        with suppress(FileNotFoundError):  # closed meanwhile
            named += [_collector(line.event.get("collector")) for line in islice(read_valid_prefix(path), 1)]
    return tuple(each for each in named if each and each.alive)


def held_unseen(path: Path) -> bool:
    """Return whether somebody holds a run's lock whom we would not see: of another machine, or in another container.

    The lock is taken to find that out, for a moment, and only where whoever had it last cannot be looked up.
    """
    last = read_collector(path)
    if last is None or last.visible:
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        return not _try(descriptor, fcntl.LOCK_EX)
    except OSError:  # a file system that has no locks for readers
        return False
    finally:
        os.close(descriptor)


class RunLock:
    """The lock of one run, held from construction to `release` or the end of the process.

    `alone` is whether nobody else holds it now. A lock that may be `shared` is first tried alone, so that
    whoever comes to a run where nobody lives can tidy it; `share` then lets others in.
    """

    def __init__(self, path: Path, run: str, *, shared: bool = False) -> None:
        make_folder(path.parent)
        self.path = path
        self.collector = Collector(os.getpid(), _started(os.getpid()), _boot(), _space())
        with unwritable(path):
            self._descriptor, self.alone = self._take(path, run, shared=shared)
            try:
                self._sign()
            except BaseException:
                self.release()
                raise

    def share(self) -> None:
        """Let others hold the lock too. Raises RunBusyError where one took it alone in between; it is released then."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:  # a conversion that fails has lost the lock (flock(2))
            self.release()
            raise _busy(self.path, self.path.parents[1].name) from None
        self.alone = False

    def take_alone(self) -> None:
        """Hold the lock alone again, and say so in it; waits for whoever is about to release it."""
        with unwritable(self.path):
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
            self._sign()
        self.alone = True

    def _sign(self) -> None:
        """Say in the file who holds it."""
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, json.dumps(asdict(self.collector)).encode(), 0)
        os.fsync(self._descriptor)
        fsync_folder(self.path.parent)

    @staticmethod
    def _take(path: Path, run: str, *, shared: bool) -> tuple[int, bool]:
        """Return the descriptor of the locked file, and whether it is locked for us alone."""
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            alone = _try(descriptor, fcntl.LOCK_EX)
            if not alone and not (shared and _try(descriptor, fcntl.LOCK_SH)):
                os.close(descriptor)
                raise _busy(path, run)
            # The one before us may have closed the run and removed the file that we have locked.
            if os.fstat(descriptor).st_nlink > 0:
                return descriptor, alone
            os.close(descriptor)
            make_folder(path.parent)

    def release(self) -> None:
        """Give the lock back; twice is fine."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _try(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _busy(path: Path, run: str) -> RunBusyError:
    living = read_collectors(path.parent)
    holder = living[0] if living else read_collector(path)
    is_closed = RunLayout(path.parents[1]).generations()
    who = f"process {holder.pid if holder else 'unknown'}"
    if holder and not holder.visible:
        who = "a process that cannot be seen from here"
    return RunBusyError(
        f"run {run} is being {'added to' if is_closed else 'collected'} by {who}",
        where=Where(str(path)),
        next_step="wait for it, then repeat this"
        if is_closed
        else "wait for it, or end that process; `benchctl status` shows how far it is",
    )
