"""Writes a corpus as a tree of files, once: the read-only base from which every cell is made.

A base is read back after it was written and compared with the corpus, and looked at again before each cell:
a tree that somebody changed meanwhile would give one cell another question than the next.
"""

# Walked for every cell.

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchctl.errors import BaseChangedError, CorpusChangedError
from benchctl.workspace import overlay
from benchctl.workspace.corpus import Corpus
from benchctl.workspace.roots import in_cell_root
from benchctl.workspace.source_file import EXCLUDE_IT, SourceFile, content_sha256

__all__ = ["Base", "State", "state_of", "write_base"]

State = tuple[int, int, int]
"""What changes when a file is written: its number, its size, and the change time, which its owner cannot set."""


@dataclass(frozen=True, slots=True)
class Base:
    """A written tree: its root, the folders and files below it (parents first), and the digest it was written from.

    `tree_oid` is git's own name of the tree where it is a whole commit's, None for any other. `layered` says
    that cells can be stacked on it; then nothing can be written to it, by root neither. Otherwise its files
    and folders have no permission to write. `states` are the files as they were when they were verified.
    """

    root: Path
    folders: tuple[str, ...]
    files: tuple[SourceFile, ...]
    tree_digest: str
    tree_oid: str | None = None
    layered: bool = False
    states: dict[str, State] = field(default_factory=dict, repr=False, compare=False)

    def verify(self) -> None:
        """Read every file and compare it with its digest. Raises BaseChangedError naming the first that differs."""
        for file in self.files:
            if _content_sha256(f"{self.root}/{file.path}", link=file.mode == "120000") != file.sha256:
                raise self._changed(file.path)
        self.check()

    def check(self) -> None:
        """Compare without reading: no file written, added or removed. Raises BaseChangedError naming the first.

        Where nothing can be written, it is enough that this is still so.
        """
        if self.layered and overlay.sealed(self.root):
            return
        known = self.states
        count = 0
        for path, state in _walk(self.root):
            count += 1
            if known.get(path) != state:
                raise self._changed(path)
        if count != len(known):
            raise self._changed(next(path for path in known if not os.path.lexists(self.root / path)))

    def _changed(self, path: str) -> BaseChangedError:
        return BaseChangedError(
            f"{path} of the tree that every cell is copied from was changed while the run was under way",
            next_step="find out what wrote to it; the run continues on a new tree with the same command",
        )


def write_base(corpus: Corpus, into: Path) -> Base:
    """Write every file of a corpus below the new folder `into`, close it to writing, and read it back.

    Nothing is followed and nothing replaced: `into` must not exist, and a path that a symbolic link of
    the corpus leads elsewhere is an error. Raises CorpusChangedError, or BaseChangedError for what was not
    kept as it was written.
    """
    into.mkdir(parents=True, exist_ok=False, mode=0o755)
    # Stacked, a file of the base is seen with the base's permissions, so those must be a cell's.
    layered = in_cell_root(into) and overlay.unavailable(into.parent) is None
    folders = sorted({parent for file in corpus.files for parent in _parents(file.path)})
    for folder in folders:
        (into / folder).mkdir()
    links = []
    for file, data in corpus.contents():
        if file.mode == "120000":
            links.append((file, data))
        else:
            _write(into / file.path, data, 0o755 if file.mode == "100755" else 0o644)
    for file, data in links:  # last, so that no file is ever written through one
        (into / file.path).symlink_to(os.fsdecode(data))
    _refuse_escapes(into, [file.path for file, _ in links])
    layered = layered and overlay.seal(into)
    if not layered:
        _close(into, folders, corpus.files)
    base = Base(
        into, tuple(folders), corpus.files, corpus.tree_digest, corpus.tree_oid, layered, dict(_walk(into))
    )
    base.verify()
    return base


def _parents(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]


def _write(place: Path, data: bytes, mode: int) -> None:
    try:
        fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    except FileExistsError as error:
        raise CorpusChangedError(
            f"two files of the corpus have the same place {place}",
            next_step="exclude one of them in the suite's [repos] entry",
        ) from error
    with os.fdopen(fd, "wb") as out:
        out.write(data)


def _content_sha256(place: str, *, link: bool) -> str | None:
    try:
        if link:
            return content_sha256(os.fsencode(os.readlink(place)))  # noqa: PTH115 - read for every file
        with open(os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _refuse_escapes(root: Path, links: list[str]) -> None:
    """Raise CorpusChangedError for a link that leaves the tree by way of another one, which its own text does not show."""
    real = root.resolve()
    for path in links:
        end = Path(os.path.realpath(root / path))
        if not end.is_relative_to(real):
            raise CorpusChangedError(
                f"the symbolic link {path} leaves the tree by way of another one", next_step=EXCLUDE_IT
            )


def _close(root: Path, folders: list[str], files: tuple[SourceFile, ...]) -> None:
    for file in files:
        if file.mode != "120000":
            (root / file.path).chmod(0o555 if file.mode == "100755" else 0o444)
    for folder in reversed(["", *folders]):
        (root / folder).chmod(0o555)


def state_of(found: os.stat_result) -> State:
    """Return the state of a file."""
    return found.st_ino, found.st_size, found.st_ctime_ns


def _walk(root: Path) -> Iterator[tuple[str, State]]:
    folders = [""]
    while folders:
        folder = folders.pop()
        with os.scandir(f"{root}/{folder}") as entries:
            for entry in entries:
                path = f"{folder}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{path}/")
                else:
                    yield path, state_of(entry.stat(follow_symlinks=False))
