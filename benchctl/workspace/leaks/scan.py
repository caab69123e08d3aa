"""Trees, single texts and git objects, searched for the answer key of a suite."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from benchctl.schema.canonical import sha256_hex
from benchctl.workspace.globs import matches
from benchctl.workspace.leaks.cache import VerdictCache
from benchctl.workspace.leaks.hit import Hit, judged
from benchctl.workspace.leaks.needles import Needles
from benchctl.workspace.leaks.search import Search
from benchctl.workspace.leaks.verdict import Verdict, examine

__all__ = ["MAX_FILE_BYTES", "Scanner", "scan_objects", "scan_text", "scan_tree"]

MAX_FILE_BYTES = 256 * 1024 * 1024
"""A longer file is not read, and said."""


class Scanner:
    """Needles compiled once, for any number of files.

    `cache` keeps verdicts between runs, `harness` are patterns of paths that hold the benchmark's own source.
    """

    def __init__(
        self, needles: Needles, *, harness: Collection[str] = (), cache: VerdictCache | None = None
    ) -> None:
        self.needles = needles
        self._search = Search(needles)
        self._harness = tuple(harness)
        self._cache = cache

    def text(self, name: str, text: str) -> list[Hit]:
        """Return what is in one text."""
        return self.judged(name, examine(text.encode(errors="replace"), self._search))

    def content(self, data: bytes, sha256: str | None = None) -> Verdict:
        """Return what is in bytes; those with a known digest are not looked at again."""
        if self._cache is None:
            return examine(data, self._search)
        digest = sha256 or sha256_hex(data)
        verdict = self._cache.get(digest)
        if verdict is None:
            verdict = examine(data, self._search)
            self._cache.put(digest, verdict)
        return verdict

    def file(self, root: Path, name: str, sha256: str | None = None) -> list[Hit]:
        """Return what is in a file of a tree and in its name; `sha256` is the digest that its bytes were checked against."""
        verdict = self._cache.get(sha256) if self._cache is not None and sha256 else None
        if verdict is None:
            data = _bytes(root / name)
            if data is None:
                return [Hit(name, "", "unreadable", detail="could not be read")]
            verdict = self.content(data, sha256)
        return [*self._in_name(name), *self.judged(name, verdict)]

    def judged(self, name: str, verdict: Verdict) -> list[Hit]:
        """Return what a verdict means for a file of this name."""
        harness = any(matches(name, pattern) for pattern in self._harness)
        return list(judged(name, verdict, self._search, self.needles, harness=harness))

    def link(self, root: Path, name: str) -> list[Hit]:
        """Return what is in the name of a symbolic link, and in the words that it leads to."""
        try:
            target = (root / name).readlink().as_posix()
        except OSError:
            return [Hit(name, "", "unreadable", detail="could not be read")]
        return [*self._in_name(name), *self._in_name(name, target, "the link's target")]

    def _in_name(self, name: str, text: str | None = None, inside: str = "its name") -> Iterator[Hit]:
        """Yield what decides: a tree's own names say little, so nothing weak is told of them."""
        for trace in examine((name if text is None else text).encode(errors="replace"), self._search).traces:
            plain = replace(trace, inside="" if trace.canary and text is None else inside)
            for hit in judged(name, Verdict((plain,)), self._search, self.needles):
                if hit.decisive:
                    yield hit


def scan_tree(
    root: Path,
    needles: Needles | Mapping[str, str],
    *,
    digests: Mapping[str, str] | None = None,
    harness: Collection[str] = (),
    cache: VerdictCache | None = None,
) -> list[Hit]:
    """Return what of `needles` is in the files below `root`, sorted by path.

    Hidden, ignored and binary files are read as well; of symbolic links, which are not followed, what they lead to
    is read as words. `digests` are the sha256
    of files, by path, that were checked when the tree was written. A bare mapping (name -> text) stands for a
    canary and prompts.
    """
    scanner = Scanner(_needles(needles), harness=harness, cache=cache)
    known = digests or {}
    return [
        hit
        for name in _files(root)
        for hit in (
            scanner.link(root, name)
            if (root / name).is_symlink()
            else scanner.file(root, name, known.get(name))
        )
    ]


def scan_text(name: str, text: str, needles: Needles | Mapping[str, str]) -> list[Hit]:
    """Return what of `needles` is in one text, such as a transcript."""
    return Scanner(_needles(needles)).text(name, text)


def scan_objects(
    objects: Iterable[tuple[str, bytes]], needles: Needles, *, known: Collection[str] = ()
) -> list[Hit]:
    """Return what is in git objects, each (name, content). `known` are sha256 of contents judged already, by their path."""
    scanner = Scanner(needles)
    return [
        hit
        for name, data in objects
        if sha256_hex(data) not in known
        for hit in scanner.judged(name, scanner.content(data))
    ]


def _needles(needles: Needles | Mapping[str, str]) -> Needles:
    return needles if isinstance(needles, Needles) else Needles.texts(needles)


def _files(root: Path) -> Iterator[str]:
    """Yield the files and symbolic links below a folder."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in sorted((*names, *links)):
            yield Path(folder, name).relative_to(root).as_posix()


def _bytes(path: Path) -> bytes | None:
    """Return a plain file's bytes; None where it cannot be read, is none, or is too long."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            return None
        return path.read_bytes()
    except OSError:
        return None
