"""The bodies of requests and responses that go through a cell's proxy: their framing undone, and their packing."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

__all__ = ["BadRequestError", "chunks", "exactly", "unpacked"]

_CHUNK = 1 << 16


class BadRequestError(Exception):
    """A request that means one thing to one reader and another to the next, or nothing at all."""


def exactly(file: Any, length: int) -> Iterator[bytes]:
    """Yield a body of a known length in pieces. Raises BadRequestError where it ends too early."""
    while length:
        piece = file.read(min(length, _CHUNK))
        if not piece:
            raise BadRequestError("the body ended too early")
        length -= len(piece)
        yield piece


def chunks(file: Any) -> Iterator[bytes]:
    """Yield the content of a body in chunks (RFC 9112, 7.1). Raises BadRequestError where they are broken."""
    while True:
        word = file.readline(_CHUNK).partition(b";")[0].strip()
        try:
            size = int(word, 16) if word.isalnum() else -1
        except ValueError:
            size = -1
        if size < 0:
            raise BadRequestError("the body's chunks are broken")
        if size == 0:
            while file.readline(_CHUNK).strip():
                continue
            return
        yield from exactly(file, size)
        file.readline(_CHUNK)


def unpacked(pieces: Iterator[bytes], coding: str) -> Iterator[bytes]:
    """Yield a body without the packing that its `Content-Encoding` names, as it comes.

    Raises BadRequestError, before the first piece, for a packing that is not undone here, and later for a body that
    is not packed that way.
    """
    words = [word for each in coding.lower().split(",") if (word := each.strip()) not in ("", "identity")]
    if not words:
        return pieces
    if len(words) > 1 or words[0] not in _WINDOWS:
        raise BadRequestError(f"the answer is packed as {coding[:40]!r}, in which no key can be looked for")
    return _inflated(pieces, _WINDOWS[words[0]])


_WINDOWS = {"gzip": 47, "x-gzip": 47, "deflate": 15}
"""The codings of RFC 9110, 8.4.1, as the size of the window that zlib is to expect."""


def _inflated(pieces: Iterator[bytes], window: int) -> Iterator[bytes]:
    packed = zlib.decompressobj(window)
    try:
        for each in pieces:
            piece = each
            while piece:
                if packed.eof:  # a further member of the same file
                    packed = zlib.decompressobj(window)
                if plain := packed.decompress(piece, _CHUNK):
                    yield plain
                piece = packed.unconsumed_tail or packed.unused_data
    except zlib.error as error:
        raise BadRequestError("the answer is not packed as it says") from error
