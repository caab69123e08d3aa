"""The first rows of a frame, for a terminal and for a notebook: how many of how many, cut and escaped.

An answer may hold markup or characters that turn a line around; in both forms it is text.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchctl.schema.result import Column
    from benchctl.store.disk.rows import Row

__all__ = ["Head", "as_html", "as_text"]

_MOST_COLUMNS: Final = 12
_MOST_CHARACTERS: Final = 60
_NULL: Final = "\N{EN DASH}"
_STYLE: Final = "text-align:left;vertical-align:top;padding:0 .6em"


@dataclass(frozen=True, slots=True)
class Head:
    """What is shown of a frame: its first rows of `total`, its data digest, and what is to be said of its columns."""

    name: str
    columns: Sequence[Column]
    digest: str | None
    rows: Sequence[Row]
    total: int
    notes: Sequence[str]


def as_text(head: Head) -> str:
    """Return a caption and the rows below it, each column as wide as its widest cell, and the notes."""
    shown = head.columns[:_MOST_COLUMNS]
    grid = [[_header(c) for c in shown], *([_cell(row[c.name]) for c in shown] for row in head.rows)]
    widths = [max(len(line[index]) for line in grid) for index in range(len(shown))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in grid]
    notes = [f"note: {_printable(note)}" for note in head.notes]
    return "\n".join([_caption(head), *(line.rstrip() for line in lines), *notes])


def as_html(head: Head) -> str:
    """Return a `<table>` without a script or a style sheet; a header's title says what its column means."""
    shown = head.columns[:_MOST_COLUMNS]
    titles = "".join(
        f'<th style="{_STYLE}" title="{_escaped(_printable(column.meaning))}">{_escaped(_header(column))}</th>'
        for column in shown
    )
    body = "".join(
        "<tr>"
        + "".join(f'<td style="{_STYLE}">{_escaped(_cell(row[column.name]))}</td>' for column in shown)
        + "</tr>"
        for row in head.rows
    )
    said = "<br>".join(_escaped(text) for text in (_caption(head), *map(_printable, head.notes)))
    return (
        f'<div style="overflow-x:auto"><table><caption style="text-align:left">{said}</caption>'
        f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _caption(head: Head) -> str:
    shown, total = len(head.rows), head.total
    rows = f"{total:,} rows" if shown == total else f"{shown:,} of {total:,} rows"
    wide = len(head.columns) > _MOST_COLUMNS
    several = f", {_MOST_COLUMNS} of {len(head.columns)} columns" if wide else ""
    data = f", data {head.digest.removeprefix('sha256:')[:12]}" if head.digest else ", no digest"
    return f"{_printable(head.name)}: {rows}{several}{data}"


def _header(column: Column) -> str:
    return _cell(column.name) + (f" ({column.unit})" if column.unit else "")


def _cell(value: object) -> str:
    """Return a value as one short line; a character that does not print is written out."""
    if value is None:
        return _NULL
    text = str(value).lower() if isinstance(value, bool) else str(value)
    cut = text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"
    return _printable(cut)


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def _escaped(text: str) -> str:
    return html.escape(text, quote=True)
