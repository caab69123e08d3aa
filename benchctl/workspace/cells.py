"""One throw-away copy of a tree per cell, and what the agent did to it.

A copy shares nothing with its base: a hard link would let one cell's write reach every sibling.
Where the file system can clone blocks, copy_file_range does so by itself.
"""

# A copy is made for every cell, and path objects would cost more than the files.
# ruff: noqa: PTH101, PTH102, PTH114, PTH115, PTH211

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchctl.errors import PreflightRefusedError
from benchctl.workspace.source_file import SourceFile
from benchctl.workspace.tree import Base

__all__ = ["CellFolder", "cell_root", "fresh_cell", "remove_tree"]

_CHUNK = 1 << 20
_PREFIX = "benchctl-"
_OWNER = ".owner"


@dataclass(frozen=True, slots=True)
class CellFolder:
    """The folders of one cell: the `tree` it works on, `scratch` and `home` to write in, `tmp` for temporary files."""

    root: Path
    tree: Path
    scratch: Path
    home: Path
    tmp: Path
    _base: Base
    _written: dict[str, tuple[int, int, int]]

    def changed_files(self) -> tuple[str, ...]:
        """Return the paths in the tree that were added, altered or removed, sorted."""
        found = dict(_walk(self.tree))
        changed = set(found) ^ set(self._written)
        by_path = {file.path: file for file in self._base.files}
        for path, state in self._written.items():
            if path in found and found[path] != state and _differs(self.tree / path, by_path[path]):
                changed.add(path)
        return tuple(sorted(changed))


@contextlib.contextmanager
def cell_root(*, outside: Sequence[Path] = ()) -> Iterator[Path]:
    """Give a private folder for a run's cells, removed afterwards.

    It lies outside every git checkout and outside the folders given, so that walking up from a cell finds
    no history and no answer. Raises PreflightRefusedError where no temporary folder is such a place.
    """
    forbidden = [path.resolve() for path in outside]
    for place in dict.fromkeys((tempfile.gettempdir(), "/var/tmp", "/dev/shm")):  # noqa: S108 - private by mkdtemp
        parent = Path(place).resolve()
        if not os.access(parent, os.W_OK) or any(parent.is_relative_to(path) for path in forbidden):
            continue
        if any((above / ".git").exists() for above in (parent, *parent.parents)):
            continue
        _sweep(parent)
        root, owner = _owned_root(parent)
        try:
            yield root
        finally:
            remove_tree(root)
            os.close(owner)  # last: a root that nobody holds is anybody's to remove
        return
    raise PreflightRefusedError(
        "no temporary folder lies outside of every git checkout",
        next_step="set TMPDIR to a folder that does",
    )


def _owned_root(parent: Path) -> tuple[Path, int]:
    """Return a new root, and the lock by which others know that it is in use; the system lets go of it at any death.

    Until the lock is ours, another run's sweep takes the root for a dead one's and removes it; then another is made.
    """
    while True:
        root = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        fd = os.open(root / _OWNER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
        except BaseException:
            os.close(fd)
            raise
        if os.fstat(fd).st_nlink > 0:
            return root, fd
        os.close(fd)


def _sweep(parent: Path) -> None:
    """Remove the roots of runs that were killed before they could do so themselves."""
    for root in parent.glob(f"{_PREFIX}*"):
        try:
            fd = os.open(root / _OWNER, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            continue  # not one of ours, or of another user, or not owned yet
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_tree(root)
        except BlockingIOError:
            continue
        finally:
            os.close(fd)


@contextlib.contextmanager
def fresh_cell(base: Base, root: Path) -> Iterator[CellFolder]:
    """Give a fresh copy of `base` in a new folder below `root`, with empty scratch, home and tmp beside it."""
    place = Path(tempfile.mkdtemp(prefix="cell-", dir=root))
    try:
        tree = place / "tree"
        written = _copy(base, tree)
        scratch, home, tmp = (place / name for name in ("scratch", "home", "tmp"))
        for folder in (scratch, home, tmp):
            folder.mkdir(mode=0o700)
        yield CellFolder(place, tree, scratch, home, tmp, base, written)
    finally:
        remove_tree(place)


def _copy(base: Base, tree: Path) -> dict[str, tuple[int, int, int]]:
    tree.mkdir(mode=0o700)
    source, target = str(base.root), str(tree)
    for folder in base.folders:
        os.mkdir(f"{target}/{folder}", 0o755)
    return {file.path: _copy_file(file, source, target) for file in base.files}


def _copy_file(file: SourceFile, source: str, target: str) -> tuple[int, int, int]:
    place = f"{target}/{file.path}"
    if file.mode == "120000":
        os.symlink(os.readlink(f"{source}/{file.path}"), place)
        return _state(os.lstat(place))
    mode = 0o755 if file.mode == "100755" else 0o644
    reader = os.open(f"{source}/{file.path}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        writer = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            _transfer(reader, writer, file.size)
            return _state(os.fstat(writer))
        finally:
            os.close(writer)
    finally:
        os.close(reader)


def _transfer(reader: int, writer: int, size: int) -> None:
    left = size
    try:
        while left > 0 and (moved := os.copy_file_range(reader, writer, left)) > 0:
            left -= moved
    except (OSError, AttributeError):  # another file system, or a system without the call
        pass
    while left > 0:
        data = os.read(reader, _CHUNK)
        if not data:
            raise OSError(f"{left} bytes are missing from a base that was complete")
        os.write(writer, data)
        left -= len(data)


def _state(found: os.stat_result) -> tuple[int, int, int]:
    """Return what changes when a file is written; the change time cannot be set by its owner."""
    return found.st_ino, found.st_size, found.st_ctime_ns


def _walk(root: Path) -> Iterator[tuple[str, tuple[int, int, int]]]:
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            listing = list(os.scandir(f"{root}/{folder}"))
        except OSError:
            continue  # closed or replaced by the agent: its files count as removed
        for entry in listing:
            path = f"{folder}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                folders.append(f"{path}/")
            else:
                yield path, _state(entry.stat(follow_symlinks=False))


def _differs(place: Path, file: SourceFile) -> bool:
    try:
        found = place.lstat()
        if stat.S_ISLNK(found.st_mode):
            mode, data = "120000", os.fsencode(os.readlink(place))
        elif stat.S_ISREG(found.st_mode):
            mode, data = ("100755" if found.st_mode & stat.S_IXUSR else "100644"), place.read_bytes()
        else:
            return True
    except OSError:
        return True
    return mode != file.mode or hashlib.sha256(data).hexdigest() != file.sha256


def remove_tree(root: Path) -> None:
    """Remove a folder and all below it, also where an agent took the permissions away; links are not followed."""
    try:
        shutil.rmtree(root)
    except OSError:
        with contextlib.suppress(OSError):
            os.chmod(root, 0o700)
        for folder, folders, _ in os.walk(root):  # top down: a folder is opened before it is walked
            for name in folders:
                if not os.path.islink(f"{folder}/{name}"):
                    with contextlib.suppress(OSError):
                        os.chmod(f"{folder}/{name}", 0o700)
        shutil.rmtree(root, ignore_errors=True)
