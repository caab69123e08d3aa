"""The ways in which a secret's value may stand in a text: as it is, escaped, encoded, and in parts that are secret alone."""

from __future__ import annotations

import base64
import html
import json
import re
import shlex
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote, quote_plus

__all__ = ["MIN_LENGTH", "PIECE", "Forms", "forms_of"]

MIN_LENGTH: Final = 8
"""The shortest value that is looked for, in characters; a shorter one stands in half of all words."""

PIECE: Final = 12
"""The length of a piece of Base64: it holds 72 bits of the value, and no text has them by chance."""

_LONG_LINE: Final = 16
"""The shortest line of a value of several lines that is secret alone; `-----BEGIN …-----` is not."""

_BASE64: Final = (base64.b64encode, base64.urlsafe_b64encode)
_JSON_DEPTH: Final = 3

Forms = tuple[frozenset[bytes], frozenset[bytes]]
"""The forms of a value as a whole or of one of its lines, and pieces of its encoded form, which a line break may part."""


def forms_of(value: str) -> Forms:
    """Return every form of a value that is looked for; nothing for one below MIN_LENGTH."""
    whole: set[bytes] = set()
    pieces: set[bytes] = set()
    for text in {value, value.strip(), *_lines(value)}:
        if len(text) < MIN_LENGTH:
            continue
        data = _bytes(text)
        whole.update(_bytes(form) for form in _escaped(text))
        whole.update((data.hex().encode(), data.hex().upper().encode()))
        whole.update(text.encode(name, "surrogatepass") for name in ("utf-16-le", "utf-16-be"))
        for encoded in _aligned(data):
            whole.update((encoded, _bytes(quote(encoded, safe="")), encoded.replace(b"/", rb"\/")))
            pieces.update(encoded[at : at + PIECE] for at in range(0, len(encoded) - PIECE + 1, PIECE))
    return frozenset(form for form in whole if len(form) >= MIN_LENGTH), frozenset(pieces - whole)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _lines(value: str) -> Iterator[str]:
    """Yield the lines that give the value away alone; a break may be written out, as in a key kept in a variable."""
    lines = re.split(r"(?:\r?\n|\\r|\\n)+", value)
    if len(lines) > 1:
        yield from (line for line in lines if len(line) >= _LONG_LINE and not line.startswith("-----"))


def _escaped(text: str) -> Iterator[str]:
    """Yield the text as programs write it: in JSON, in JSON inside JSON, in a URL, in HTML, in Python, in a shell."""
    for ascii_only in (True, False):
        inner = text
        for _ in range(_JSON_DEPTH):
            yield inner
            yield inner.replace("/", r"\/")
            inner = json.dumps(inner, ensure_ascii=ascii_only)[1:-1]
        yield inner
    for safe in ("", "/", "~-._!*'()"):
        coded = quote(text, safe=safe, errors="surrogateescape")
        yield from (coded, _lower_hex(coded))
    plus = quote_plus(text, errors="surrogateescape")
    yield from (plus, _lower_hex(plus))
    yield from _in_html(text)
    yield repr(text)[1:-1]
    yield shlex.quote(text).removeprefix("'").removesuffix("'")


def _lower_hex(coded: str) -> str:
    return re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), coded)


def _in_html(text: str) -> Iterator[str]:
    escaped = html.escape(text, quote=False)
    yield escaped
    for double in ('"', "&quot;", "&#34;", "&#x22;"):
        for single in ("'", "&#x27;", "&#39;", "&apos;"):
            quoted = escaped.replace('"', double).replace("'", single)
            yield quoted
            yield quoted.replace("/", "&#x2F;").replace("`", "&#x60;").replace("=", "&#x3D;")


def _aligned(data: bytes) -> Iterator[bytes]:
    """Yield the Base64 of the value wherever in a longer text it begins: what does not depend on its neighbours.

    A value that begins `shift` bytes into a group of three shares its first character, or two, with what stands
    before it, and its last with what follows (RFC 4648, section 4).
    """
    for encode in _BASE64:
        for shift in range(3):
            first = -(-shift * 8 // 6)
            last = (shift + len(data)) * 8 // 6
            yield encode(bytes(shift) + data)[first:last]
        yield encode(data).rstrip(b"=")
