"""What went through a cell's proxy: who was asked for, what came of it, how much and how long."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Literal

from benchctl.workspace.clock import utc_now

__all__ = ["Connection", "Entry", "NetworkLog", "Verdict"]

Verdict = Literal["allowed", "injected", "refused", "failed"]
"""`injected` went through a door with a key, `failed` was allowed and came to nothing."""

_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class Connection:
    """One attempt to leave a cell. Bytes are those of the connection's content, both 0 where it was refused.

    `wall_s` is its length, of one that was still open when it was read until then; `started_at` is UTC ISO 8601.
    """

    host: str
    port: int
    verdict: Verdict
    sent_bytes: int
    received_bytes: int
    started_at: str
    wall_s: float
    reason: str = ""

    def told(self) -> dict[str, object]:
        """Return it as a line of a log says it."""
        said = {name: getattr(self, name) for name in self.__slots__}
        return said | {"wall_s": round(self.wall_s, 3)}


@dataclass
class Entry:
    """A connection while it lasts; counted by the threads that carry its two directions."""

    host: str
    port: int
    verdict: Verdict
    reason: str = ""
    sent_bytes: int = 0
    received_bytes: int = 0
    started_at: str = field(default_factory=utc_now)
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    upstream: socket.socket | None = None
    cut: bool = False

    def hold(self, upstream: socket.socket) -> None:
        """Name the socket of the far side, also before it is connected. Raises OSError where the cell has ended."""
        self.upstream = upstream
        if self.cut:  # said before the sockets are closed, so that either side sees the other's word
            upstream.close()
            raise ConnectionAbortedError("the cell has ended")

    def fail(self, reason: str) -> None:
        """Mark it as one that came to nothing; what was carried before stays counted."""
        self.verdict, self.reason = "failed", reason[:200]

    def frozen(self) -> Connection:
        """Return what is known of it now."""
        until = time.monotonic() if self.ended is None else self.ended
        return Connection(
            host=self.host,
            port=self.port,
            verdict=self.verdict,
            sent_bytes=self.sent_bytes,
            received_bytes=self.received_bytes,
            started_at=self.started_at,
            wall_s=until - self.started,
            reason=self.reason,
        )


class NetworkLog:
    """Every connection of one cell; the first ten thousand by name, the others by number."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[Entry] = []
        self._open: dict[int, Entry] = {}
        self._closed = False
        self.refused = 0
        self.left_out = 0

    def begin(self, host: str, port: int, verdict: Verdict, reason: str = "") -> Entry:
        """Write down that something is asked for; the caller counts on the entry and ends it."""
        entry = Entry(host, port, verdict, reason)
        with self._lock:
            self.refused += verdict == "refused"
            entry.cut = self._closed
            self._open[id(entry)] = entry
            if len(self._entries) < _KEPT:
                self._entries.append(entry)
            else:
                self.left_out += 1
        return entry

    def refuse(self, host: str, port: int, reason: str) -> None:
        """Write down an attempt that is refused."""
        self.end(self.begin(host, port, "refused", reason))

    def end(self, entry: Entry) -> None:
        """Stop the clock of a connection."""
        entry.ended, entry.upstream = time.monotonic(), None
        with self._lock:
            self._open.pop(id(entry), None)

    def close_all(self) -> None:
        """Cut what is open on the far side, is being connected, or begins from now on."""
        with self._lock:
            self._closed = True
            for entry in self._open.values():
                entry.cut = True
            open_ones = [entry.upstream for entry in self._open.values()]
        for upstream in filter(None, open_ones):
            with contextlib.suppress(OSError):
                upstream.shutdown(socket.SHUT_RDWR)

    def connections(self) -> tuple[Connection, ...]:
        """Return every connection so far."""
        with self._lock:
            return tuple(entry.frozen() for entry in self._entries)
