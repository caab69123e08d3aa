"""A key taken out of what an upstream says: as it is, escaped letter by letter, or encoded, wherever the stream is cut.

As many asterisks stand for it as it had bytes, so that lengths stay true. Left out: a key that an upstream
encrypts, packs itself, or says in parts.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from benchctl.workspace.redaction import Redactor

__all__ = ["Blanked"]

_NAMED: Final = {"&": ("amp",), "<": ("lt",), ">": ("gt",), '"': ("quot",), "'": ("apos",)}


class Blanked:
    """Replaces a key in a stream by asterisks; holds back only what may be the key's beginning."""

    def __init__(self, secret: bytes) -> None:
        self._letters = _spelt(secret)
        self._first = bytes(sorted({form.lower()[0] for forms in self._letters[:1] for form in forms}))
        self._encoded = Redactor({"key": secret.decode()}, filler=b"*") if secret else None
        self.secret, self._held = secret, b""

    def is_in(self, name: str) -> bool:
        """Return whether a header's name holds the key, whose case a server may have changed."""
        plain = self.secret.decode().lower()
        return bool(plain) and (plain in name.lower() or self.text(name) != name)

    def text(self, value: str) -> str:
        """Return a whole text with the key blanked."""
        whole = Blanked(self.secret)
        data = value.encode("utf-8", "surrogateescape")
        return (whole.feed(data) + whole.rest()).decode("utf-8", "surrogateescape")

    def feed(self, piece: bytes) -> bytes:
        """Take the next piece of the stream and return what can be passed on."""
        if self._encoded is None:
            return piece
        return self._encoded.feed(self._letter_by_letter(self._held + piece))

    def rest(self) -> bytes:
        """Return what was held back, at the end of the stream."""
        if self._encoded is None:
            return b""
        held, self._held = self._held, b""
        return self._encoded.feed(held) + self._encoded.close()

    def _letter_by_letter(self, data: bytes) -> bytes:
        """Return `data` without the key in any mixture of escapes, up to where the key may just have begun."""
        parts: list[bytes] = []
        low, done, place = data.lower(), 0, 0
        while (place := _next(low, self._first, place)) >= 0:
            end, begun = self._from(data, low, place)
            if end:
                parts += (data[done:place], b"*" * (end - place))
                done = place = end
            elif begun:
                break
            else:
                place += 1
        cut = place if place >= 0 else len(data)
        self._held = data[cut:]
        return b"".join([*parts, data[done:cut]])

    def _from(self, data: bytes, low: bytes, start: int) -> tuple[int, bool]:
        """Return (where the key that begins at `start` ends, 0 where none does; whether it may with more to come)."""
        places, begun = {start}, False
        for plain, *escapes in self._letters:
            further: set[int] = set()
            for place in places:
                if data.startswith(plain, place):
                    further.add(place + 1)
                begun = begun or place == len(data)
                for escape in escapes:
                    if low.startswith(escape, place):
                        further.add(place + len(escape))
                    elif len(data) - place < len(escape):
                        begun = begun or escape.startswith(low[place:])
            places = further
            if not places:
                return 0, begun
        return max(places), begun


def _next(low: bytes, firsts: bytes, start: int) -> int:
    """Return the next place at which a key may begin; -1 where there is none."""
    found = [place for first in firsts if (place := low.find(first, start)) >= 0]
    return min(found, default=-1)


@lru_cache(maxsize=8)
def _spelt(secret: bytes) -> tuple[tuple[bytes, ...], ...]:
    """Return for each letter how it may stand: itself first, then its escapes in JSON, JSON in JSON, URLs, HTML."""
    return tuple((bytes([code]), *(form.encode() for form in _escapes(code))) for code in secret)


def _escapes(code: int) -> tuple[str, ...]:
    escapes = [f"\\u{code:04x}", f"\\\\u{code:04x}", f"\\x{code:02x}", f"%{code:02x}", f"%25{code:02x}"]
    escapes += [f"&#{code};", f"&#x{code:x};", *(f"&{name};" for name in _NAMED.get(chr(code), ()))]
    if not chr(code).isalnum():
        escapes += [f"\\{chr(code)}", f"\\\\{chr(code)}"]
    return tuple(escapes)
