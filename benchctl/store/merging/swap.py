"""A whole run put into a store at once: built in a hidden folder beside `runs`, then swapped into place.

The hidden folder `.merge` is on the same disk and no reader looks into it. Who writes there holds its
lock, so what is in it when the lock is free is left over, and the next one sweeps it. The run's own
lock is held too: somebody who starts a run of the same id is told that it is busy. The swap
(`RENAME_EXCHANGE`, renameat2(2)) leaves no moment at which the run is half there.

Note: a plain rename would do on most days, but it also replaces an empty folder that somebody else has just made.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import os
import shutil
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchctl.errors import RunBusyError, StoreDamagedError, Where
from benchctl.store.disk.durable import fsync_folder, make_folder, unwritable
from benchctl.store.journals.lock import RunLock
from benchctl.store.journals.state import standing
from benchctl.store.writing.starting import withdraw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchctl.store.disk.entries import FileEntry
    from benchctl.store.disk.layout import RunLayout

__all__ = ["copy_bytes", "copy_verified", "placing", "refuse_sparse", "refuse_unless", "staging"]

_HIDDEN: Final = ".merge"
_LOCK: Final = "lock"
_ASIDE: Final = ".before"
_BLOCK: Final = 1 << 20
_SPARSE_BYTES: Final = 64 << 20
_HOLES: Final = 64
_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2
_UNSUPPORTED: Final = {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP}


@contextmanager
def staging(store: Path) -> Iterator[Path]:
    """Give the hidden folder of a store to one writer at a time, empty, and remove it afterwards.

    Raises RunBusyError where another one is merging into this store.
    """
    folder = store / _HIDDEN
    with unwritable(folder):
        descriptor = _locked(folder)
        try:
            _empty(folder)
            yield folder
        finally:
            try:
                _empty(folder)
                (folder / _LOCK).unlink(missing_ok=True)
                folder.rmdir()
                fsync_folder(store)
            finally:
                os.close(descriptor)


def _locked(folder: Path) -> int:
    while True:
        make_folder(folder)
        try:
            descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except FileNotFoundError:  # the one before us has removed the folder just now
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise RunBusyError(
                "another merge is writing into this store",
                where=Where(str(folder / _LOCK)),
                next_step="wait until it has ended, and run this again",
            ) from error
        if os.fstat(descriptor).st_nlink > 0:
            return descriptor
        os.close(descriptor)


def _empty(folder: Path) -> None:
    """Remove what is left over; a run that a cut between two renames had moved aside goes back to its place."""
    for path in folder.iterdir():
        place = folder.parent / "runs" / path.name.removesuffix(_ASIDE)
        if path.name.endswith(_ASIDE) and not place.exists():
            path.rename(place)
            continue
        if path.name != _LOCK:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


@contextmanager
def placing(staged: Path, layout: RunLayout, before: str) -> Iterator[None]:
    """Swap the folder `staged`, which the caller builds inside, into a run's place; nothing of it is seen before.

    `before` is what must be in that place now: `absent`, or `open` where a closed run takes the place of its own
    shard. Raises RunBusyError where it is something else by now, or somebody collects it.
    """
    lock, swapped = RunLock(layout.lock, layout.folder.name), False
    try:
        refuse_unless(layout, before)
        yield
        with unwritable(layout.folder):
            for folder, _, _ in os.walk(staged, topdown=False):
                fsync_folder(Path(folder))
            _swap(staged, layout.folder)
            swapped = True
            fsync_folder(layout.folder.parent)
            if staged.exists():
                shutil.rmtree(staged)
    except BaseException:
        if not swapped:  # afterwards the lock that is held is not in that place any more
            _withdraw(layout)
        raise
    finally:
        lock.release()


def refuse_unless(layout: RunLayout, before: str) -> None:
    """Raise RunBusyError where a run, whose lock the caller holds, is not what it was when the merge was planned."""
    if (found := standing(layout).state) != before:
        raise RunBusyError(
            f"run {layout.folder.name} is {found} now, and was {before} a moment ago",
            where=Where(str(layout.folder)),
            next_step="run the same command again",
        )


def _withdraw(layout: RunLayout) -> None:
    """Take back what taking the lock has made: a folder with nothing else in it, or a closed run's folder of journals."""
    held = {
        path for folder in (layout.folder, layout.journal) if folder.is_dir() for path in folder.iterdir()
    }
    if held and held <= {layout.journal, layout.lock}:
        shutil.rmtree(layout.folder)
    else:
        withdraw(layout)


def _swap(staged: Path, final: Path) -> None:
    """Exchange two folders; where the system cannot, rename in two steps, of which a cut between leaves no run."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is not None:
        source, target = os.fsencode(staged), os.fsencode(final)
        if rename(_AT_FDCWD, source, _AT_FDCWD, target, _RENAME_EXCHANGE) == 0:
            return
        if (number := ctypes.get_errno()) not in _UNSUPPORTED:
            raise OSError(number, os.strerror(number), str(final))
    aside = staged.with_name(f"{staged.name}{_ASIDE}")
    final.rename(aside)
    staged.rename(final)
    shutil.rmtree(aside)


def copy_verified(source: Path, into: Path, wanted: FileEntry) -> None:
    """Copy a regular file durably; its bytes are what they must be, or nothing is there. Raises StoreDamagedError."""
    size, sha256 = _copy(source, into, wanted.bytes)
    if (size, sha256) != (wanted.bytes, wanted.sha256):
        into.unlink(missing_ok=True)
        raise StoreDamagedError(
            f"the file is {size} bytes, sha256 {sha256}",
            where=Where(str(source)),
            expected=f"{wanted.bytes} bytes, sha256 {wanted.sha256}",
            next_step="restore the file from a copy; nothing was merged of this run",
        )


def copy_bytes(source: Path, into: Path, size: int) -> str:
    """Copy the first `size` bytes of a regular file durably and return their sha256."""
    return _copy(source, into, size, whole=False)[1]


def _copy(source: Path, into: Path, size: int, *, whole: bool = True) -> tuple[int, str]:
    """Copy up to `size` bytes; return how many the source has (`whole`) or were copied, and the copy's sha256."""
    sha256, left = hashlib.sha256(), size
    descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise StoreDamagedError("not a regular file", where=Where(str(source)))
        with unwritable(into):
            make_folder(into.parent)
            with into.open("xb") as copy:
                while left and (block := file.read(min(_BLOCK, left))):
                    copy.write(block)
                    sha256.update(block)
                    left -= len(block)
                copy.flush()
                os.fsync(copy.fileno())
    return status.st_size if whole else size - left, sha256.hexdigest()


def refuse_sparse(path: Path) -> None:
    """Raise StoreDamagedError for what is no regular file, and for a big file that is nearly all holes: hashing it would take for ever."""
    status = path.lstat()
    what = None
    if not stat.S_ISREG(status.st_mode):
        what = "not a regular file"
    elif status.st_size > _SPARSE_BYTES and status.st_blocks * 512 * _HOLES < status.st_size:
        what = f"{status.st_size} bytes, of which {status.st_blocks * 512} are on the disk: a sparse file"
    if what:
        raise StoreDamagedError(
            what,
            where=Where(str(path)),
            expected="a file of a run, written whole",
            next_step="take it out of the run, or restore it from a copy; nothing was merged of this run",
        )
