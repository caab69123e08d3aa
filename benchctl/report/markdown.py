"""A table as markdown that any dialect reads alike, and that no cell's text can break out of."""

from __future__ import annotations

from benchctl.report.escaping import entities, prose
from benchctl.report.shape import Table, TableCell

__all__ = ["to_markdown"]


def to_markdown(table: Table) -> str:
    """Return a pipe table with its caption and its notes, ending in one line end.

    Numbers are written as they are, titles and notes as prose, every other text through `entities`.
    """
    header = _line([prose(column.title) for column in table.columns])
    rule = _line([":--" if column.key else "--:" for column in table.columns])
    rows = [_line([_cell(cell) for cell in row]) for row in table.rows]
    paragraphs = ["\n".join([header, rule, *rows]), f"*{prose(table.caption)}*"]
    paragraphs += [prose(note) for note in table.notes]
    return "\n\n".join(paragraphs) + "\n"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: TableCell) -> str:
    return entities(cell.text) if isinstance(cell.value, str) else cell.text
