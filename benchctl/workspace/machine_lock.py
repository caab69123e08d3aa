"""One run at a time on a machine: two that collect at once would measure each other.

The lock belongs to a user and a machine. The processes that share a run hold it together and take turns, a cell
at a time; another run is refused, or waits. It is an flock, so it ends with its process however that ends; what
the file says (process id, start time, boot id, run) is for whoever is refused, who must not hold it to read it.

Deliberately left out: runs of other users, whose processes we may not see, and other load on the machine, which
the evidence of each cell tells (`stalled_cpu_s`).
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from benchctl.errors import LockFolderUnsafeError, MachineBusyError, Where
from benchctl.workspace.living import Living, this_process

__all__ = ["Holder", "MachineLock", "lock_folder", "machine_lock"]

_LOCK: Final = "lock"
"""Held by who collects: shared among those of one run, by nobody else."""

_DOOR: Final = "door"
"""Held while somebody finds out whether the lock is free, so that of many who come at once one gets it."""

_TURN: Final = "turn"
"""Held for the time of a cell."""

_MOST_BYTES: Final = 65536
_POLL_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has the machine: a process, the run that it collects, and the folder that this is kept in.

    Two runs of one name are one run here: a copy of a run that is shared is told from it by nothing. Where they
    are strangers, they take turns.
    """

    process: Living
    run: str
    place: str


def lock_folder() -> Path:
    """Return the folder of the lock: $XDG_RUNTIME_DIR, else /run/user/UID, else one in /tmp that only this user has."""
    given = os.environ.get("XDG_RUNTIME_DIR")
    if given and os.path.isabs(given):  # noqa: PTH117 - a text is asked
        return Path(given, "benchctl")
    user = os.getuid()
    if _is_own(Path(f"/run/user/{user}")):
        return Path(f"/run/user/{user}/benchctl")
    return Path(f"/tmp/benchctl-{user}")  # noqa: S108 - one place for all shells, whatever their TMPDIR; `_open` makes it safe


def _is_own(folder: Path) -> bool:
    try:
        status = folder.lstat()
    except OSError:
        return False
    return _is_safe(status)


def _is_safe(status: os.stat_result) -> bool:
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


@contextmanager
def machine_lock(
    run: str,
    place: Path,
    *,
    folder: Path | None = None,
    wait: bool = False,
    waiting: Callable[[Holder | None], None] | None = None,
) -> Iterator[MachineLock]:
    """Hold the machine for a run, which is kept in the folder `place`, while the block lasts.

    Who collects the same run already is joined. Of another run MachineBusyError is raised, or with `wait` its end
    is waited for; `waiting` then hears once whose that is. Raises LockFolderUnsafeError where others could move
    the lock away.
    """
    lock = MachineLock(lock_folder() if folder is None else folder, run, str(place.absolute()))
    told = False
    try:
        while not lock.take():
            if not wait:
                raise _busy(lock)
            if waiting is not None and not told:
                waiting(lock.holder())
                told = True
            time.sleep(_POLL_S)
        yield lock
    finally:
        lock.release()


class MachineLock:
    """The lock of this machine and user, for one run; nothing is held before `take`."""

    def __init__(self, folder: Path, run: str, place: str) -> None:
        self.path = folder / _LOCK
        self._run, self._place = run, place
        self._folder = _open_folder(folder)
        self._held = -1

    def take(self) -> bool:
        """Hold the lock, alone or with others of the same run; return whether it is held."""
        # While we hold the door nobody else takes or shares the lock, so that a conversion loses it to nobody.
        with self._locked(_DOOR):
            held = self._open(_LOCK)
            if _try(held, fcntl.LOCK_EX):
                self._sign(held)
                fcntl.flock(held, fcntl.LOCK_SH)
            elif not (self._is_ours(held) and _try(held, fcntl.LOCK_SH)):
                os.close(held)
                return False
            elif not self._signer_lives(held):
                self._sign(held)
            self._held = held
        return True

    @contextmanager
    def turn(self, waiting: Callable[[], None] | None = None) -> Iterator[None]:
        """Hold the time of one cell: whoever shares the run waits for the end of the block.

        `waiting` hears where the turn is another's now.
        """
        with self._locked(_TURN, waiting):
            yield

    def holder(self) -> Holder | None:
        """Return who took the lock last, dead or alive; None where nobody is named."""
        try:
            descriptor = self._open(_LOCK)
        except OSError:
            return None
        try:
            return _holder(os.pread(descriptor, _MOST_BYTES, 0))
        finally:
            os.close(descriptor)

    def release(self) -> None:
        """Give the lock back; twice is fine."""
        for descriptor in (self._held, self._folder):
            if descriptor >= 0:
                os.close(descriptor)
        self._held = self._folder = -1

    def _is_ours(self, descriptor: int) -> bool:
        named = _holder(os.pread(descriptor, _MOST_BYTES, 0))
        return named is not None and named.run == self._run

    @staticmethod
    def _signer_lives(descriptor: int) -> bool:
        named = _holder(os.pread(descriptor, _MOST_BYTES, 0))
        return named is not None and named.process.alive

    def _sign(self, descriptor: int) -> None:
        text = json.dumps(asdict(Holder(this_process(), self._run, self._place))).encode()
        os.pwrite(descriptor, text, 0)
        os.ftruncate(descriptor, len(text))

    @contextmanager
    def _locked(self, name: str, waiting: Callable[[], None] | None = None) -> Iterator[None]:
        descriptor = self._open(name)
        try:
            if waiting is not None and not _try(descriptor, fcntl.LOCK_EX):
                waiting()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _open(self, name: str) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(name, flags, 0o600, dir_fd=self._folder)


def _open_folder(folder: Path) -> int:
    """Return a descriptor of the folder, made where it is missing: one that only this user can write to."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise _unsafe(folder, f"cannot be used: {error.strerror}") from error
    if not _is_safe(os.fstat(descriptor)):
        os.close(descriptor)
        raise _unsafe(folder, "others can write to it, or own it")
    return descriptor


def _unsafe(folder: Path, why: str) -> LockFolderUnsafeError:
    return LockFolderUnsafeError(
        f"the folder of this machine's lock {why}",
        where=Where(str(folder)),
        expected="a folder of this user alone",
        next_step="remove it, or set XDG_RUNTIME_DIR to a folder that is yours",
    )


def _holder(data: bytes) -> Holder | None:
    try:
        found: Any = json.loads(data)
        process = Living.read(found["process"])
        return Holder(process, str(found["run"]), str(found["place"])) if process else None
    except (ValueError, KeyError, TypeError):
        return None


def _try(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _busy(lock: MachineLock) -> MachineBusyError:
    holder = lock.holder()
    by = "another run"
    if holder:
        by = f"run {holder.run} in {holder.place}"
    if holder and holder.process.alive:  # else it is held by another of those who share that run
        who = holder.process
        by += f" by process {who.pid}, started at tick {who.started} of boot {who.boot}"
    return MachineBusyError(
        f"this machine is collecting {by}",
        where=Where(str(lock.path)),
        expected="one run at a time: two would measure each other",
        next_step="wait for it (--wait does), or end that process",
    )
