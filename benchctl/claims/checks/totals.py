"""Rows called total, mean, median: what they print is what the rows above come to.

A total of counts is their sum, to the last one; of rounded numbers it lies within what their rounding allows.
An average lies between the least and the greatest of its rows, however it is weighted. What cannot be known is
passed by: a cell without a number, mixed units, spreads and p-values, parts of parts, a row that may be an arm.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.adding import is_partial, kind_of
from benchctl.claims.tables.grid import Column, Grid, GridRow, grids_of
from benchctl.claims.tables.shown import listed, stretch
from benchctl.claims.tables.summaries import summary_of
from benchctl.claims.tables.summing import AVERAGES, Sum, wrong_averages, wrong_ends, wrong_totals
from benchctl.claims.tables.trust import Trust, trust_of

__all__ = ["check"]

_TOTALS = ("total", "overall", "perhaps")


def check(sheet: Sheet) -> None:
    """Find the cells of summary rows that cannot be what their row is called."""
    trust = trust_of(sheet)
    for grid in grids_of(sheet):
        kinds = {row.summary for row in grid.rows}
        if kinds == {None} or "statistic" in kinds or len(grid.parts) < 2 or is_partial(sheet, grid):
            continue
        for index, row in enumerate(grid.rows):
            if row.summary:
                _row(sheet, grid, index, trust)


def _row(sheet: Sheet, grid: Grid, index: int, trust: Trust) -> None:
    """Report what is wrong whichever rows the summary row may sum up."""
    row = grid.rows[index]
    found = [
        {item.column.index: item for item in _wrong(grid, row, rows, trust, first=index == 0)}
        for rows in _operands(grid, index)
        if len(rows) > 1
    ]
    for column, item in found[0].items() if found else ():
        if all(column in other for other in found) and not trust.confirmed((item.printed, *item.parts)):
            _say(sheet, row, item)


def _operands(grid: Grid, index: int) -> Iterator[tuple[GridRow, ...]]:
    """Yield the rows that a summary row may sum up: those since the one before, all items, or the subtotals."""
    own = grid.rows[index]
    above: list[GridRow] = []
    earlier = [row for row in grid.rows[:index] if row.summary == own.summary]
    for row in reversed(grid.rows[:index]):
        if row.is_title or (row.summary == own.summary and _same_kind(grid, own, row)):
            break
        if row.summary is None and _of_group(grid, own, row):
            above.append(row)
    yield tuple(above[::-1]) if index else grid.parts
    if earlier or any(row.is_title for row in grid.rows):
        yield tuple(row for row in grid.parts if _of_group(grid, own, row))
        yield tuple(earlier)


def _same_kind(grid: Grid, own: GridRow, other: GridRow) -> bool:
    return grid.keys == 1 or _of_group(grid, own, other)


def _of_group(grid: Grid, own: GridRow, row: GridRow) -> bool:
    """Whether a row has the other keys of a subtotal: `grep, total` sums up the rows of grep."""
    keys = zip(own.cells[: grid.keys], row.cells[: grid.keys], strict=False)
    return all(
        not mine.label or mine.shape != "text" or mine.label == its.label or summary_of(mine.label)
        for mine, its in keys
    )


def _wrong(grid: Grid, row: GridRow, rows: tuple[GridRow, ...], trust: Trust, *, first: bool) -> list[Sum]:
    summary = row.summary
    sums = [item for column in grid.columns if (item := _summed(row, column, rows, trust))]
    if summary is None:
        return []
    if summary in _TOTALS:
        return wrong_totals(sums, summary, first=first)
    return wrong_averages(sums, summary) if summary in AVERAGES else wrong_ends(sums, summary)


def _summed(row: GridRow, column: Column, rows: tuple[GridRow, ...], trust: Trust) -> Sum | None:
    printed, kind = row.figure(column.index), kind_of(column)
    parts = tuple(part for other in rows if (part := other.figure(column.index)))
    if printed is None or kind == "neither" or len(parts) < len(rows):
        return None
    if len({figure.unit for figure in (printed, *parts)}) > 1 or not trust.usable((printed, *parts)):
        return None
    return Sum(column, kind, printed, parts, rows)


def _say(sheet: Sheet, row: GridRow, item: Sum) -> None:
    slug = "total-differs" if row.summary in _TOTALS else "average-differs"
    place = item.printed.place
    words = ", ".join(f"{name} is {stretch(span, place)}" for name, span in item.expected.items())
    parts = listed([part.atom.literal for part in item.parts])
    name = item.column.header or "this column"
    message = f"`{name}` prints {item.printed.atom.literal} as the {row.label} of {parts}: {words}"
    sheet.record.find(slug, item.printed.atom.start, item.printed.atom.end, message)
