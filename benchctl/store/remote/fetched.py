"""What was fetched of a store behind a URL, kept in a folder that is the user's alone.

Nothing there is believed for being there. A record or a manifest counts while it is what the store lists
now; every other file while it is what its manifest says. Whatever is not is fetched again.
"""

from __future__ import annotations

import hashlib
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.errors import StoreUnwritableError, Where
from benchctl.store.disk.cache_file import cache_folder, users_alone
from benchctl.store.disk.durable import make_folder, unwritable
from benchctl.store.disk.entries import file_entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchctl.store.disk.entries import FileEntry
    from benchctl.store.remote.bucket import Listed

__all__ = ["Fetched", "remote_cache"]


def remote_cache() -> Path:
    """Return the folder of everything that was fetched. Raises StoreUnwritableError where it is not the user's own."""
    if (folder := cache_folder()) is None:
        raise StoreUnwritableError(
            "there is no home folder to keep what is fetched in",
            next_step="set XDG_CACHE_HOME to a folder of yours",
        )
    with unwritable(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return _own(folder / "remote")


class Fetched:
    """The copy of one store: a folder of the usual layout, and beside it `parts` for what is on its way.

    Raises StoreUnwritableError, on construction and with every file, where the folder is not the user's own:
    somebody else could put there what an honest store never had.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: set[tuple[str, str, int, int, int]] = set()
        self._read: dict[str, str] = {}
        _own(path)

    def forget(self) -> None:
        """Believe no term any more that no MD5 vouches for: there is a new listing."""
        self._read.clear()

    @contextmanager
    def arriving(self, path: Path) -> Iterator[Path]:
        """Give a temporary file that becomes `path` if nothing is raised inside."""
        _own(self.path)
        with unwritable(path):
            parts = self.path / "parts"
            parts.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(dir=parts) as folder:
                part = Path(folder) / "part"
                yield part
                make_folder(path.parent)
                part.replace(path)

    def keep_term(self, key: str, content: bytes) -> None:
        """Keep a record or a manifest that was just read."""
        with self.arriving(self.path / key) as part:
            part.write_bytes(content)
        self._read[key] = _md5(content)

    def has_term(self, key: str, said: Listed) -> bool:
        """Return whether a record or a manifest is here as the store lists it now.

        Of a listing without an MD5 only what was read since it counts.
        """
        try:
            content = (self.path / key).read_bytes()
        except OSError:
            return False
        return _md5(content) == (said.md5 or self._read.get(key))

    def holds(self, path: Path, wanted: FileEntry) -> bool:
        """Return whether a fetched file is what it must be; what was hashed once is remembered by its stamp."""
        try:
            status = path.lstat()
        except OSError:
            return False
        if not stat.S_ISREG(status.st_mode) or status.st_size != wanted.bytes:
            return False
        seen = (str(path), wanted.sha256, status.st_size, status.st_mtime_ns, status.st_ino)
        if seen not in self._held and file_entry(path) == wanted:
            self._held.add(seen)
        return seen in self._held


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _own(folder: Path) -> Path:
    """Return a folder that nobody else can write, made where it is missing; what others may only read is closed to them."""
    with unwritable(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
    if not users_alone(status) or not stat.S_ISDIR(status.st_mode):
        raise StoreUnwritableError(
            "not a folder of this user's alone, so what is kept there could be anybody's",
            where=Where(str(folder)),
            expected="a folder that only its owner can write",
            next_step="remove it, or set XDG_CACHE_HOME to a folder of yours",
        )
    with unwritable(folder):
        if stat.S_IMODE(status.st_mode) != stat.S_IRWXU:
            folder.chmod(stat.S_IRWXU)
    return folder
