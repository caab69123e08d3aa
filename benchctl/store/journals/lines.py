"""The lines of a journal: how one is written, and which of those that are there count.

A line is `{"c":"<crc32 of r>","r":<canonical JSON>}` and a newline. A process that dies
leaves at most one torn line; a disk that loses power may leave zeroes. Readers take the
prefix of whole lines and drop the rest, so nothing is ever glued to a torn line.

What an agent wrote stands in a line of its own, in front of the event it belongs to and in
the same write: `{"event":"text","stderr":…,"stdout":…}`. The event names it in `beside`
(offset, length, crc32), and neither counts without the other. Readers check every line's sum
but parse events only.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from benchctl.errors import StoreDamagedError, Where
from benchctl.schema.canonical import canonical_json
from benchctl.store.disk.rows import sound
from benchctl.store.disk.untrusted import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = [
    "Line",
    "Place",
    "decode",
    "encode",
    "encode_beside",
    "lines_after_damage",
    "read_line",
    "read_texts",
    "read_valid_prefix",
]

Event = dict[str, Any]

_HEAD = len(b'{"c":"00000000","r":')
_TAIL = b"}\n"
_TEXT: Final = b'{"event":"text",'
_BUFFER = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line stands: its journal, and its offset and length there in bytes."""

    path: Path
    offset: int
    length: int

    @property
    def end(self) -> int:
        """Return the offset of the first byte behind the line."""
        return self.offset + self.length


@dataclass(frozen=True, slots=True)
class Line:
    """A valid line: its place and its event."""

    place: Place
    event: Event


def encode(event: Mapping[str, object]) -> bytes:
    """Return an event's line. Raises ValueError for NaN, infinity and what JSON cannot say."""
    return _line(canonical_json(event))


def _line(body: bytes) -> bytes:
    return b'{"c":"%08x","r":%b}\n' % (zlib.crc32(body), body)


def encode_beside(event: Mapping[str, object], texts: Mapping[str, str], offset: int) -> tuple[bytes, bytes]:
    """Return two lines: what an agent wrote, which is to stand at byte `offset`, and the event it belongs to.

    The first is ASCII: as much as it may be, it is gone over once only.
    """
    said: dict[str, object] = {"event": "text", **dict(sorted(texts.items()))}
    body = json.dumps(said, separators=(",", ":"))
    if "\\ud" in body:  # perhaps half a character, which no reader takes
        body = json.dumps({name: sound(text) for name, text in said.items()}, separators=(",", ":"))
    text = _line(body.encode())
    return text, encode({**event, "beside": _reference(offset, text)})


def _sound(line: bytes) -> bool:
    """Return whether a line is as `encode` wrote it."""
    body = memoryview(line)[_HEAD : -len(_TAIL)]
    return line.endswith(_TAIL) and line.startswith(b'{"c":"%08x","r":' % zlib.crc32(body))


def decode(line: bytes) -> Event | None:
    """Return the event of a line, or None where any byte of it is not as `encode` wrote it."""
    if not _sound(line):
        return None
    try:
        event = parse_json(line[_HEAD : -len(_TAIL)])
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def _judged(path: Path, start: int = 0) -> Iterator[tuple[Place, Event | Literal["text"] | None]]:
    """Yield each line's place and what it is: an event, `text`, or None where it does not count.

    A last line without its newline ends the journal: its writer may be at it.
    """
    offset, text = start, None
    with path.open("rb", buffering=_BUFFER) as file:
        file.seek(start)
        for line in file:
            place = Place(path, offset, len(line))
            if line.startswith(_TEXT, _HEAD) and _sound(line):
                yield place, "text"
                text = _reference(place.offset, line)
            else:
                event = decode(line)
                yield place, event if event is not None and event.get("beside") == text else None
                text = None
            if not line.endswith(b"\n"):
                return
            offset = place.end


def _reference(offset: int, line: bytes) -> list[object]:
    """Return how an event names the line of text in front of it."""
    return [offset, len(line), line[6:14].decode()]


def read_valid_prefix(path: Path, start: int = 0) -> Iterator[Line]:
    """Yield a journal's events from the line at byte `start` up to the first line that is torn or damaged.

    Raises FileNotFoundError where the journal has been folded meanwhile.
    """
    for place, found in _judged(path, start):
        if found is None:
            return
        if found != "text":
            yield Line(place, found)


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


def read_texts(line: Line) -> Mapping[str, str]:
    """Return the texts that stand beside an event, by name; none where it names none. Raises as `read_line`."""
    if "beside" not in line.event:
        return {}
    offset, length, _ = line.event["beside"]
    texts = read_line(Place(line.place.path, offset, length))
    return {name: text for name, text in texts.items() if name != "event"}


def lines_after_damage(path: Path) -> tuple[int, int]:
    """Return (line number of the first damaged line or 0, how many valid lines follow it).

    A process that dies damages only the last line, so a valid line behind a damaged one
    means that the file was changed afterwards.
    """
    damaged = following = 0
    for number, (_, found) in enumerate(_judged(path), start=1):
        if damaged:
            following += found is not None
        elif found is None:
            damaged = number
    return damaged, following
