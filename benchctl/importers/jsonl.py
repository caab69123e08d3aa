"""JSON Lines: one object a line; a line that is none is named, a torn last one too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchctl.errors import ImportUnreadableError
from benchctl.importers.base import Sheet, Tally
from benchctl.importers.encoding import encoding_of, text_lines
from benchctl.importers.objects import Document, Flattener, aligned

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchctl.importers.base import ReadOptions

__all__ = ["SUFFIX", "read"]

SUFFIX: Final = "jsonl"


def read(path: Path, options: ReadOptions) -> Sheet:
    """Return the file as a sheet: its columns are the keys of all its objects, in the order they are first met."""
    encoding, notes = encoding_of(path, options)
    tally = Tally()

    def objects() -> Iterator[tuple[int, dict[str, object]]]:
        tally.clear()
        return _objects(path, options, encoding, tally)

    columns = Flattener(options).columns(objects())
    return Sheet(
        columns=tuple(columns),
        bare=(False,) * len(columns),
        unit="line",
        rows=lambda: aligned(objects(), columns, options),
        encoding=encoding,
        notes=notes,
        tally=tally,
    )


def _objects(
    path: Path, options: ReadOptions, encoding: str, tally: Tally
) -> Iterator[tuple[int, dict[str, object]]]:
    for number, text in text_lines(path, options, encoding, "\n"):
        if not text.strip():
            tally.add("blank lines left out", number)
            continue
        yield number, _object(text, options, number)


def _object(text: str, options: ReadOptions, number: int) -> dict[str, object]:
    try:
        value = Document(text, options, first_line=number).whole()
    except ImportUnreadableError as error:
        if not text.endswith("\n"):
            error.next_step = "it is the last line and has no end: whoever wrote it was cut short; remove it"
        elif text.strip() in ("{", "["):
            error.next_step = "JSON over several lines is the format json; `jq -c` writes one object a line"
        raise
    if not isinstance(value, dict):
        raise ImportUnreadableError(
            "not an object",
            where=options.where(number),
            expected="one JSON object a line: {…}",
            next_step="an array of objects is the format json: `benchctl import json`"
            if isinstance(value, list)
            else "write each row as an object whose keys are the columns",
        )
    return value
