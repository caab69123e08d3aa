"""A file of a closed run, hashed before anybody reads it.

DuckDB does not check Parquet's own checksums: a flipped byte changed results without a
word in one of five trials. What was verified is remembered for this process by size,
modification time and inode.
"""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from benchctl.errors import StoreDamagedError, Where
from benchctl.store.manifest import file_entry

if TYPE_CHECKING:
    from pathlib import Path

    from benchctl.store.layout import RunLayout
    from benchctl.store.manifest import Manifest

__all__ = ["trusted"]

_VERIFIED: set[tuple[str, str, int, int, int]] = set()


def trusted(layout: RunLayout, manifest: Manifest, name: str) -> Path:
    """Return the path of a run's file once its bytes are what the manifest says. Raises StoreDamagedError."""
    path, wanted = layout.folder / name, manifest.files.get(name)
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise StoreDamagedError("not a regular file", where=Where(str(path)))
        seen = (str(path), wanted.sha256 if wanted else "", status.st_size, status.st_mtime_ns, status.st_ino)
        if seen in _VERIFIED:
            return path
        actual = file_entry(path)
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
    _VERIFIED.add(seen)
    return path
