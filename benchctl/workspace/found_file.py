"""One file as an agent left it, read without trust: nothing is followed, nothing is waited for, nothing is read without end."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from benchctl.workspace.source_file import Mode
from benchctl.workspace.tree import State, state_of

__all__ = ["TEXT_BYTES", "FoundFile", "found_file"]

TEXT_BYTES: Final = 1 << 20
"""A file of more than that is told by its size and digest alone."""

_CHUNK: Final = 1 << 20
_KINDS: Final[dict[int, Literal["fifo", "socket"]]] = {stat.S_IFIFO: "fifo", stat.S_IFSOCK: "socket"}


@dataclass(frozen=True, slots=True)
class FoundFile:
    """What stands at a path. `data` is None for more than was to be kept, `sha256` None where it was not read whole.

    `kind` is a file's mode as git writes it, or the word for what is no file. `state` is None for a file of the base.
    """

    kind: Mode | Literal["fifo", "socket", "device", "unreadable"]
    size: int
    sha256: str | None = None
    data: bytes | None = None
    state: State | None = field(default=None, compare=False)


def found_file(
    root: Path, path: str, *, hashed_bytes: int = TEXT_BYTES, kept_bytes: int = TEXT_BYTES
) -> FoundFile | None:
    """Return the file at `path` below `root`; None where there is none, a folder, or a link on the way to it.

    A file of more than `hashed_bytes` is not read, of one of more than `kept_bytes` no data is kept. A path that ends with `/` is of a folder that could not be read.
    """
    *folders, name = path.split("/")
    at = -1
    try:
        at = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        for folder in folders:
            inner = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
            os.close(at)
            at = inner
        if not name:
            return FoundFile("unreadable", 0)
        found = os.stat(name, dir_fd=at, follow_symlinks=False)
        if stat.S_ISDIR(found.st_mode):
            return None
        return replace(_of(found, name, at, hashed_bytes, kept_bytes), state=state_of(found))
    except OSError:
        return None
    finally:
        if at >= 0:
            os.close(at)


def _of(found: os.stat_result, name: str, folder: int, hashed_bytes: int, kept_bytes: int) -> FoundFile:
    if stat.S_ISLNK(found.st_mode):
        target = os.fsencode(os.readlink(name, dir_fd=folder))
        return FoundFile("120000", len(target), hashlib.sha256(target).hexdigest(), target)
    if not stat.S_ISREG(found.st_mode):
        return FoundFile(_KINDS.get(stat.S_IFMT(found.st_mode), "device"), 0)
    kind: Mode = "100755" if found.st_mode & stat.S_IXUSR else "100644"
    if found.st_size > hashed_bytes:
        return FoundFile(kind, found.st_size)
    try:
        # Not blocking: what was a file a moment ago may be a pipe that nobody writes to.
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return FoundFile("unreadable", found.st_size)
    try:
        return _read(fd, kind, found.st_size, kept_bytes)
    finally:
        os.close(fd)


def _read(fd: int, kind: Mode, size: int, kept_bytes: int) -> FoundFile:
    digest, kept, left = hashlib.sha256(), bytearray(), size
    while left > 0 and (data := os.read(fd, min(left, _CHUNK))):
        digest.update(data)
        left -= len(data)
        if size <= kept_bytes:
            kept += data
    return FoundFile(kind, size, digest.hexdigest(), bytes(kept) if size <= kept_bytes else None)
