"""A pipe table as columns and rows of figures, and which of its rows only sum up the others."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, lru_cache

from benchctl.claims.attaching.headers import Scale, header_scale
from benchctl.claims.numbers import Atom
from benchctl.claims.reading.layout import Row, Table
from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.figures import Figure, GridCell, Printed, read_cell
from benchctl.claims.tables.summaries import Summary, summary_of
from benchctl.claims.tables.topics import Better, Topic, better_of, topic_of, words_of
from benchctl.quantities.units import family

__all__ = ["Column", "Grid", "GridRow", "grids_of", "written_grids"]


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row: its cells, what it is called, and how it sums up others (None for a row of its own)."""

    start: int
    cells: tuple[GridCell, ...]
    label: str
    summary: Summary | None

    def cell(self, index: int) -> GridCell | None:
        """Return a cell; None where the row is too short."""
        return self.cells[index] if index < len(self.cells) else None

    def figure(self, index: int) -> Figure | None:
        """Return the only number of a cell."""
        cell = self.cell(index)
        return cell.figure if cell else None

    @property
    def is_title(self) -> bool:
        """Whether it only heads the rows below it: nothing but a label."""
        return not any(cell.label for cell in self.cells[1:])


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its header, the words of it, and what it speaks of."""

    index: int
    header: str
    words: tuple[str, ...]
    unit: str
    topic: Topic | None
    better: Better | None


class Grid:
    """A table with its figures; it is read when somebody asks for them."""

    def __init__(self, printed: Printed, table: Table) -> None:
        self.table = table
        self._printed = printed

    @cached_property
    def headers(self) -> list[str]:
        """Return the headers of all columns."""
        return [self._printed.label(cell) for cell in self.table.header.cells]

    @cached_property
    def _scales(self) -> list[Scale | None]:
        return [header_scale(header) for header in self.headers]

    @cached_property
    def _cells(self) -> list[tuple[GridCell, ...]]:
        return [_cells(self._printed, row, self._scales) for row in self.table.rows]

    @cached_property
    def keys(self) -> int:
        """Return how many columns at its left name the rows."""
        return _keys(self._cells, len(self.headers))

    @cached_property
    def rows(self) -> tuple[GridRow, ...]:
        """Return its rows, those without a cell left out."""
        read = zip(self.table.rows, self._cells, strict=True)
        return tuple(_row(row, cells, self.keys) for row, cells in read if cells)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Return the columns right of those that name the rows."""
        read = list(enumerate(zip(self.headers, self._scales, strict=True)))
        return tuple(_column(index, header, scale) for index, (header, scale) in read[self.keys :])

    @property
    def key_headers(self) -> tuple[str, ...]:
        """Return the headers of the columns that name the rows."""
        return tuple(self.headers[: self.keys])

    @cached_property
    def atoms(self) -> list[Atom]:
        """Return every number in it."""
        return self._printed.between(self.table.start, self.table.end)

    @cached_property
    def items(self) -> tuple[GridRow, ...]:
        """Return the rows that may stand for themselves: no title, and no summary unless it may be an arm's name."""
        return tuple(row for row in self.rows if row.summary in (None, "perhaps") and not row.is_title)

    @cached_property
    def parts(self) -> tuple[GridRow, ...]:
        """Return the rows that surely stand for themselves."""
        return tuple(row for row in self.items if row.summary is None)

    def figures(self, column: Column) -> tuple[Figure | None, ...]:
        """Return a column's figures, one for each item."""
        return tuple(row.figure(column.index) for row in self.items)

    @cached_property
    def measures(self) -> tuple[Column, ...]:
        """Return the columns of which most items print a single figure or one with its spread."""
        return tuple(column for column in self.columns if self._is_measure(column))

    def _is_measure(self, column: Column) -> bool:
        cells = [cell for row in self.items if (cell := row.cell(column.index))]
        return bool(cells) and sum(cell.leading is not None for cell in cells) * 2 > len(cells)


def grids_of(sheet: Sheet) -> list[Grid]:
    """Return the hand-written tables of a page whose arithmetic may be wrong; each is read once.

    One without a number, one in a generated block, and one that the run's data has confirmed to the last number
    is left out.
    """
    return sheet.once(_doubtful)


def _doubtful(sheet: Sheet) -> list[Grid]:
    return [grid for grid in written_grids(sheet) if not sheet.holds(*grid.atoms)]


def written_grids(sheet: Sheet) -> list[Grid]:
    """Return the hand-written tables of a page that hold a number, those that the data has confirmed among them."""
    return [grid for grid in all_grids(sheet) if not _is_generated(sheet, grid.table.start)]


def all_grids(sheet: Sheet) -> list[Grid]:
    """Return the tables of a page that hold a number, generated ones too."""
    return sheet.once(_with_numbers)


def _with_numbers(sheet: Sheet) -> list[Grid]:
    printed = Printed(sheet.numbers)
    grids = [Grid(printed, table) for table in sheet.page.tables if table.rows]
    return [grid for grid in grids if grid.atoms]


def _is_generated(sheet: Sheet, offset: int) -> bool:
    index = bisect_left(sheet.blocks, offset, key=lambda block: block.end)
    return index < len(sheet.blocks) and sheet.blocks[index].start <= offset


def _cells(printed: Printed, row: Row, scales: list[Scale | None]) -> tuple[GridCell, ...]:
    first = printed.label(row.cells[0]) if row.cells else ""
    own = _scale_of_row(first)
    cells = zip(row.cells, [*scales, *[None] * len(row.cells)], strict=False)
    return tuple(read_cell(printed, cell, scale or own) for cell, scale in cells)


@lru_cache(maxsize=4096)
def _scale_of_row(label: str) -> Scale | None:
    return header_scale(label, bare=False)


def _keys(rows: list[tuple[GridCell, ...]], width: int) -> int:
    """Return how many columns at the left hold mostly text: at least the first, or the first two of a ranked table."""
    count = 0
    for index in range(width):
        cells = [cells[index] for cells in rows if index < len(cells)]
        texts = sum(cell.shape == "text" for cell in cells)
        if texts * 2 > len(cells) - sum(cell.shape == "missing" for cell in cells):
            count = index + 1
        elif index:
            break
    return max(count, 1)


def _row(row: Row, cells: tuple[GridCell, ...], keys: int) -> GridRow:
    named = [cell.label for cell in cells[:keys] if cell.shape == "text"]
    label = named[0] if named else cells[0].label
    summaries = (summary_of(name) for name in named or [label])
    return GridRow(row.start, cells, label, next((found for found in summaries if found), None))


def _column(index: int, header: str, scale: Scale | None) -> Column:
    unit = scale.unit if scale and family(scale.unit) else ""
    topic = topic_of(header, unit)
    return Column(index, header, words_of(header), unit, topic, better_of(header, topic))
