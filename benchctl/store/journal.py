"""The journal of one writer process: one event, one checksummed line, on the disk before it counts.

A line is `{"c":"<crc32 of r>","r":<canonical JSON>}` and a newline. A process that dies
leaves at most one torn line; a disk that loses power may leave zeroes. Readers take the
prefix of whole lines and drop the rest, so nothing is ever glued to a torn line. For
the same reason a journal is never reopened: resuming starts a new one.
"""

from __future__ import annotations

import fcntl
import os
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from benchctl.errors import StoreDamagedError, StoreUnwritableError, Where
from benchctl.schema.canonical import canonical_json
from benchctl.store.durable import fsync_folder, unwritable
from benchctl.store.outside import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

__all__ = ["Journal", "Line", "Place", "journals", "lines_after_damage", "read_line", "read_valid_prefix"]

Event = dict[str, Any]

_NAME = re.compile(r"w(\d{4,})\.jsonl")
_HEAD = len(b'{"c":"00000000","r":')
_TAIL = b"}\n"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line stands: its journal, and its offset and length there in bytes."""

    path: Path
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Line:
    """A valid line: its place and its event."""

    place: Place
    event: Event


def encode(event: Mapping[str, object]) -> bytes:
    """Return an event's line. Raises ValueError for NaN, infinity and what JSON cannot say."""
    body = canonical_json(event)
    return b'{"c":"%08x","r":%b}\n' % (zlib.crc32(body), body)


def decode(line: bytes) -> Event | None:
    """Return the event of a line, or None where any byte of it is not as `encode` wrote it."""
    body = line[_HEAD : -len(_TAIL)]
    if not line.endswith(_TAIL) or line[:_HEAD] != b'{"c":"%08x","r":' % zlib.crc32(body):
        return None
    try:
        event = parse_json(body)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def read_valid_prefix(path: Path) -> Iterator[Line]:
    """Yield a journal's lines up to the first one that is torn or damaged.

    Raises FileNotFoundError where the journal has been folded meanwhile.
    """
    offset = 0
    with path.open("rb") as file:
        for line in file:
            event = decode(line)
            if event is None:
                return
            yield Line(Place(path, offset, len(line)), event)
            offset += len(line)


def read_line(place: Place) -> Event:
    """Return the event of a line that was valid when its place was noted; else StoreDamagedError."""
    with place.path.open("rb") as file:
        file.seek(place.offset)
        event = decode(file.read(place.length))
    if event is None:
        raise StoreDamagedError(
            f"the line at byte {place.offset} changed while it was read", where=Where(str(place.path))
        )
    return event


def lines_after_damage(path: Path) -> tuple[int, int]:
    """Return (line number of the first damaged line or 0, how many valid lines follow it).

    A process that dies damages only the last line, so a valid line behind a damaged one
    means that the file was changed afterwards.
    """
    damaged = following = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            valid = decode(line) is not None
            if damaged:
                following += valid
            elif not valid:
                damaged = number
    return damaged, following


def journals(folder: Path) -> tuple[Path, ...]:
    """Return the journals of a run in the order in which they were opened; empty where there is no folder."""
    if not folder.is_dir():
        return ()
    found = ((_NAME.fullmatch(path.name), path) for path in folder.iterdir())
    return tuple(path for _, path in sorted((int(match[1]), path) for match, path in found if match))


def _open_new(folder: Path) -> tuple[Path, int]:
    """Create the next journal of a folder; another writer may take its number between our look and our open."""
    taken = journals(folder)
    number = int(taken[-1].stem[1:]) + 1 if taken else 1
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
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                fsync_folder(folder)
            except BaseException:
                os.close(descriptor)
                raise
        self._descriptor: int | None = descriptor
        self._size = 0

    def append(self, event: Mapping[str, object]) -> Place:
        """Put one event on the disk and return where it stands; it counts once this returns.

        Raises StoreUnwritableError, after which the journal takes nothing more: a line behind a
        torn one would be lost.
        """
        line = encode(event)
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            raise StoreUnwritableError("the journal is closed", where=Where(str(self.path)))
        try:
            with unwritable(self.path):
                view = memoryview(line)
                while view:
                    view = view[os.write(descriptor, view) :]
                os.fsync(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        place = Place(self.path, self._size, len(line))
        self._size += len(line)
        return place

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
