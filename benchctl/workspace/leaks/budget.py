"""How far one file may be opened, so that a bomb costs no more than a bounded moment."""

from __future__ import annotations

import contextlib
import lzma
import zlib
from collections.abc import Callable
from typing import Protocol

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_MEMBERS", "Budget", "Compressed"]

MAX_BYTES = 64 * 1024 * 1024
"""What all that is inside of one file may come to."""

MAX_DEPTH = 3
"""How many wrappings deep: base64 in a member of a zip in a gzip is three."""

MAX_MEMBERS = 10_000

_RATIO = 200
_RATIO_FROM = 1024 * 1024
_STEP = 1024 * 1024


class Compressed(Protocol):
    """A compressed file as the standard library opens them. A whole `read` would lose what stands before damage."""

    def read1(self, size: int, /) -> bytes:
        """Return at least one byte of what is left, b"" at the end."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class Budget:
    """What is left for one file. `unsearched` are the reasons why a part of it was not looked at."""

    def __init__(self) -> None:
        self._left = MAX_BYTES
        self._members = MAX_MEMBERS
        self._unsearched: dict[str, None] = {}

    @property
    def unsearched(self) -> tuple[str, ...]:
        """Return why parts of the file stay closed, each reason once."""
        return tuple(self._unsearched)

    def refuse(self, reason: str) -> None:
        """Note that a part stays closed."""
        self._unsearched[reason] = None

    def member(self) -> bool:
        """Count one member; False, and noted, where there are too many."""
        self._members -= 1
        if self._members < 0:
            self.refuse(f"more than {MAX_MEMBERS} members")
        return self._members >= 0

    def take(self, data: bytes) -> bytes | None:
        """Spend bytes that are at hand already; None, and noted, where the cap does not allow for them."""
        if len(data) > self._left:
            self.refuse(_TOO_MUCH)
            return None
        self._left -= len(data)
        return data

    def read(self, opener: Callable[[], Compressed], packed: int, name: str) -> bytes:
        """Return what a compressed file of `packed` bytes holds, as far as it is sound and the caps allow."""
        out = bytearray()
        try:
            with contextlib.closing(opener()) as stream:
                while self._within(out, packed) and (step := stream.read1(_STEP)):
                    out += step
        except (OSError, EOFError, ValueError, NotImplementedError, RuntimeError, MemoryError):
            self._damaged(out, name)
        except (zlib.error, lzma.LZMAError):
            self._damaged(out, name)
        self._left -= len(out)
        return bytes(out)

    def inflate(self, packed: bytes | memoryview, name: str) -> tuple[bytes, int]:
        """Return what one zlib stream holds, and how many bytes it took: 0 where it is none."""
        inflater, out, fed = zlib.decompressobj(), bytearray(), 0
        pending: bytes | memoryview = b""
        try:
            while not inflater.eof and (pending or fed < len(packed)) and self._within(out, len(packed)):
                if not pending:
                    pending, fed = packed[fed : fed + _SIP], fed + _SIP
                out += inflater.decompress(pending, _STEP)
                pending = inflater.unconsumed_tail
        except zlib.error:
            self._damaged(out, name)
        self._left -= len(out)
        used = min(fed, len(packed)) - len(inflater.unused_data)
        return bytes(out), used if inflater.eof else 0

    def _within(self, out: bytearray, packed: int) -> bool:
        if len(out) > self._left:
            self.refuse(_TOO_MUCH)
            return False
        if len(out) > _RATIO_FROM and len(out) > _RATIO * packed:
            self.refuse(f"compressed more than {_RATIO} to one")
            return False
        return True

    def _damaged(self, out: bytearray, name: str) -> None:
        if name:
            self.refuse(f"a damaged {name}" if not out else f"the end of a damaged {name}")


_SIP = 64 * 1024
_TOO_MUCH = f"more than {MAX_BYTES // 1024 // 1024} MiB inside"
