"""A commit as a corpus: its blobs as they are stored, with no checkout between them and the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import cast

from benchctl.errors import CorpusChangedError, PreflightRefusedError
from benchctl.schema.suite import Repo
from benchctl.workspace import git
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

_LFS = b"version https://git-lfs.github.com/spec/"


def resolve(repo: Repo, base: Path, wanted: Callable[[str], bool]) -> Tree:
    """Return the tree of a `git` repository at its commit.

    Refused by name unless the suite excludes them: submodules, Git LFS pointers, missing objects,
    symbolic links that leave the tree, names that cannot be written safely.
    """
    source = str(repo.source)
    if "://" in source:
        raise PreflightRefusedError(
            f"the git source {source} is a URL, and a run fetches nothing",
            next_step=f"git clone {source}, and name the clone's path",
        )
    root = base / source
    commit = git.resolve_commit(root, str(repo.commit))
    chosen = {}
    for entry in git.entries(root, commit):
        path = entry.path.decode("utf-8", errors="surrogateescape")
        if wanted(path):
            chosen[check_path(path)] = entry
    _refuse_submodules(chosen)
    contents = git.blobs(root, [entry.oid for entry in chosen.values()])
    files = tuple(
        _file(path, cast("Mode", entry.mode), data)
        for (path, entry), data in zip(chosen.items(), contents, strict=True)
    )

    def again(order: Sequence[SourceFile]) -> Iterator[tuple[SourceFile, bytes]]:
        for file, data in zip(order, git.blobs(root, [chosen[file.path].oid for file in order]), strict=True):
            yield verified(file, data)

    return Tree(commit, files, again)


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
