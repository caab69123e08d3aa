"""Writes a corpus as a tree of files, once: the base from which every cell is copied."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from benchctl.errors import CorpusChangedError
from benchctl.workspace.corpus import Corpus
from benchctl.workspace.source_file import SourceFile

__all__ = ["Base", "write_base"]


@dataclass(frozen=True, slots=True)
class Base:
    """A written tree: its root, the folders and files below it (parents first), and the digest it was written from."""

    root: Path
    folders: tuple[str, ...]
    files: tuple[SourceFile, ...]
    tree_digest: str


def write_base(corpus: Corpus, into: Path) -> Base:
    """Write every file of a corpus below the new folder `into`, each checked against its digest on the way.

    Nothing is followed and nothing replaced: `into` must not exist, and a path that a symbolic link of
    the corpus leads elsewhere is an error.
    """
    into.mkdir(parents=True, exist_ok=False, mode=0o700)
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
        (into / file.path).symlink_to(data.decode())
    return Base(into, tuple(folders), corpus.files, corpus.tree_digest)


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
