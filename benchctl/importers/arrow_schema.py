"""What an Arrow writer says of a Parquet file's columns in the file's metadata, where Parquet itself has no such type.

Arrow keeps its own schema as a FlatBuffers message under the key `ARROW:schema`; only the two kinds of a
top-level column are read from it whose values mean nothing without: durations and whole numbers of 128 bits.
Layout: Message.fbs and Schema.fbs of Apache Arrow's columnar format.
"""

from __future__ import annotations

import base64
import struct
from typing import Final

__all__ = ["WIDE_INTEGER", "peculiar_columns"]

WIDE_INTEGER: Final = "INT128"
_UNITS: Final = ("s", "ms", "µs", "ns")
_INT, _DURATION, _SCHEMA = 2, 18, 1
_WIDE_BITS: Final = 128
_DEFAULT_UNIT: Final = 1
_MOST_COLUMNS: Final = 100_000


def peculiar_columns(encoded: bytes) -> dict[int, str]:
    """Return the place of each duration -> its unit (s, ms, µs, ns), and of each 128-bit integer -> WIDE_INTEGER.

    `encoded` is the metadata's value. Empty where it cannot be read: it says nothing then.
    """
    try:
        message = base64.b64decode(encoded, validate=True)
        begin = 8 if message[:4] == b"\xff\xff\xff\xff" else 4  # the length, behind a mark in newer files
        return dict(_found(_Buffer(message[begin:])))
    except (ValueError, struct.error):
        return {}


class _Buffer:
    """A FlatBuffers buffer: tables by position, their fields by number. Reading beyond its end raises struct.error."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def number(self, form: str, position: int) -> int:
        if position < 0:
            raise struct.error("before the buffer")
        return int(struct.unpack_from(f"<{form}", self._data, position)[0])

    def follow(self, position: int) -> int:
        return position + self.number("I", position)

    def field(self, table: int, number: int) -> int:
        """Return where a table's field stands; 0 where it has its default."""
        vtable = table - self.number("i", table)
        entry = 4 + 2 * number
        if entry >= self.number("H", vtable):
            return 0
        offset = self.number("H", vtable + entry)
        return table + offset if offset else 0


def _found(buffer: _Buffer) -> list[tuple[int, str]]:
    message = buffer.follow(0)
    kind, header = buffer.field(message, 1), buffer.field(message, 2)
    if not (kind and header) or buffer.number("B", kind) != _SCHEMA:
        return []
    fields = buffer.field(buffer.follow(header), 1)
    if not fields:
        return []
    vector = buffer.follow(fields)
    count = min(buffer.number("I", vector), _MOST_COLUMNS)
    kinds = ((n, _kind(buffer, buffer.follow(vector + 4 + 4 * n))) for n in range(count))
    return [(place, kind) for place, kind in kinds if kind]


def _kind(buffer: _Buffer, column: int) -> str:
    kind, type_ = buffer.field(column, 2), buffer.field(column, 3)
    if not (kind and type_):
        return ""
    known, table = buffer.number("B", kind), buffer.follow(type_)
    at = buffer.field(table, 0)
    if known == _DURATION:
        unit = buffer.number("h", at) if at else _DEFAULT_UNIT
        return _UNITS[unit] if 0 <= unit < len(_UNITS) else ""
    return WIDE_INTEGER if known == _INT and at and buffer.number("i", at) == _WIDE_BITS else ""
