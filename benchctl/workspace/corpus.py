"""A corpus: the tree that questions are asked about, pinned byte by byte before anything is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchctl.errors import CorpusChangedError, PreflightRefusedError
from benchctl.schema.canonical import digest
from benchctl.schema.suite import Repo
from benchctl.workspace import directory_source, git_source, package_source
from benchctl.workspace.globs import matches
from benchctl.workspace.source_file import SourceFile, Tree, clashing

__all__ = ["Corpus", "resolve_corpus"]


@dataclass(frozen=True, slots=True)
class Corpus:
    """One resolved tree.

    `version` is the distribution's version or the commit; None for a directory. `tree_digest` is
    `sha256:…` over (path, mode, sha256 of the content) of every file, sorted by path, so it says the
    same on every machine. `bytes` is the sum of the files' sizes. `unmatched` are the include and
    exclude patterns that fitted no file: said, because a misspelt exclusion leaves an answer in.
    `clashes` are paths that a file system without upper and lower case takes for one. `tree_oid` is git's own
    name of the tree where nothing of a commit is left out, None for any other.
    `contents` reads the files again, in the order of `files`, each checked against its digest.
    """

    repo: str
    version: str | None
    files: tuple[SourceFile, ...]
    tree_digest: str
    unmatched: tuple[str, ...]
    contents: Callable[[], Iterator[tuple[SourceFile, bytes]]]
    clashes: tuple[str, ...] = ()
    tree_oid: str | None = None
    bytes: int = 0  # last: the name hides the type in the lines below it


def resolve_corpus(repo_name: str, repo: Repo, base: Path) -> Corpus:
    """Return the corpus of one `[repos.*]` entry; relative sources start at `base`, the suite's folder.

    Raises CorpusChangedError where the bytes are not those that a RECORD, digest or commit names, and
    PreflightRefusedError where there is nothing to resolve.
    """
    wanted = _Selection(repo.include, repo.exclude)
    tree = _SOURCES[repo.kind](repo, base, wanted)
    files = tuple(sorted(tree.files, key=lambda file: file.path))
    if not files:
        raise PreflightRefusedError(
            f"repository {repo_name!r} has no file after include and exclude",
            next_step="correct the patterns; they are relative to the root of the tree",
        )
    found = digest([[file.path, file.mode, file.sha256] for file in files])
    if repo.digest is not None and found != repo.digest:
        raise CorpusChangedError(
            f"repository {repo_name!r} has the tree digest {found}",
            expected=repo.digest,
            next_step="restore the tree, or pin the new digest as a new version of the suite",
        )
    return Corpus(
        repo=repo_name,
        version=tree.version,
        files=files,
        tree_digest=found,
        bytes=sum(file.size for file in files),
        unmatched=wanted.unmatched(),
        contents=lambda: tree.contents(files),
        clashes=clashing(file.path for file in files),
        tree_oid=tree.oid,
    )


_SOURCES: dict[str, Callable[[Repo, Path, Callable[[str], bool]], Tree]] = {
    "package": package_source.resolve,
    "git": git_source.resolve,
    "directory": directory_source.resolve,
}


class _Selection:
    """The include and exclude patterns of one repository, and which of them were of any use."""

    def __init__(self, include: tuple[str, ...], exclude: tuple[str, ...]) -> None:
        self._include = include
        self._exclude = exclude
        self._used: set[str] = set()

    def __call__(self, path: str) -> bool:
        included = [pattern for pattern in self._include if matches(path, pattern)]
        excluded = [pattern for pattern in self._exclude if matches(path, pattern)]
        self._used.update(included, excluded)
        return bool(included) and not excluded

    def unmatched(self) -> tuple[str, ...]:
        return tuple(pattern for pattern in (*self._include, *self._exclude) if pattern not in self._used)
