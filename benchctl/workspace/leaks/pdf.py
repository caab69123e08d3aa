"""The words of a PDF: the strings of its text operators, in its compressed streams too."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from benchctl.workspace.leaks.budget import Budget

__all__ = ["is_pdf", "pdf_texts"]

_STREAM = re.compile(rb"stream\r?\n")
_SHOWN = re.compile(
    rb"\[((?:\\.|\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))*\)|[^\[\]\\(])*)\]\s*TJ"
    rb"|(\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))*\)|<[0-9A-Fa-f\s]*>)\s*(?:Tj|'|\")",
    re.DOTALL,
)
_PIECE = re.compile(rb"\(((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))*)\)|<([0-9A-Fa-f\s]*)>|(-?[0-9.]+)", re.DOTALL)
_ESCAPED = re.compile(rb"\\([0-7]{1,3}|\r?\n|.)", re.DOTALL)
_SPACE = -180
"""A shift of so many thousandths of an em to the right is a space between words; smaller ones are kerning."""


def is_pdf(data: bytes) -> bool:
    """Say whether bytes are a PDF (ISO 32000-1, 7.5.2: its header lies in the first 1,024 bytes)."""
    return b"%PDF-" in data[:1024]


def pdf_texts(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    """Yield the content of each stream and the words that it shows.

    Text in fonts with codes of their own is not read, nor is an encrypted file: where nothing is shown at all
    although there are streams, that is noted.
    """
    streams = shown = 0
    for begin in _STREAM.finditer(data):
        if data[max(0, begin.start() - 3) : begin.start()] == b"end":
            continue
        if not budget.member():
            return
        streams += 1
        end = data.find(b"endstream", begin.end())
        packed = data[begin.end() : end if end >= 0 else len(data)]
        content = _unpacked(packed, budget)
        words = _words(content)
        shown += bool(words)
        yield "pdf", content
        yield "pdf", words
    if streams and not shown:
        budget.refuse("a PDF without readable text")


def _unpacked(packed: bytes, budget: Budget) -> bytes:
    if packed[:1] == b"\x78":
        return budget.inflate(packed, "")[0]
    trimmed = packed.strip()
    if trimmed.endswith(b"~>"):
        try:
            inner = base64.a85decode(trimmed.removeprefix(b"<~").removesuffix(b"~>"))
        except ValueError:
            return packed
        return budget.inflate(inner, "")[0] if inner[:1] == b"\x78" else inner
    return packed


def _words(content: bytes) -> bytes:
    out: list[bytes] = []
    for shown in _SHOWN.finditer(content):
        out.extend(_pieces(shown[1] if shown[1] is not None else shown[2]))
        out.append(b" ")
    return b"".join(out) if any(part.strip() for part in out) else b""


def _pieces(array: bytes) -> Iterator[bytes]:
    for piece in _PIECE.finditer(array):
        if piece[1] is not None:
            yield _ESCAPED.sub(_plain, piece[1])
        elif piece[2] is not None:
            digits = b"".join(piece[2].split())
            yield bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode()).replace(b"\0", b"")
        elif float(piece[3].strip(b".") or b"0") < _SPACE:
            yield b" "


def _plain(found: re.Match[bytes]) -> bytes:
    code = found[1]
    if code.isdigit():
        return bytes([int(code, 8) & 0xFF])
    return {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(code, b"" if code.strip() == b"" else code)
