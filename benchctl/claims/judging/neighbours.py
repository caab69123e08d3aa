"""The other numbers of the page: whether a false one is what another place of its table or paragraph should print."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from benchctl.claims.attaching.headers import cell_label
from benchctl.claims.judging.print_of import Print
from benchctl.claims.judging.variant import Rank, Variant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchctl.claims.reading.layout import Table
    from benchctl.claims.sheet import Judged, Sheet

__all__ = ["Neighbours"]

_Place = tuple[int, int, str]
_NEAR = 20
"""How many numbers of a paragraph on either side are looked at."""


class Neighbours:
    """The judged numbers of one page by their place in tables and paragraphs."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet

    @cached_property
    def _tables(self) -> tuple[dict[_Place, list[Judged]], dict[_Place, list[Judged]]]:
        """Return the bound cells of each column, and those of each row, of each table."""
        columns: dict[_Place, list[Judged]] = defaultdict(list)
        rows: dict[_Place, list[Judged]] = defaultdict(list)
        for item in self._sheet.judged:
            table = self._table(item)
            if table and item.claim.row:
                columns[table.start, 0, item.claim.expression.text].append(item)
                rows[table.start, item.claim.row.start, ""].append(item)
        return columns, rows

    @cached_property
    def _paragraphs(self) -> dict[int, list[Judged]]:
        found: dict[int, list[Judged]] = defaultdict(list)
        for item in self._sheet.judged:
            if item.claim.row is None and (block := self._sheet.page.block_at(item.claim.start)):
                found[block.start].append(item)
        return found

    def of(self, item: Judged) -> Iterator[Variant]:
        """Yield what a cell of its column or its row, or a number near it, is bound to, where its own print fits that.

        Where the other one prints this one's value in turn, the two are swapped.
        """
        table = self._table(item)
        if table is None or item.claim.row is None:
            for other in self._fitting(item, self._near(item)):
                text = other.claim.expression.text
                says = f"equals {text}, to which another number here is bound"
                yield self._variant(item, other, says, alone=Rank.FAR)
            return
        columns, rows = self._tables
        for other in self._fitting(item, columns[table.start, 0, item.claim.expression.text]):
            if other.claim.row:
                says = f"equals the row {', '.join(other.claim.row.labels)}"
                yield self._variant(item, other, says, alone=Rank.KEY)
        for other in self._fitting(item, rows[table.start, item.claim.row.start, ""]):
            says = f"equals the column {self._header(table, other)}"
            yield self._variant(item, other, says, alone=Rank.FAR)

    def _near(self, item: Judged) -> list[Judged]:
        block = self._sheet.page.block_at(item.claim.start)
        every = self._paragraphs.get(block.start, []) if block else []
        index = bisect_right(every, item.claim.start, key=lambda other: other.claim.start)
        return every[max(0, index - _NEAR) : index + _NEAR]

    def _fitting(self, item: Judged, others: list[Judged]) -> Iterator[Judged]:
        printed = Print.of(self._sheet, item)
        for other in others:
            if (
                printed
                and _is_another(other, item)
                and printed.against(other.claim.expression.nature).fits(other.answer.value)
            ):
                yield other

    def _variant(self, item: Judged, other: Judged, says: str, *, alone: Rank) -> Variant:
        printed = Print.of(self._sheet, other, item.claim.expression)
        mutual = other.judgement.word == "false" and printed and printed.fits(item.answer.value)
        return Variant(says, Rank.SWAPPED if mutual else alone, other.claim.expression)

    def _table(self, item: Judged) -> Table | None:
        return self._sheet.page.table_at(item.claim.start)

    def _header(self, table: Table, item: Judged) -> str:
        row = table.rows[bisect_right(table.rows, item.claim.start, key=lambda row: row.start) - 1]
        index = bisect_right(row.cells, item.claim.start, key=lambda cell: cell.start) - 1
        return cell_label(self._sheet.page, table.header.cells[index])


def _is_another(other: Judged, item: Judged) -> bool:
    """Whether two numbers of one run are bound to two things."""
    one, two = other.claim, item.claim
    return one.scope.run == two.scope.run and (one.expression.node, one.expression.filters) != (
        two.expression.node,
        two.expression.filters,
    )
