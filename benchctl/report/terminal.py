"""A table for a terminal: aligned columns of plain text, without colour or control characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from benchctl.report.escaping import visible
from benchctl.report.shape import Table

__all__ = ["aligned", "to_text"]

_GAP = "  "


def to_text(table: Table) -> str:
    """Return the caption, the table and its notes, ending in one line end. Figures are right-aligned."""
    header = [visible(column.title) for column in table.columns]
    grid = [header, *([visible(cell.text) for cell in row] for row in table.rows)]
    lines = aligned(grid, [column.key for column in table.columns])
    rule = _GAP.join("-" * max(_width(line[index]) for line in grid) for index in range(len(header)))
    return "\n".join([visible(table.caption), "", lines[0], rule, *lines[1:], *_notes(table)]) + "\n"


def aligned(grid: Sequence[Sequence[str]], left: Sequence[bool]) -> list[str]:
    """Return lines of text whose columns stand below each other; `left` says on which side each is flush."""
    widths = [max(_width(line[index]) for line in grid) for index in range(len(left))]
    return [_line(cells, widths, left) for cells in grid]


def _notes(table: Table) -> list[str]:
    return ["", *(visible(note) for note in table.notes)] if table.notes else []


def _line(cells: Sequence[str], widths: Sequence[int], left: Sequence[bool]) -> str:
    padded = [
        cell + " " * (width - _width(cell)) if is_left else " " * (width - _width(cell)) + cell
        for cell, width, is_left in zip(cells, widths, left, strict=True)
    ]
    return _GAP.join(padded).rstrip()


def _width(text: str) -> int:
    """Return the columns a terminal needs: two for a wide character, none for a combining one."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
