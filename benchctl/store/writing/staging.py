"""A place beside the runs where something is made whole before it can be seen, and that nobody has to clean up.

`<store>/importing/<pid>-…/` belongs to the process that holds the lock inside of it; of a dead one
it is swept by whoever comes next. No reader of the store looks there.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shutil
import stat
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchctl.errors import ImportUnreadableError, Where
from benchctl.store.disk.durable import make_folder, unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

__all__ = ["STAGING", "Copied", "copied", "staged"]

STAGING: Final = "importing"
_LOCK: Final = "lock"
_CHUNK: Final = 1 << 20


@contextmanager
def staged(store: Path) -> Iterator[Path]:
    """Give a new folder of our own on the store's disk, and remove it afterwards, whatever happens.

    What dead processes have left of theirs is swept first. Raises StoreUnwritableError.
    """
    root = store / STAGING
    make_folder(root)
    _sweep(root)
    folder = root / f"{os.getpid()}-{secrets.token_hex(4)}"
    lock = _made(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
        with suppress(OSError):
            root.rmdir()  # the last one out


def _made(folder: Path) -> int:
    """Return the lock of a new folder, held; a sweep that comes in between takes the folder for nobody's, so again."""
    while True:
        with unwritable(folder):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            except FileNotFoundError:
                continue
            fcntl.flock(lock, fcntl.LOCK_EX)
            if os.fstat(lock).st_nlink > 0:
                return lock
            os.close(lock)


def _sweep(root: Path) -> None:
    """Remove the folders whose lock nobody holds."""
    for folder in root.iterdir():
        with suppress(OSError):
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


@dataclass(frozen=True, slots=True)
class Copied:
    """A file's copy: the bytes that were read, which are the bytes that will be kept."""

    path: Path
    sha256: str
    bytes: int


def copied(source: Path, into: Path) -> Copied:
    """Copy a file, read once and hashed on the way, durably.

    Raises ImportUnreadableError for what is no regular file, OSError of the source, StoreUnwritableError.
    """
    sha256, size = hashlib.sha256(), 0
    with _regular(source) as file, unwritable(into), into.open("xb") as copy:
        while chunk := file.read(_CHUNK):
            sha256.update(chunk)
            size += len(chunk)
            copy.write(chunk)
        copy.flush()
        os.fsync(copy.fileno())
    return Copied(into, sha256.hexdigest(), size)


def _regular(source: Path) -> BinaryIO:
    """Return a file, open; a pipe is never waited for and a device never opened."""
    try:
        kind = source.stat().st_mode
    except FileNotFoundError:
        raise _not_read(source, "there is no such file", _MISSING) from None
    if stat.S_ISREG(kind):
        descriptor = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        kind = os.fstat(descriptor).st_mode  # what it is now, should the name have been given to another
        if stat.S_ISREG(kind):
            return os.fdopen(descriptor, "rb")
        os.close(descriptor)
    what, next_step = next((said for is_kind, *said in _KINDS if is_kind(kind)), _OTHER)
    raise _not_read(source, what, next_step)


_SAVE: Final = "save what it gives in a file and import that: its bytes are kept, and read more than once"
_KINDS: Final = (
    (stat.S_ISDIR, "a folder", "name the file in it"),
    (stat.S_ISFIFO, "a pipe", _SAVE),
    (stat.S_ISSOCK, "a socket", _SAVE),
    (stat.S_ISCHR, "a device", _SAVE),
    (stat.S_ISBLK, "a device", _SAVE),
)
_MISSING: Final = "standard input is not read: save what a program writes in a file first"
_OTHER: Final = ["no regular file", _SAVE]


def _not_read(source: Path, what: str, next_step: str) -> ImportUnreadableError:
    return ImportUnreadableError(
        what, where=Where(str(source)), expected="a regular file", next_step=next_step
    )
