"""Blocks of base64 and of hex digits in a text, wrapped or in one line, quoted or bare."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Iterator

from benchctl.workspace.leaks.archives import is_compressed, is_zip
from benchctl.workspace.leaks.budget import Budget

__all__ = ["blocks", "may_hold_blocks"]

_LINE = 24
"""A run of fewer letters is a word; lines of encoded text are longer, but for the last one."""

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_MASK = bytes(97 if code in _LETTERS else 32 for code in range(256))
_LONG = b"a" * _LINE
_RUN = re.compile(rb"[A-Za-z0-9+/_-]+={0,2}")
_GAP = re.compile(rb"(?:\\[nrt]|[\s\"',\\#*>|;:\0]|\+(?=[\s\"'])|//+(?=\s)){0,24}")
"""What may stand between two lines: a `+` or a `/` only where it is none of their letters."""

_HEX = re.compile(rb"[0-9a-fA-F]+")
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_CONTROL = bytes(code for code in range(32) if code not in b"\t\n\r")
_READ = 256


def may_hold_blocks(data: bytes) -> bool:
    """Say whether somewhere stand so many letters of base64 in a row that they may be a line of it."""
    return _LONG in _bare(data).translate(_MASK)


def _bare(data: bytes) -> bytes:
    """Return bytes without the escapes that JSON may put before a slash, which is a letter of base64."""
    return data.replace(b"\\/", b"/")


def blocks(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    """Yield what blocks of base64 or hex decode to, where that is a text or a file that can be opened."""
    data = _bare(data)
    mask = data.translate(_MASK)
    at = 0
    while (start := mask.find(_LONG, at)) >= 0:
        block, at = _joined(data, start)
        for name, inner in _decoded(block):
            if budget.take(inner) is None:
                return
            yield name, inner


def _joined(data: bytes, start: int) -> tuple[bytes, int]:
    """Return the letters of a block that begins at `start`, its lines joined, and where it ends.

    All lines but the last are as long as the first one, and nothing but quotes, signs and comment marks parts them.
    """
    first = _RUN.match(data, start)
    parts: list[bytes] = []
    run, at = first, start
    while first is not None and run is not None and len(run[0]) <= len(first[0]):
        parts.append(run[0])
        at = run.end()
        if len(run[0]) < len(first[0]) or run[0].endswith(b"="):
            break
        gap = _GAP.match(data, at)
        run = _RUN.match(data, gap.end()) if gap and gap.end() > at else None
    return b"".join(parts), at


def _decoded(block: bytes) -> Iterator[tuple[str, bytes]]:
    digits = _HEX.match(block)
    if digits and len(digits[0]) >= _LINE:
        yield from _readable("hex", bytes.fromhex(digits[0][: len(digits[0]) // 2 * 2].decode()))
    letters = block.rstrip(b"=").translate(_URL_SAFE)
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    try:
        yield from _readable("base64", base64.b64decode(letters + b"=" * (-len(letters) % 4)))
    except binascii.Error:
        return


def _readable(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    head = data[:_READ]
    letters = head.replace(b"\0", b"")
    control = len(letters) - len(letters.translate(None, _CONTROL))
    text = bool(letters) and control * 20 <= len(letters) and (_is_utf8(head) or _mostly_ascii(letters))
    if text or is_compressed(data) or is_zip(data):
        yield name, data


def _is_utf8(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _mostly_ascii(letters: bytes) -> bool:
    return sum(code >= 0x80 for code in letters) * 2 <= len(letters)
