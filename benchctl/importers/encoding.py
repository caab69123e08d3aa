"""A file's text: UTF-8 unless it says otherwise, and never a guess about what its bytes might have meant."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Final

from benchctl.errors import ImportUnreadableError, OptionInvalidError
from benchctl.importers import base

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchctl.importers.base import ReadOptions

__all__ = ["BYTE_ORDER_MARK", "encoding_of", "text_lines", "too_long", "undecodable"]

BYTE_ORDER_MARK: Final = "\ufeff"
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPES: Final = ("utf-7", "unicode-escape", "raw-unicode-escape", "punycode", "idna", "unicode_escape")
"""Ways to write text with ASCII, which can say half a character."""

_CHUNK: Final = 1 << 16


def encoding_of(path: Path, options: ReadOptions) -> tuple[str, tuple[str, ...]]:
    """Return (the encoding to read with, the notes about it). Raises OptionInvalidError for an unknown one."""
    if options.encoding is not None:
        name = _known(options.encoding)
        return name, (f"read as {name}, as asked",)
    with path.open("rb") as file:
        head = file.read(4)
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8", ("a byte order mark (BOM) begins the file: dropped",)
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name, (f"a byte order mark says {name.upper()}: read so",)
    return "utf-8", ()


def _known(name: str) -> str:
    try:
        "".encode(name).decode(name)
        known = codecs.lookup(name).name
    except (LookupError, ValueError, TypeError):
        known = ""
    if known in ("", *_ESCAPES):
        raise OptionInvalidError(
            f"--encoding: {name!r} is no text encoding",
            expected="such as utf-8, utf-16, latin-1 or cp1252",
            next_step="leave it out for UTF-8",
        )
    return known


def text_lines(path: Path, options: ReadOptions, encoding: str, newline: str) -> Iterator[tuple[int, str]]:
    """Yield (number from 1, line with its end) without the byte order mark; `newline` as `open` has it.

    Raises ImportUnreadableError for what is not in this encoding, and for a line that is too long to be one.
    """
    number = 0
    with path.open(encoding=encoding, newline=newline) as file:
        while True:
            try:
                line = file.readline(base.LONGEST + 1)
            except UnicodeDecodeError as error:
                raise undecodable(path, options, encoding) from error
            if not line:
                return
            number += 1
            if len(line) > base.LONGEST:
                raise too_long(options, number)
            yield number, line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line


def too_long(options: ReadOptions, number: int) -> ImportUnreadableError:
    """Return the refusal of a line, or of a field, that is longer than any row's."""
    return ImportUnreadableError(
        f"more than {base.LONGEST} characters in one line or field",
        where=options.where(number),
        expected="lines of a table",
        next_step="look at what the file is; a quote that is never closed takes in all that follows",
    )


def undecodable(path: Path, options: ReadOptions, encoding: str) -> ImportUnreadableError:
    """Return the refusal of a file that is not in this encoding, with the place of the first byte that is not."""
    offset = _first_wrong(path, encoding)
    line, begin = _line_of(path, offset)
    with path.open("rb") as file:
        file.seek(begin)
        head = file.read(min(offset - begin, base.LONGEST))
        file.seek(offset)
        byte = file.read(1)
    column = len(head.decode(encoding, "replace")) + 1
    shown = f"0x{byte[0]:02X}" if byte else "the end"
    where = options.where(line, column) if encoding == "utf-8" else options.where()
    return ImportUnreadableError(
        f"not {encoding.upper()}: {shown} at byte {offset + 1}",
        where=where,
        expected=f"{encoding.upper()} throughout",
        next_step="`--encoding latin-1` or `--encoding cp1252` reads what older programs write"
        if encoding == "utf-8"
        else "name the encoding that it was written in with --encoding",
    )


def _line_of(path: Path, offset: int) -> tuple[int, int]:
    """Return (the line that the byte at an offset is in, the offset at which that line begins)."""
    line, begin, done = 1, 0, 0
    with path.open("rb") as file:
        while done < offset and (chunk := file.read(min(_CHUNK, offset - done))):
            line += chunk.count(b"\n")
            if (last := chunk.rfind(b"\n")) >= 0:
                begin = done + last + 1
            done += len(chunk)
    return line, begin


def _first_wrong(path: Path, encoding: str) -> int:
    """Return the offset of the first byte that cannot be decoded; the file's size where it ends in the middle."""
    decoder = codecs.getincrementaldecoder(encoding)()
    done = 0
    with path.open("rb") as file:
        while True:
            chunk = file.read(_CHUNK)
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                return done - pending + error.start
            if not chunk:
                return done
            done += len(chunk)
