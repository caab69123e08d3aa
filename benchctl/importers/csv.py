"""CSV as RFC 4180 has it, and with any delimiter that its header shows: strict about quotes, rows and lines.

Python's reader splits the records, in its strict mode; what it lets through (NUL, ragged rows,
doubled names) is judged here or by the rooms that name columns.
"""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from benchctl.errors import ImportEmptyError, ImportRaggedError, ImportUnreadableError, OptionInvalidError
from benchctl.importers import base, codeaf
from benchctl.importers.base import ABSENT, WIDEST, Sheet, Tally, too_wide
from benchctl.importers.encoding import encoding_of, text_lines, too_long
from benchctl.importers.values import is_number
from benchctl.quantities.format import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchctl.importers.base import Raw, ReadOptions

__all__ = ["SUFFIX", "read"]

SUFFIX: Final = "csv"
_SEPARATOR: Final = re.compile(r'"?sep=([^"\r\n])"?[\r\n]*', re.IGNORECASE)
_DELIMITER_STEP: Final = "leave it out: the header mostly shows it"
_DELIMITERS: Final = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


def read(path: Path, options: ReadOptions) -> Sheet:
    """Return the file as a sheet: its first record is the header, and every text may be a number.

    Of a column whose writer said that it holds texts (`options.types`) none may.
    """
    _refuse_empty(options)
    encoding, notes = encoding_of(path, options)
    declared = _declared(path, options, encoding)
    delimiter = options.delimiter or declared or _delimiter(path, options, encoding)
    if len(delimiter) != 1 or delimiter in '"\r\n\0':
        raise OptionInvalidError(
            "--delimiter: not one character", expected="such as ; or a tab", next_step=_DELIMITER_STEP
        )
    if declared:
        notes += (f"the first line, `sep={declared}`, says what parts the fields: left out",)
    elif delimiter != ",":
        notes += (f"the delimiter is a {_DELIMITERS.get(delimiter, repr(delimiter))}",)
    file = _File(path, replace(options, delimiter=delimiter), encoding, skips=bool(declared))
    header = next(file.records(Tally()), None)
    if header is None:
        raise ImportEmptyError(
            "there is no header",
            where=options.where(),
            expected="a line of column names",
            next_step="nothing was imported; a file that should hold rows was perhaps cut short",
        )
    columns = _header(header[1], options, header[0])
    width = len(columns)
    columns += codeaf.appended(columns)
    tally = Tally()
    return Sheet(
        columns=columns,
        bare=tuple(options.types.get(name) != "VARCHAR" for name in columns),
        unit="line",
        rows=lambda: _rows(file, columns, width, tally),
        encoding=encoding,
        notes=notes,
        tally=tally,
        options=_chosen(options, delimiter),
    )


def _refuse_empty(options: ReadOptions) -> None:
    if options.delimiter == "":
        raise OptionInvalidError("--delimiter: not one character", next_step=_DELIMITER_STEP)
    if options.comment == "":
        raise OptionInvalidError(
            "--comment: every line begins with an empty text", next_step="name what comments begin with: #"
        )


def _declared(path: Path, options: ReadOptions, encoding: str) -> str | None:
    """Return the delimiter that a first line such as `sep=;` declares to a spreadsheet; None where it is no such line."""
    first = next(text_lines(path, options, encoding, ""), (1, ""))[1]
    match = _SEPARATOR.fullmatch(first)
    return match[1] if match else None


def _chosen(options: ReadOptions, delimiter: str) -> dict[str, str]:
    chosen = {} if delimiter == "," else {"delimiter": delimiter}
    return chosen | ({"comment": options.comment} if options.comment else {})


def _header(names: Sequence[str], options: ReadOptions, line: int) -> tuple[str, ...]:
    if len(names) > WIDEST:
        raise too_wide(options, len(names))
    if all(is_number(name) for name in names):
        raise ImportUnreadableError(
            f"the header holds only numbers: {', '.join(names[:5])}",
            where=options.where(line),
            expected="a line of column names",
            next_step="put a line of names first",
        )
    return tuple(names)


def _delimiter(path: Path, options: ReadOptions, encoding: str) -> str:
    """Return what parts the header into most fields; a comma where nothing parts it."""
    widths = {}
    for candidate in _DELIMITERS:
        records = _File(path, replace(options, delimiter=candidate), encoding).records(Tally())
        try:
            widths[candidate] = len(next(records, (0, []))[1])
        except ImportUnreadableError:
            widths[candidate] = 0
    return max(widths, key=lambda candidate: widths[candidate])


class _File:
    """The records of a file, each with the line that it begins in; a quoted line break does not end a record."""

    def __init__(self, path: Path, options: ReadOptions, encoding: str, *, skips: bool = False) -> None:
        """`skips` says that the first line is no record."""
        self.path = path
        self.options = options
        self._encoding = encoding
        self._skips = skips

    def records(self, tally: Tally) -> Iterator[tuple[int, list[str]]]:
        """Yield (line, fields) of every record that is not blank, the header included."""
        csv.field_size_limit(base.LONGEST)  # an answer may be longer than the 128 KiB that Python stops at
        numbered = text_lines(self.path, self.options, self._encoding, "")
        if self._skips:
            next(numbered, None)
        lines = _Lines(numbered, self.options, tally)
        reader = csv.reader(lines, delimiter=self.options.delimiter or ",", strict=True)
        while True:
            lines.begin = 0
            try:
                record = next(reader, None)
            except csv.Error as error:
                raise self._unreadable(error, lines) from error
            if record is None:
                return
            if not record or (len(record) == 1 and record[0].isspace()):
                tally.add("blank lines left out", lines.begin)
            else:
                yield lines.begin, record

    def _unreadable(self, error: csv.Error, lines: _Lines) -> ImportUnreadableError:
        if "field limit" in str(error):
            return too_long(self.options, lines.begin)
        if "unexpected end of data" in str(error):
            what = "a quote is opened in the record that begins here and is never closed"
        else:
            what = f"a quoted field is followed by something else ({error})"
        return ImportUnreadableError(
            what,
            where=self.options.where(lines.begin),
            expected='a quoted field ends before a delimiter or a line\'s end; a quote inside it is doubled: ""',
            next_step="mend the quotes there, or have whoever wrote the file write it anew",
        )


class _Lines:
    """A file's lines, counted. `begin` is the line in which the record begins that is being read, 0 before it."""

    def __init__(self, numbered: Iterator[tuple[int, str]], options: ReadOptions, tally: Tally) -> None:
        self._numbered = numbered
        self._comment = options.comment
        self._options = options
        self._tally = tally
        self.begin = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        while True:
            number, line = next(self._numbered)
            if not (self._comment and not self.begin and line.startswith(self._comment)):
                break
            self._tally.add(f"comment lines (`{self._comment}`) left out", number)
        if "\0" in line:
            raise ImportUnreadableError(
                "the character NUL",
                where=self._options.where(number, line.index("\0") + 1),
                expected="text without it",
                next_step="a file in which every second byte is NUL is UTF-16: `--encoding utf-16-le`",
            )
        self.begin = self.begin or number
        return line


def _rows(
    file: _File, columns: tuple[str, ...], named: int, tally: Tally
) -> Iterator[tuple[int, Sequence[Raw]]]:
    """Yield the rows; the header names the first `named` columns, and a known study the others."""
    tally.clear()
    width, options = len(columns), file.options
    appended = f"rows longer than the header, by the columns appended later ({', '.join(columns[named:])})"
    records = file.records(tally)
    next(records, None)
    for line, record in records:
        if record[0][:1] == "#" and not options.comment:
            tally.add("rows that begin with `#`, kept as rows; `--comment '#'` leaves them out", line)
        if len(record) > named and named < width:
            tally.add(appended, line)
        if len(record) == width:
            yield line, [field or None for field in record] if options.types else record
            continue
        lacking = columns[len(record) :]
        if not lacking:
            raise _too_long(options, line, record, columns)
        if not options.short_rows and not codeaf.may_lack(columns, lacking):
            raise _too_short(options, line, record, columns)
        if options.short_rows:
            tally.add("short rows filled with null", line)
        yield line, (*record, *(ABSENT for _ in lacking))


def _too_long(
    options: ReadOptions, line: int, record: list[str], columns: Sequence[str]
) -> ImportRaggedError:
    rest = record[len(columns) :]
    trailing = all(not field.strip() for field in rest)
    return ImportRaggedError(
        f"{counted(len(record), 'field')} where the header has {len(columns)}",
        where=options.where(line),
        expected=f"{counted(len(columns), 'field')}: {', '.join(columns[:12])}",
        next_step=_comment_hint(columns)
        or (
            "the row ends with a delimiter too many: remove it"
            if trailing
            else "quote the field that holds a delimiter, or name the columns in the header"
        ),
    )


def _too_short(
    options: ReadOptions, line: int, record: list[str], columns: Sequence[str]
) -> ImportRaggedError:
    comment = record[0].startswith("#")
    return ImportRaggedError(
        f"{counted(len(record), 'field')} where the header has {len(columns)}",
        where=options.where(line),
        expected=f"{counted(len(columns), 'field')}; {columns[len(record)]!r} and what follows is missing",
        next_step="`--comment '#'` leaves comment lines out"
        if comment
        else "`--short-rows null` reads what is missing as null",
    )


def _comment_hint(columns: Sequence[str]) -> str | None:
    if columns[0].startswith("#") and len(columns) == 1:
        return "the header is a comment: `--comment '#'` leaves comment lines out"
    return None
