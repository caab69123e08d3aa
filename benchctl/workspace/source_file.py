"""One file of a corpus, and what every source of files must hand over."""

from __future__ import annotations

import hashlib
import posixpath
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from benchctl.errors import CorpusChangedError

__all__ = [
    "EXCLUDE_IT",
    "Mode",
    "SourceFile",
    "Tree",
    "check_link",
    "check_path",
    "clashing",
    "content_sha256",
    "verified",
]

Mode = Literal["100644", "100755", "120000"]
"""A plain file, one with the executable bit, a symbolic link whose content is its target: git's words."""


EXCLUDE_IT = "exclude it in the suite's [repos] entry"
"""The next step for a file that no cell can be given as it is."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file by its path below the tree's root, with slashes; `size` in bytes."""

    path: str
    mode: Mode
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of one source, and a way to read them again in a given order.

    `oid` is git's name of the tree, None where the files are not all of a commit's.
    """

    version: str | None
    files: tuple[SourceFile, ...]
    contents: Callable[[Sequence[SourceFile]], Iterator[tuple[SourceFile, bytes]]]
    oid: str | None = None


def content_sha256(data: bytes) -> str:
    """Return the sha256 of a file's bytes as hex digits."""
    return hashlib.sha256(data).hexdigest()


def verified(file: SourceFile, data: bytes) -> tuple[SourceFile, bytes]:
    """Return the pair unchanged. Raises CorpusChangedError where the bytes moved since the tree was resolved."""
    if content_sha256(data) != file.sha256:
        raise CorpusChangedError(
            f"{file.path} changed while it was read", next_step="let nothing write to a corpus during a run"
        )
    return file, data


def check_path(path: str) -> str:
    """Return a path that may be written below a tree's root. Raises CorpusChangedError for any other.

    Refused: absolute paths, `..`, names that are not UTF-8, and whatever some file system takes for `.git`.
    """
    parts = path.split("/")
    hostile = (
        not path
        or path.startswith("/")
        or any(part in ("", ".", "..") or _like_git(part) for part in parts)
        or any("\ud800" <= letter <= "\udfff" or letter in "\0\\" for letter in path)
    )
    if hostile:
        raise CorpusChangedError(
            f"the tree holds a file named {path!r}, which cannot be written safely",
            next_step=EXCLUDE_IT,
        )
    return path


def _like_git(part: str) -> bool:
    plain = "".join(letter for letter in part if unicodedata.category(letter) != "Cf")
    plain = plain.casefold().rstrip(". ").partition(":")[0]
    return plain in {".git", "git~1"}


def clashing(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths, folders included, that differ from another one only by case or by the form of a letter."""
    seen: dict[str, set[str]] = {}
    for path in paths:
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            whole = "/".join(parts[:end])
            plain = whole.casefold() if whole.isascii() else unicodedata.normalize("NFC", whole).casefold()
            seen.setdefault(plain, set()).add(whole)
    return tuple(sorted(path for group in seen.values() if len(group) > 1 for path in group))


def check_link(path: str, target: str) -> None:
    """Raise CorpusChangedError unless a symbolic link at `path` stays inside the tree."""
    end = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if target.startswith("/") or end == ".." or end.startswith("../"):
        raise CorpusChangedError(
            f"the symbolic link {path} leaves the tree (to {target})",
            next_step=EXCLUDE_IT,
        )
