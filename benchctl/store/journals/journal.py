"""The journal of one writer process: its lines, each on the disk before it counts.

A journal is never reopened, so that nothing is glued to a torn line: resuming starts a new one.

Note: A run is not sealed piece by piece while it is open. Measured on an open run of 2,000 cells
with 100 KB of text each (216 MB): how far it is takes 0.15 s to read and its cells 0.8 s, where
events that held the texts took 3.1 s and 7.1 s. Segments would save part of those tenths and cost a
third state that every reader, sweep and check has to know. What bounds a journal is its plan: cells
times attempts times the cap on what an agent may print.
"""

from __future__ import annotations

import fcntl
import os
import re
from typing import TYPE_CHECKING, Self

from benchctl.errors import StoreUnwritableError, Where
from benchctl.store.disk.durable import fsync_folder, unwritable
from benchctl.store.journals.lines import Place, encode, encode_beside

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

__all__ = ["JOURNAL_SCHEMA", "Journal", "journals", "number_of"]

JOURNAL_SCHEMA = 3
"""1 had the texts inside the events, 2 neither baselines nor what rows of schema 3 say; both are read for ever.

A journal's first event says its schema."""

_NAME = re.compile(r"w(\d{4,})\.jsonl")


def number_of(path: Path) -> int:
    """Return which of its run's journals it is, from 1. Raises ValueError for the name of anything else."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        raise ValueError(path.name)
    return int(match[1])


def journals(folder: Path) -> tuple[Path, ...]:
    """Return the journals of a run in the order in which they were opened; empty where there is no folder."""
    if not folder.is_dir():
        return ()
    return tuple(sorted((path for path in folder.iterdir() if _NAME.fullmatch(path.name)), key=number_of))


def _open_new(folder: Path) -> tuple[Path, int]:
    """Create the next journal of a folder; another writer may take its number between our look and our open."""
    taken = journals(folder)
    number = number_of(taken[-1]) + 1 if taken else 1
    while True:
        path = folder / f"w{number:04d}.jsonl"
        try:
            return path, os.open(
                path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o644
            )
        except FileExistsError:
            number += 1


class Journal:
    """One writer's journal, open for appending and locked as long as its process lives."""

    def __init__(self, folder: Path) -> None:
        with unwritable(folder):
            self.path, descriptor = _open_new(folder)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                fsync_folder(folder)
            except BaseException:
                os.close(descriptor)
                raise
        self._descriptor: int | None = descriptor
        self._size = 0

    def append(self, event: Mapping[str, object], texts: Mapping[str, str] | None = None) -> Place:
        """Put one event on the disk, with `texts` in a line beside it; return the event's place.

        It counts once this returns. Raises StoreUnwritableError, after which the journal takes nothing
        more: a line behind a torn one would be lost.
        """
        text, line = (b"", encode(event)) if texts is None else encode_beside(event, texts, offset=self._size)
        self._write(text + line)
        place = Place(self.path, self._size + len(text), len(line))
        self._size = place.end
        return place

    def _write(self, lines: bytes) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            raise StoreUnwritableError("the journal is closed", where=Where(str(self.path)))
        try:
            with unwritable(self.path):
                view = memoryview(lines)
                while view:
                    view = view[os.write(descriptor, view) :]
                os.fsync(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def close(self) -> None:
        """Close the journal and so release its lock; twice is fine."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
