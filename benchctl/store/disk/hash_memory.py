"""Which files were found to be what their manifests say, remembered from one process to the next.

A file counts as the one that was hashed while its path, device, inode, size and both its times are
the same and it belongs to the same user. It is only remembered once its times are safely older than
the moment of hashing, for a write in the same tick of the clock would leave no trace (what git calls
racily clean), and it is believed for a day.

What it does not see is a change that moves neither time: through a mapping of the file into memory
that its writer made before (the kernel moves the times when it writes the page back, or, on a file
system in memory, never), under the file system (a failing disk, a block device written to, a copy of
the whole disk put back), by whoever can set the clock, and on a file system of another machine that
gives out old times. So whatever gates, publishes, copies or corrects asks no memory (`disbelieve`),
and `verify-store` never does.

It is never needed: where it cannot be read or written, files are hashed again.
"""

from __future__ import annotations

import atexit
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchctl.store.disk.cache_file import read_cache, write_cache

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "BELIEVED_S",
    "SAFE_ACROSS_S",
    "SAFE_HERE_S",
    "Identity",
    "disbelieve",
    "identity",
    "is_settled",
    "recall",
    "remember",
]

Identity = tuple[int, int, int, int, int, int]
"""Device, inode, size, modification and change time in nanoseconds, owner."""

SAFE_HERE_S: Final = 0.05
"""Coarsest tick of a local file system's clock (a jiffy is at most 10 ms), several times over."""

SAFE_ACROSS_S: Final = 3.0
"""The same for what other processes trust: file systems with times of 2 s exist."""

BELIEVED_S: Final = 24 * 60 * 60
"""How long a file counts as hashed: a change that moves no time is found within a day."""

_MOST: Final = 100_000
_FILE: Final = "verified-2.json"

Key = tuple[str, str]
"""Path and sha256."""


def identity(status: os.stat_result) -> Identity:
    """Return what makes a file the same file, unchanged."""
    return (
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_uid,
    )


def is_settled(seen: Identity, hashed_at_ns: int, safe_s: float) -> bool:
    """Return whether a file's times are old enough at the moment of hashing for a later change to show in them."""
    return max(seen[3], seen[4]) + int(safe_s * 1e9) < hashed_at_ns


class _Hashed(NamedTuple):
    """Which file was hashed, and when, in nanoseconds since 1970."""

    seen: Identity
    at_ns: int

    def is_believed(self) -> bool:
        """Return whether that is less than a day ago, and not in the future."""
        return 0 <= time.time_ns() - self.at_ns < BELIEVED_S * 10**9


class _Memory:
    """What is remembered: read on the first question, written at the end of the process."""

    def __init__(self) -> None:
        self._kept: dict[Key, _Hashed] | None = None
        self._new: dict[Key, _Hashed] = {}
        self.is_believed = True

    def recall(self, key: Key) -> Identity | None:
        if not self.is_believed:
            return None
        if self._kept is None:
            self._kept = _read()
        found = self._new.get(key) or self._kept.get(key)
        return found.seen if found and found.is_believed() else None

    def remember(self, key: Key, found: _Hashed) -> None:
        if not self._new:
            atexit.register(self.save)
        self._new[key] = found

    def save(self) -> None:
        """Write what is new beside what others have written meanwhile; the last of two at once wins."""
        atexit.unregister(self.save)
        if self._new:
            _write(_read() | self._new)
        self._kept, self._new = None, {}


_MEMORY = _Memory()


def disbelieve() -> None:
    """Recall nothing from now on in this process; what is hashed is still remembered for others."""
    _MEMORY.is_believed = False


def recall(path: Path, sha256: str) -> Identity | None:
    """Return which file was found to have this sha256 under this path; None where none was, or it is not ours."""
    seen = _MEMORY.recall((str(path), sha256))
    return seen if seen and seen[5] == os.geteuid() else None


def remember(path: Path, sha256: str, seen: Identity, hashed_at_ns: int) -> None:
    """Remember that a file was hashed, if it is the user's own and settled."""
    if path.is_absolute() and seen[5] == os.geteuid() and is_settled(seen, hashed_at_ns, SAFE_ACROSS_S):
        _MEMORY.remember((str(path), sha256), _Hashed(seen, hashed_at_ns))


def _read() -> dict[Key, _Hashed]:
    """Return what was remembered; nothing where an entry is none."""
    found: dict[Key, _Hashed] = {}
    with suppress(ValueError, TypeError, OverflowError):
        entries: list[Any] = read_cache(_FILE)
        for path, sha256, at_ns, *seen in entries:
            dev, ino, size, mtime, ctime, uid = map(int, seen)
            found[str(path), str(sha256)] = _Hashed((dev, ino, size, mtime, ctime, uid), int(at_ns))
        return found
    return {}


def _write(entries: dict[Key, _Hashed]) -> None:
    """Write the newest that are still believed and still there."""
    kept = [
        [*key, found.at_ns, *found.seen]
        for key, found in entries.items()
        if found.is_believed() and os.path.lexists(key[0])
    ]
    write_cache(_FILE, list(kept[-_MOST:]))
