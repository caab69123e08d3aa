"""A commit as a corpus: its blobs as they are stored, with no checkout between them and the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import cast

from benchctl.errors import CorpusChangedError
from benchctl.schema.suite import Repo
from benchctl.workspace import fetched_repo, git
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

_MODES = (b"100644", b"100755", b"120000", b"40000", b"160000")
_LFS = b"version https://git-lfs.github.com/spec/"


def resolve(repo: Repo, base: Path, wanted: Callable[[str], bool]) -> Tree:
    """Return the tree of a `git` repository at its commit; a URL is read from what was fetched of it before.

    Refused by name unless the suite excludes them: submodules, Git LFS pointers, missing objects,
    symbolic links that leave the tree, names that cannot be written safely.
    """
    source, pinned = str(repo.source), str(repo.commit)
    root = fetched_repo.fetched(source, pinned) if fetched_repo.is_url(source) else base / source
    commit = git.resolve_commit(root, pinned)
    listed = git.entries(root, commit)
    chosen = _chosen(listed, wanted)
    _refuse_submodules(chosen)
    contents = git.blobs(root, [entry.oid for entry in chosen.values()])
    files = tuple(
        _file(path, cast("Mode", entry.mode), data)
        for (path, entry), data in zip(chosen.items(), contents, strict=True)
    )

    def again(order: Sequence[SourceFile]) -> Iterator[tuple[SourceFile, bytes]]:
        for file, data in zip(order, git.blobs(root, [chosen[file.path].oid for file in order]), strict=True):
            yield verified(file, data)

    return Tree(commit, files, again, _tree_oid(root, commit, whole=len(chosen) == len(listed)))


def _chosen(listed: list[git.Entry], wanted: Callable[[str], bool]) -> dict[str, git.Entry]:
    chosen: dict[str, git.Entry] = {}
    for entry in listed:
        path = entry.path.decode("utf-8", errors="surrogateescape")
        if wanted(path):
            if check_path(path) in chosen:
                raise CorpusChangedError(f"the commit holds two files named {path}", next_step=EXCLUDE_IT)
            chosen[path] = entry
    return chosen


def _tree_oid(root: Path, commit: str, *, whole: bool) -> str | None:
    """Return git's name of the tree that is written; None where it is not the commit's, entry by entry.

    Every tree of the commit is read and compared with its name, so that from the commit's to the last file's
    all are known to be what was pinned. Old histories hold permission bits that git no longer writes, and
    does not even list: a tree with them is written with those of today, and has another name.
    """
    names = git.trees(root, commit)
    plain = all(_plain(data, len(names[0]) // 2) for data in list(git.blobs(root, names)))
    return names[0] if plain and whole else None


def _plain(tree: bytes, oid_bytes: int) -> bool:
    at = 0
    while at < len(tree):
        space, end = tree.index(b" ", at), tree.index(b"\0", at)
        if tree[at:space] not in _MODES:
            return False
        at = end + 1 + oid_bytes
    return True


def _file(path: str, mode: Mode, data: bytes) -> SourceFile:
    if mode == "120000":
        check_link(path, data.decode("utf-8", errors="replace"))
    elif data.startswith(_LFS):
        raise CorpusChangedError(
            f"{path} is a Git LFS pointer, not the file itself",
            next_step=EXCLUDE_IT,
        )
    # Old histories hold further permission bits (100664); the executable bit is the one that means something.
    plain: Mode = mode if mode in ("120000", "100755") else "100644"
    return SourceFile(path, plain, content_sha256(data), len(data))


def _refuse_submodules(chosen: dict[str, git.Entry]) -> None:
    submodules = sorted(path for path, entry in chosen.items() if entry.mode == "160000")
    if submodules:
        raise CorpusChangedError(
            f"the commit has submodules, whose files it does not hold: {', '.join(submodules)}",
            next_step="exclude them in the suite's [repos] entry",
        )
