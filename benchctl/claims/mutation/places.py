"""Where on a page a changed number has to be found, and what may be changed beside it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable

from benchctl.claims.markers.nouns import Inline, Listed, Retraction
from benchctl.claims.mutation.mutant import Place, Span
from benchctl.claims.reading.layout import Cell, Table
from benchctl.claims.sheet import Claim, Sheet
from benchctl.quantities.fold import WALL
from benchctl.report.stamp import Block

__all__ = ["Places"]

_REACH = 48
"""Code points as read, further than any rule looks from one number to the next (comparators 28, groups 40)."""
_STEP = 16
_LINES_AT_ONCE = 8
"""A block that was edited by hand is told line by line, and not every line of many."""


class Places:
    """The places of one examined page."""

    def __init__(self, sheet: Sheet) -> None:
        self._page = sheet.page
        self._behind = [item for item in sheet.bindings if isinstance(item, Inline | Retraction)]
        self._starts = [item.start for item in self._behind]
        self._groups: dict[int, list[Claim]] = {}
        for claim in sheet.claims:
            if claim.row is None and claim.listed is None and (marker := self._marker(claim.start)):
                self._groups.setdefault(marker[0], []).append(claim)
        self._lists = {
            item.literal.start: binding
            for binding in sheet.bindings
            if isinstance(binding, Listed)
            for item in binding.items
        }
        self._tables = {table.end: (table.start, table.end) for table in sheet.tables}

    def of_claim(self, claim: Claim) -> Place:
        """Return the place of a claim: its cell, its group with the comment behind it, or itself in a list."""
        if claim.row is not None:
            return self.of_cell(claim.start)
        if claim.listed is not None:
            return self.of_listed(claim, alone=False)
        return self.of_group(claim.start, claim.end)

    def of_group(self, start: int, end: int) -> Place:
        """Return the place of a number in prose: its group, and the comment that binds it."""
        marker = self._marker(start)
        group = self._groups.get(marker[0], []) if marker else []
        first = min([start, *(claim.start for claim in group)])
        last = max([end, *(claim.end for claim in group), marker[1] if marker else end])
        cell = self._cell(start)
        keys = frozenset({("cell", cell.start)}) if cell else self._reach(first, last)
        return Place(((first, last),), ((first, last), self._block(start)), keys)

    def of_listed(self, claim: Claim, *, alone: bool) -> Place:
        """Return the place of a number that a list names; `alone` where the list will not fit, so that it says nothing else."""
        binding = self._lists[claim.listed.start] if claim.listed else None
        block = self._block(claim.start)
        spans: tuple[Span, ...] = (block, (binding.start, binding.end)) if binding else (block,)
        keys: frozenset[Hashable] = self._reach(*block) if alone else self._reach(claim.start, claim.end)
        return Place(((claim.start, claim.end),), spans, keys)

    def of_cell(self, start: int) -> Place:
        """Return the place of a table's cell."""
        cell, table = self._cell(start), self._page.table_at(start)
        if cell is None or table is None:
            return self.of_group(start, start)
        span = (cell.start, cell.end)
        return Place((span,), (span, *self._whole(table)), frozenset({("cell", cell.start)}))

    def of_key(self, start: int) -> Place | None:
        """Return the place of a row's label: its row, and the binding, which misses the row of that name."""
        place = self._page.row_at(start)
        if place is None:
            return None
        table, row = place
        spans = ((row.start, row.end), *self._whole(table))
        cells = {("cell", cell.start) for cell in row.cells}
        return Place(spans, spans, frozenset({*cells, ("table", table.start)}))

    def of_block_line(self, block: Block, offset: int) -> Place:
        """Return the place of a number in a generated block: its line."""
        text = self._page.text
        start = text.rfind("\n", block.start, offset) + 1
        end = text.find("\n", offset)
        number = text.count("\n", block.start, start)
        slot = ("slot", block.start, number % _LINES_AT_ONCE)
        return Place(((start, end),), ((block.start, block.end),), frozenset({slot}))

    def _marker(self, start: int) -> Span | None:
        """Return the comment that a number in prose stands before."""
        index = bisect_left(self._starts, start)
        return (self._behind[index].start, self._behind[index].end) if index < len(self._behind) else None

    def _reach(self, start: int, end: int) -> frozenset[Hashable]:
        visible, first, last = self._page.visible, self._page.seen(start), self._page.seen(end)
        wall, next_wall = visible.rfind(WALL, 0, first) + 1, visible.find(WALL, last)
        begin, stop = max(wall, first - _REACH), last + _REACH
        steps = range(begin // _STEP, (stop if next_wall < 0 else min(stop, next_wall)) // _STEP + 1)
        return frozenset((wall, step) for step in steps)

    def _block(self, start: int) -> Span:
        block = self._page.block_at(start)
        if block:
            return block.start, block.end
        end = self._page.text.find("\n", start)
        return self._page.text.rfind("\n", 0, start) + 1, end if end >= 0 else len(self._page.text)

    def _whole(self, table: Table) -> tuple[Span, ...]:
        """Return a table's span and that of the binding above it."""
        ends = sorted(self._tables)
        index = bisect_right(ends, table.start) - 1
        return ((table.start, table.end), *([self._tables[ends[index]]] if index >= 0 else []))

    def _cell(self, start: int) -> Cell | None:
        place = self._page.cell_at(start)
        return place[2] if place else None
