"""Bytes to the texts in them, whatever they are encoded in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchctl.workspace.leaks.budget import Budget
from benchctl.workspace.leaks.words import unescaped

__all__ = ["is_wide", "narrow_text", "texts_of"]

_LOOKED_AT = 4000
_BOMS = (
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_PRINTED = bytes(code if 32 <= code < 127 or code in b"\t\n\r" else 32 for code in range(256))

_NO_LETTER = bytes(4)
"""More NULs than stand before a letter of any encoding."""

_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9:.-]*)(?:[\s/][^<>]{0,2000}+)?>")
_ESCAPED_TAGS = ("&lt;/", "&LT;/", "u003c", "u003C", "<\\/", "%3C%2F", "%3C/", "%3c")
_CLOSING = re.compile(r"</[A-Za-z]")
_INLINE = re.compile(
    r"a|abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup"
    r"|t|tt|u|var|w:(?:r|t|rpr|b|i|u|sz|lang|prooferr)|a:(?:r|t|rpr)|text:(?:span|a)|tspan",
    re.IGNORECASE,
)
"""Elements inside of a word or a line, of HTML, Word, PowerPoint, OpenDocument and SVG."""


def texts_of(data: bytes) -> Iterator[str]:
    """Yield the texts of bytes: as they stand, and a second reading where marks or NULs part the letters."""
    for text in _decoded(data):
        yield text
        if any(sign in text for sign in _ESCAPED_TAGS):
            text = unescaped(text)  # noqa: PLW2901  # the second reading is of what the marks mean
        if "</" in text and _CLOSING.search(text):
            yield _TAG.sub(lambda tag: "" if _INLINE.fullmatch(tag[1]) else " ", text)


def is_wide(data: bytes) -> bool:
    """Say whether bytes are text in UTF-16 or UTF-32, with a byte order mark or without."""
    return _encoding(data) is not None


def narrow_text(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    """Yield such a text as UTF-8, for what may be encoded in it."""
    narrow = budget.take(data.decode(_encoding(data) or "utf-16", errors="replace").encode(errors="replace"))
    if narrow is not None:
        yield "UTF-16", narrow


def _encoding(data: bytes) -> str | None:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return encoding
    return _wide_encoding(data[:_LOOKED_AT]) if b"\0" in data[:_LOOKED_AT] else None


def _decoded(data: bytes) -> Iterator[str]:
    wide = _encoding(data)
    if wide is not None:
        yield data.decode(wide, errors="replace")
        return
    if b"\0" in data:
        yield _printed(data)
        # Wide text inside of a binary: without its NULs it is plain ASCII.
        yield _printed(data.replace(_NO_LETTER, b" ").replace(b"\0", b""))
        return
    try:
        yield data.decode()
    except UnicodeDecodeError:
        # Text of an older encoding, or bytes that are none: either way its ASCII is what can be compared.
        yield data.decode("cp1252", errors="replace") if _mostly_printed(data) else _printed(data)


def _wide_encoding(head: bytes) -> str | None:
    """Return the encoding of text without a byte order mark whose letters are two or four bytes wide."""
    nuls = [head[place::4].count(0) / max(1, len(head[place::4])) for place in range(4)]
    shape = "".join("0" if share > 0.5 else "x" for share in nuls)
    return {"x000": "utf-32-le", "000x": "utf-32-be", "x0x0": "utf-16-le", "0x0x": "utf-16-be"}.get(shape)


def _mostly_printed(data: bytes) -> bool:
    head = data[:_LOOKED_AT]
    control = sum(head.count(code) for code in range(32) if code not in b"\t\n\r\f\x1b")
    return control * 20 < len(head)


def _printed(data: bytes) -> str:
    return data.translate(_PRINTED).decode("ascii")
