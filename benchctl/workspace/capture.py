"""One output stream, kept within bounds: its head, its tail, and the truth about the whole of it."""

from __future__ import annotations

import hashlib

from benchctl.schema.evidence import Stream

__all__ = ["Capture"]


class Capture:
    """Collects a stream of bytes; memory stays near `keep_bytes`, counts and digest are over every byte.

    The first half of `keep_bytes` is the head, the last half the tail; what lay between them is
    dropped, and the text says how much at the place where it was.
    """

    def __init__(self, keep_bytes: int) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._head_bytes = keep_bytes - keep_bytes // 2
        self._tail_bytes = keep_bytes // 2
        self._digest = hashlib.sha256()
        self.total_bytes = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self.total_bytes += len(data)
        self._digest.update(data)
        room = self._head_bytes - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data
            # Trimmed at twice its size, so that a flood costs one move per kept byte and not one per read.
            if len(self._tail) > 2 * self._tail_bytes + 65536:
                del self._tail[: len(self._tail) - self._tail_bytes]

    def stream(self) -> Stream:
        """Return what was kept. Bytes that are not UTF-8 become U+FFFD in the text alone."""
        tail = bytes(self._tail[max(0, len(self._tail) - self._tail_bytes) :])
        dropped = self.total_bytes - len(self._head) - len(tail)
        if dropped:
            gap = f"\n[benchctl: {dropped} bytes dropped here]\n".encode()
            kept = bytes(self._head) + gap + tail
        else:
            kept = bytes(self._head) + tail
        return Stream(
            text=kept.decode("utf-8", errors="replace"),
            total_bytes=self.total_bytes,
            dropped_bytes=dropped,
            sha256=self._digest.hexdigest(),
        )
