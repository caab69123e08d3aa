"""One output stream, kept within bounds: its head, its tail, and the truth about the whole of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchctl.schema.evidence import Stream
from benchctl.workspace.pattern_counts import PatternCounts

if TYPE_CHECKING:
    from benchctl.workspace.redaction import Redactor

__all__ = ["Capture"]


class Capture:
    """Collects a stream of bytes; memory stays near `keep_bytes`, counts and digest are over every byte.

    The first half of `keep_bytes` is the head, the last half the tail; what lay between them is
    dropped, and the text says how much at the place where it was. What the redactor takes out reaches
    nothing of this; `read_bytes` alone counts what was written to the stream.
    """

    def __init__(
        self, keep_bytes: int, *, redactor: Redactor | None = None, counts: Mapping[str, str] | None = None
    ) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._head_bytes = keep_bytes - keep_bytes // 2
        self._tail_bytes = keep_bytes // 2
        self._digest = hashlib.sha256()
        self._redactor = redactor
        self._patterns = PatternCounts(counts or {})
        self._closed = False
        self.read_bytes = 0
        self.total_bytes = 0

    @property
    def counts(self) -> dict[str, int]:
        """Return how often each pattern has occurred, over the whole stream."""
        return self._patterns.counts

    @property
    def uncounted(self) -> str:
        """Say why nothing was counted; empty where everything was."""
        name = self._patterns.too_slow
        return "" if name is None else f"the pattern of counts.{name} takes too long on what was printed"

    @property
    def redactions(self) -> dict[str, int]:
        """Return what was taken out so far, by the name of the secret."""
        return dict(self._redactor.counts) if self._redactor else {}

    def add(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self.read_bytes += len(data)
        self._take(self._redactor.feed(data) if self._redactor else data)

    def _take(self, data: bytes) -> None:
        self.total_bytes += len(data)
        self._digest.update(data)
        self._patterns.feed(data)
        room = self._head_bytes - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data
            # Trimmed at twice its size, so that a flood costs one move per kept byte and not one per read.
            if len(self._tail) > 2 * self._tail_bytes + 65536:
                del self._tail[: len(self._tail) - self._tail_bytes]

    def close(self) -> None:
        """Take what the redactor and the patterns still held back; nothing may be added afterwards."""
        if not self._closed:
            self._closed = True
            if self._redactor:
                self._take(self._redactor.close())
            self._patterns.close()

    def stream(self) -> Stream:
        """Close and return what was kept. Bytes that are not UTF-8 become U+FFFD in the text alone."""
        self.close()
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
