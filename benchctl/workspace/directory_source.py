"""A directory as a corpus: every file below it, but never a `.git` in it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchctl.errors import CorpusChangedError, PreflightRefusedError
from benchctl.schema.suite import Repo
from benchctl.workspace.source_file import (
    EXCLUDE_IT,
    Mode,
    SourceFile,
    Tree,
    check_link,
    check_path,
    content_sha256,
    verified,
)

__all__ = ["resolve"]


def resolve(repo: Repo, base: Path, wanted: Callable[[str], bool]) -> Tree:
    """Return the tree of a `directory` repository; its digest, if the suite pins one, is compared by the caller."""
    root = base / str(repo.source)
    if not root.is_dir():
        raise PreflightRefusedError(f"there is no directory {root}", next_step="correct `source`")
    files = []
    for path in _walk(root):
        if wanted(path):
            mode, data = _read(root, check_path(path))
            files.append(SourceFile(path, mode, content_sha256(data), len(data)))

    def contents(order: Sequence[SourceFile]) -> Iterator[tuple[SourceFile, bytes]]:
        for file in order:
            yield verified(file, _read(root, file.path)[1])

    return Tree(None, tuple(files), contents)


def _walk(root: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        # A repository's history is the first place where an answer is found.
        folders[:] = sorted(name for name in folders if name != ".git")
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in sorted([*names, *links]):
            if name != ".git":
                yield Path(folder, name).relative_to(root).as_posix()


def _read(root: Path, path: str) -> tuple[Mode, bytes]:
    place = root / path
    try:
        found = place.lstat()
        if stat.S_ISLNK(found.st_mode):
            target = str(place.readlink())
            check_link(path, target)
            return "120000", target.encode()
        if stat.S_ISREG(found.st_mode):
            return ("100755" if found.st_mode & stat.S_IXUSR else "100644"), place.read_bytes()
    except (OSError, UnicodeEncodeError) as error:
        raise CorpusChangedError(f"{place} cannot be read: {error}", next_step=EXCLUDE_IT) from error
    raise CorpusChangedError(f"{place} is neither a file nor a symbolic link", next_step=EXCLUDE_IT)
