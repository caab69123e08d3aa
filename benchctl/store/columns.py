"""What a reference can name: the columns of each table, with those of the cell that a row belongs to.

A filter on `arm` or `question` reaches every table, so a page's scope holds for all of them.
Whether a row is void or failed is a cell's own; an attempt's is its own outcome's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from benchctl.errors import ColumnUnknownError
from benchctl.expressions import near, resolve_column
from benchctl.schema.evidence import FINAL_FAILURES, OUTCOMES, VOID_OUTCOMES
from benchctl.schema.result import VIEWS, Column
from benchctl.store.parquet import literal, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["CLOSED_VOCABULARIES", "IDENTITY_NUMBERS", "Relation", "relation"]

_OF_THE_CELL: Final = ("question", "class", "repo", "arm", "agent", "model", "rep", "order")

IDENTITY_NUMBERS: Final = frozenset({"rep", "order", "attempt", "generation", "index"})
"""Numbers that name a row rather than measure it: one that occurs nowhere is a mistake, as a misspelt name is."""

CLOSED_VOCABULARIES: Final[Mapping[str, tuple[str, ...]]] = {
    "outcome": OUTCOMES,
    "stream": ("stderr", "stdout"),
}
"""Text columns whose words are fixed: a word of these is never a mistake, even where no row has it."""


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A table to measure over: its columns, and the SQL it is read from.

    `void` and `failed` are SQL conditions on a row, never null and never both true.
    """

    table: str
    columns: Mapping[str, Column]
    source: str
    void: str
    failed: str

    def resolve(self, name: tuple[str, ...]) -> tuple[Column | None, str | None]:
        """Return (column, statistic) of a dotted name. Raises ColumnUnknownError with near names."""
        column, statistic = resolve_column(name, self.columns)
        return (None if column is None else self.columns[column]), statistic

    def column(self, name: str) -> Column:
        """Return a column by its name. Raises ColumnUnknownError with near names."""
        if name not in self.columns:
            raise ColumnUnknownError(f"no column `{name}`", expected=near(name, self.columns))
        return self.columns[name]


@cache
def relation(table: str | None) -> Relation:
    """Return the relation of `table::`, of the cells for None. Raises ColumnUnknownError for an unknown table."""
    name = table or "cells"
    if name not in VIEWS:
        raise ColumnUnknownError(
            f"no table `{name}` in this run", expected=near(name, VIEWS) or ", ".join(VIEWS)
        )
    own = {column.name: column for column in VIEWS[name]}
    if name == "cells":
        return Relation(name, own, "cells", '"void"', '("failed" AND NOT "void")')
    borrowed = {c.name: c for c in VIEWS["cells"] if c.name in _OF_THE_CELL and c.name not in own}
    lent = ", ".join(f"c.{quoted(column)}" for column in borrowed)
    if name == "attempts":
        void, failed = (f'"outcome" IN ({_words(words)})' for words in (VOID_OUTCOMES, FINAL_FAILURES))
    else:
        void, failed = "coalesce(_void, false)", "coalesce(_failed AND NOT _void, false)"
    source = (
        f"(SELECT t.*, {lent}, c.void AS _void, c.failed AS _failed"  # noqa: S608 - names are ours
        f" FROM {quoted(name)} t LEFT JOIN cells c ON t.run = c.run AND t.cell = c.cell)"
    )
    return Relation(name, {**own, **borrowed}, source, void, failed)


def _words(words: Iterable[str]) -> str:
    return ", ".join(literal(word) for word in sorted(words))
