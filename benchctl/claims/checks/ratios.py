"""Ratio columns (`vs grep`, `speedup`, `change`) recomputed from their row and the baseline's.

A column of ratios does not say which column it was computed from, nor which way round. Each reading is tried on
each row; only where one fits the others and not this one is it wrong. A ratio of medians is not a median of
ratios: what fits no row, or only by accident, is left alone.
"""

from __future__ import annotations

from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.figures import Figure
from benchctl.claims.tables.grid import Column, Grid, grids_of
from benchctl.claims.tables.relating import Reading, is_relative, readings_of, trials
from benchctl.claims.tables.shown import stretch
from benchctl.claims.tables.trust import Trust, trust_of
from benchctl.quantities.majority import odd_ones

__all__ = ["check"]


def check(sheet: Sheet) -> None:
    """Find the cells of a ratio column that their own row denies."""
    trust = trust_of(sheet)
    for grid in grids_of(sheet):
        if len(grid.items) > 1:
            for column in grid.columns:
                if is_relative(grid, column):
                    _column(sheet, grid, column, trust)


def _column(sheet: Sheet, grid: Grid, column: Column, trust: Trust) -> None:
    readings = {reading: trials(grid, column, reading, trust) for reading in readings_of(grid, column)}
    odd = odd_ones(readings)
    for index in odd.rows if odd else ():
        printed = grid.items[index].figure(column.index)
        operands = odd.reading.operands(grid, index) if odd else None
        if odd and printed and operands and not trust.confirmed((printed, *operands)):
            _say(sheet, column, odd.reading, printed, operands)


def _say(
    sheet: Sheet, column: Column, reading: Reading, printed: Figure, operands: tuple[Figure, Figure]
) -> None:
    expected = reading.expected(*operands)
    if expected:
        message = (
            f"{reading.worded(*operands)} is {stretch(expected, printed.place)}, not {printed.atom.literal}"
        )
        hint = f"every other row of `{column.header}` is {reading.named()}"
        sheet.record.find("ratio-differs", printed.atom.start, printed.atom.end, message, hint=hint)
