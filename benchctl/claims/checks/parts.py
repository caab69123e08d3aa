"""Columns that are the sum of others, row by row: `input + output = total`, `ok + failed = n`.

Which columns add up is not written anywhere: it is what nearly every row says. Only the row that denies what the
others agree on is wrong; medians, which do not add up, agree on nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.adding import kind_of
from benchctl.claims.tables.figures import Figure
from benchctl.claims.tables.grid import Column, Grid, GridRow, grids_of
from benchctl.claims.tables.shown import stretch
from benchctl.claims.tables.topics import WHOLES
from benchctl.claims.tables.trust import Trust, trust_of
from benchctl.quantities.averages import average, total
from benchctl.quantities.majority import Trial, odd_ones
from benchctl.quantities.span import Span

__all__ = ["check"]

_WHOLES = WHOLES | {"sum", "all", "overall"}
_MEANS = frozenset({"mean", "average", "avg"})
_MOST = 8

Run = tuple[Column, ...]


def check(sheet: Sheet) -> None:
    """Find the rows whose total is not what the columns that it sums up come to."""
    trust = trust_of(sheet)
    for grid in grids_of(sheet):
        if len(grid.items) > 1:
            for column in grid.columns:
                if _is_whole(column):
                    _column(sheet, grid, column, trust)


def _is_whole(column: Column) -> bool:
    sums = "\u03a3" in column.header or "\u2211" in column.header
    return sums or _is_mean(column) or bool(_WHOLES.intersection(column.words))


def _is_mean(column: Column) -> bool:
    return bool(column.words) and set(column.words) <= _MEANS


def _column(sheet: Sheet, grid: Grid, whole: Column, trust: Trust) -> None:
    readings = {run: _trials(grid, run, whole, trust) for run in _runs(grid, whole)}
    odd = odd_ones(readings)
    for index in odd.rows if odd else ():
        row, run = grid.items[index], odd.reading if odd else ()
        printed, parts = row.figure(whole.index), _parts(row, run)
        if printed is None or parts is None or trust.confirmed((printed, *parts)):
            continue
        sign = "the mean of " if _is_mean(whole) else ""
        added = (" and " if sign else " + ").join(part.atom.literal for part in parts)
        names = (", " if sign else " + ").join(f"`{column.header}`" for column in run)
        message = (
            f"{sign}{added} is {stretch(_expected(parts, whole), printed.place)}, not {printed.atom.literal}: "
            f"in the other rows {sign}{names} is `{whole.header}`"
        )
        sheet.record.find("parts-differ", printed.atom.start, printed.atom.end, message)


def _runs(grid: Grid, whole: Column) -> Iterator[Run]:
    """Yield the runs of at least two columns that end right before a column, or begin right behind it."""
    mean = _is_mean(whole)
    likely = [column for column in grid.columns if column is whole or _adds(column, mean=mean)]
    at = likely.index(whole)
    left, right = likely[:at][-_MOST:], likely[at + 1 :][:_MOST]
    for size in range(2, len(left) + 1):
        yield tuple(left[-size:])
    for size in range(2, len(right) + 1):
        yield tuple(right[:size])


def _adds(column: Column, *, mean: bool) -> bool:
    kind = kind_of(column)
    return kind != "neither" and (mean or kind != "average")


def _parts(row: GridRow, run: Run) -> tuple[Figure, ...] | None:
    parts = tuple(part for column in run if (part := row.figure(column.index)))
    return parts if len(parts) == len(run) else None


def _expected(parts: tuple[Figure, ...], whole: Column) -> Span:
    if _is_mean(whole):
        return average([part.span for part in parts])
    counted = kind_of(whole) == "count"
    return total([part.counted if counted else part.span for part in parts])


def _trials(grid: Grid, run: Run, whole: Column, trust: Trust) -> Iterator[Trial | None]:
    return (_trial(row, run, whole, trust) for row in grid.items)


def _trial(row: GridRow, run: Run, whole: Column, trust: Trust) -> Trial | None:
    printed, parts = row.figure(whole.index), _parts(row, run)
    if printed is None or parts is None or len({figure.unit for figure in (printed, *parts)}) > 1:
        return None
    if not trust.usable((printed, *parts)):
        return None
    expected = _expected(parts, whole)
    reach = printed.counted if kind_of(whole) == "count" else printed.span
    if _is_mean(whole):
        telling = len({part.value for part in parts}) > 1
    else:
        telling = sum(part.value != 0 for part in parts) > 1
    size = abs(float(printed.value)) or 1.0
    chance = (float(expected.hi - expected.lo) + float(printed.place)) / (0.4 * size) if telling else 1.0
    return Trial(reach.touches(expected), min(1.0, chance))
