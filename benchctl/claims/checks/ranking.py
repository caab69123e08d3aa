"""Ranks and bold: a ranked column that one row breaks, and a number shown as the best that is not.

Nothing says what a table is ranked by. With one column of figures it is that one; with several only one that all
rows but one follow is taken for it. Bold means best only where it does in every other column of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.figures import Figure, GridCell
from benchctl.claims.tables.grid import Column, Grid, grids_of, written_grids
from benchctl.claims.tables.trust import Trust, trust_of
from benchctl.quantities.span import Span

__all__ = ["check"]

_RANKS = frozenset({"rank", "place", "position", "pos"})
_FEWEST, _FEWEST_OF_SEVERAL = 4, 8
_OTHERS = 2


def check(sheet: Sheet) -> None:
    """Find the row that breaks its table's ranking, and the bold number that is not the best of its column."""
    trust = trust_of(sheet)
    for grid in written_grids(sheet):
        _ranked(sheet, grid, trust)
    for grid in grids_of(sheet):
        _bold(sheet, grid, trust)


def _ranked(sheet: Sheet, grid: Grid, trust: Trust) -> None:
    columns = [column for column in grid.measures if not _ranks(column)]
    least = _FEWEST if len(columns) == 1 else _FEWEST_OF_SEVERAL
    if not _is_ranked(grid) or len(grid.items) < least:
        return
    for turned in (1, -1):
        broken = {column.index: _breaks(grid, column, turned) for column in columns}
        if any(not odd for odd in broken.values() if odd is not None):
            return
    candidates = [
        (column, odd)
        for column in columns
        for turned in (1, -1)
        if (odd := _breaks(grid, column, turned)) and len(odd) == 1
    ]
    if len(candidates) == 1:
        column, [index] = candidates[0]
        figure = grid.items[index].figure(column.index)
        # Beside a column that nobody sees, true figures may well stand in another order; beside none they may not.
        excused = len(columns) > 1 and trust.confirmed(_known(grid.figures(column)))
        if figure and trust.usable([figure]) and not excused:
            message = f"{figure.atom.literal} stands on rank {index + 1}, and all other rows are in the order of `{column.header}`"
            sheet.record.find("rank-differs", figure.atom.start, figure.atom.end, message)


def _ranks(column: Column) -> bool:
    return bool(_RANKS.intersection(column.words)) or column.header.strip() == "#"


def _is_ranked(grid: Grid) -> bool:
    """Whether the first column counts the rows, under a header that calls it a rank."""
    header = grid.table.header.cells
    names = {*grid.key_headers[:1], *(column.header for column in grid.columns[:1] if column.index == 0)}
    if not header or not any(name.strip() == "#" or name.strip().casefold() in _RANKS for name in names):
        return False
    ranks = [row.cells[0].figures[:1] for row in grid.items]
    return [int(rank[0].value) if rank else 0 for rank in ranks] == list(range(1, len(ranks) + 1))


def _known(figures: Sequence[Figure | None]) -> list[Figure]:
    return [figure for figure in figures if figure]


def _breaks(grid: Grid, column: Column, turned: int) -> tuple[int, ...] | None:
    """Return the one row without which a column rises (`turned` -1: falls) from rank to rank; () where all do.

    None where a figure is missing, where more rows than one stand out, or where it may be either of two.
    """
    figures = _known(grid.figures(column))
    if len(figures) < len(grid.items) or len({figure.unit for figure in figures}) > 1:
        return None
    spans = [figure.span.times(turned) for figure in figures]
    if _rises(spans):
        return ()
    odd = [at for at in range(len(spans)) if _rises([*spans[:at], *spans[at + 1 :]])]
    # Of two neighbours in the wrong order either may be the odd one: the one that stands too high is named.
    return (odd[0],) if odd and odd[-1] - odd[0] <= 1 else None


def _rises(spans: Sequence[Span]) -> bool:
    return all(not later.hi < earlier.lo for earlier, later in pairwise(spans))


def _bold(sheet: Sheet, grid: Grid, trust: Trust) -> None:
    marked = {column.index: found for column in grid.measures if (found := list(_bold_cells(grid, column)))}
    single = {index: cells[0] for index, cells in marked.items() if len(cells) == 1}
    if len(single) <= _OTHERS or len(single) < len(marked):
        return
    ends = {column.index: _ends(grid, column) for column in grid.measures if column.index in single}
    off = [index for index, (_, cell) in single.items() if not _is_end(cell, ends[index])]
    rows = {row for row, _ in single.values()}
    if len(off) != 1 or len(rows) < _OTHERS:
        return
    [index] = off
    others = {row for at, (row, _) in single.items() if at != index}
    row, cell = single[index]
    column = next(column for column in grid.measures if column.index == index)
    if len(others) < _OTHERS and row in others:
        return  # A row of its own that is bold throughout is no best.
    known = _known(grid.figures(column))
    if column.better and trust.usable(known) and not trust.confirmed(known):
        best = min(known, key=lambda figure: figure.value * (1 if column.better == "lower" else -1))
        message = f"{cell.label} is bold in `{column.header}`, as the best is in the other columns, and {best.atom.literal} is better"
        sheet.record.find("bold-differs", cell.start, cell.end, message)


def _bold_cells(grid: Grid, column: Column) -> Iterator[tuple[int, GridCell]]:
    for row, item in enumerate(grid.items):
        cell = item.cell(column.index)
        if cell and cell.bold:
            yield row, cell


def _ends(grid: Grid, column: Column) -> tuple[Span, ...]:
    """Return the spans of the least and the greatest figure of a column, of what is known better the better alone."""
    figures = _known([cell.leading for row in grid.items if (cell := row.cell(column.index))])
    if not figures or len({figure.unit for figure in figures}) > 1:
        return ()
    least = min(figures, key=lambda figure: figure.value).span
    greatest = max(figures, key=lambda figure: figure.value).span
    if column.better:
        return (least,) if column.better == "lower" else (greatest,)
    return (least, greatest)


def _is_end(cell: GridCell, ends: Sequence[Span]) -> bool:
    """Whether a bold figure may be an end; where the ends are unknown it may."""
    figure = cell.leading
    return figure is None or not ends or any(figure.span.touches(end) for end in ends)
