"""One throw-away tree per cell, and what the agent did to it.

Where the machine can stack trees, a cell's is mounted on the base; elsewhere it is a copy that shares nothing
with it. Both look the same from inside.
"""

from __future__ import annotations

import bisect
import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.workspace import overlay
from benchctl.workspace.changes import DIFF_BYTES, Changes, Mark, changes_of, mark_of
from benchctl.workspace.deep_walk import entries_below
from benchctl.workspace.mounts import unmount
from benchctl.workspace.orphan_commit import commit_layer
from benchctl.workspace.roots import cell_root, remove_tree
from benchctl.workspace.tree import Base, State
from benchctl.workspace.tree_copy import copy_folder, copy_tree, differing

if TYPE_CHECKING:
    from benchctl.workspace.redaction import Redactor

__all__ = ["CellFolder", "cell_root", "fresh_cell", "remove_tree"]

_GIT = ".git"


@dataclass(frozen=True, slots=True)
class CellFolder:
    """The folders of one cell: the `tree` it works on, `scratch` and `home` to write in, `tmp` for temporary files.

    `git` says that the tree was given a repository of its own.
    """

    root: Path
    tree: Path
    scratch: Path
    home: Path
    tmp: Path
    git: bool
    _base: Base
    _written: dict[str, State] | None

    def mark(self) -> Mark:
        """Return what differs from the base by now, for a later `changes(since=…)`. No difference is worked out."""
        return mark_of(self._base, self.tree, self._touched())

    def changes(
        self, *, since: Mark | None = None, keep_bytes: int = DIFF_BYTES, redactor: Redactor | None = None
    ) -> Changes:
        """Return what differs from the base: the paths, sorted, and the diff, of which `keep_bytes` are kept.

        What was as it is when `since` was marked does not count, nor what was written to a repository that the
        tree was given; what has been put back since does. The diff is one to the base. `redactor` takes secrets out.
        """
        return changes_of(
            self._base, self.tree, self._touched(), since=since, keep_bytes=keep_bytes, redactor=redactor
        )

    def _touched(self) -> Iterator[str]:
        found = self._stacked() if self._written is None else differing(self.tree, self._written)
        return (path for path in found if not (self.git and (path == _GIT or path.startswith(f"{_GIT}/"))))

    def _stacked(self) -> Iterator[str]:
        names = sorted(file.path for file in self._base.files)
        for path, whole in overlay.touched(_own(self.root)):
            yield path
            if whole:
                first = bisect.bisect_left(names, f"{path}/")
                last = bisect.bisect_left(names, f"{path}0")  # "0" follows "/"
                yield from names[first:last]
                yield from _below(self.tree, path)


def _own(root: Path) -> Path:
    return root / "own"


def _below(tree: Path, path: str) -> Iterator[str]:
    """Yield the paths of all files below a folder of the tree, no link followed; nothing where it is no folder."""
    yield from (f"{path}/{inside}" for inside, _ in entries_below(f"{tree}/{path}"))


@contextlib.contextmanager
def fresh_cell(base: Base, root: Path, *, git: bool = False) -> Iterator[CellFolder]:
    """Give a fresh tree of `base` in a new folder below `root`, with empty scratch, home and tmp beside it.

    With `git` the tree has a repository of one commit without a history. Raises BaseChangedError where the base
    is no longer what was verified.
    """
    base.check()
    place = Path(tempfile.mkdtemp(prefix="cell-", dir=root))
    try:
        tree = place / "tree"
        written = None if base.layered else _copy(base, tree, git=git)
        if base.layered:
            _stack(base, place, git=git)
        scratch, home, tmp = (place / name for name in ("scratch", "home", "tmp"))
        for folder in (scratch, home, tmp):
            folder.mkdir(mode=0o700)
        yield CellFolder(place, tree, scratch, home, tmp, git, base, written)
    finally:
        if base.layered:
            with contextlib.suppress(OSError):
                unmount(place / "tree")
        remove_tree(place)


def _stack(base: Base, place: Path, *, git: bool) -> None:
    tree, own = place / "tree", _own(place)
    tree.mkdir()
    own.mkdir(mode=0o700)
    overlay.stack([commit_layer(base), base.root] if git else [base.root], own, tree)


def _copy(base: Base, tree: Path, *, git: bool) -> dict[str, State]:
    written = copy_tree(base, tree)
    if git:
        copy_folder(commit_layer(base) / _GIT, tree / _GIT)
    return written
