"""A file of a closed run, hashed before anybody reads it.

DuckDB does not check Parquet's own checksums: a flipped byte changed results without a
word in one of five trials. What was verified is remembered: for this process, and by
`hash_memory`, which says what it does not see, for the next ones.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchctl.errors import StoreDamagedError, Where
from benchctl.store.disk.entries import FileEntry
from benchctl.store.disk.hash_memory import (
    SAFE_HERE_S,
    Identity,
    disbelieve,
    identity,
    is_settled,
    recall,
    remember,
)

if TYPE_CHECKING:
    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest

__all__ = ["MEMORIES", "hash_anew", "trusted"]

_VERIFIED: dict[tuple[str, str], Identity] = {}

MEMORIES: list[dict[Any, Any]] = [_VERIFIED]
"""Where this process remembers by its times that a file was verified."""


def hash_anew() -> None:
    """Believe no hash that was taken before: from here on this process hashes each file it reads once more.

    For whatever gates, publishes, copies or corrects: a change that moves no time must not pass there.
    """
    disbelieve()
    for memory in MEMORIES:
        memory.clear()


def trusted(layout: RunLayout, manifest: Manifest, name: str) -> Path:
    """Return the path of a run's file once its bytes are what the manifest says. Raises StoreDamagedError."""
    path, wanted = layout.folder / name, manifest.files.get(name)
    if layout.source is not None and wanted is not None:
        layout.source.bring(path, name, wanted)
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise StoreDamagedError("not a regular file", where=Where(str(path)))
        if wanted is not None and _is_known(path, wanted, identity(status)):
            return path
        other_size = wanted is not None and status.st_size != wanted.bytes
        actual = (
            FileEntry(status.st_size, "not taken, for the size is another") if other_size else _hashed(path)
        )
    except OSError as error:
        raise StoreDamagedError(f"cannot be read: {error.strerror}", where=Where(str(path))) from error
    if actual != wanted:
        raise StoreDamagedError(
            f"the file is {actual.bytes} bytes, sha256 {actual.sha256}",
            where=Where(str(path)),
            expected=f"{wanted.bytes} bytes, sha256 {wanted.sha256}"
            if wanted
            else "a file that the manifest lists",
            next_step="restore the file from a copy; `benchctl verify-store` checks every file",
        )
    return path


def _is_known(path: Path, wanted: FileEntry, seen: Identity) -> bool:
    """Return whether these very bytes were found to be the wanted ones before."""
    if seen[2] != wanted.bytes:
        return False
    if seen == _VERIFIED.get((str(path), wanted.sha256)):
        return True
    return seen == recall(Path(os.path.abspath(path)), wanted.sha256)  # noqa: PTH100 - links on the way are part of the name


def _hashed(path: Path) -> FileEntry:
    """Return a file's size and sha256, and remember them if it did not change under our eyes."""
    with path.open("rb") as file:
        before, hashed_at_ns = identity(os.fstat(file.fileno())), time.time_ns()
        actual = FileEntry(before[2], hashlib.file_digest(file, "sha256").hexdigest())
        if identity(os.fstat(file.fileno())) == before:
            if is_settled(before, hashed_at_ns, SAFE_HERE_S):
                _VERIFIED[str(path), actual.sha256] = before
            remember(Path(os.path.abspath(path)), actual.sha256, before, hashed_at_ns)  # noqa: PTH100 - see above
    return actual
