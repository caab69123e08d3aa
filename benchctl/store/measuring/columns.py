"""What a reference can name: the columns of each table, with those of the cell that a row belongs to.

A filter on `arm` or `question` reaches every table, so a page's scope holds for all of them.
Whether a row is void or failed is a cell's own; an attempt's is its own outcome's. What a run has of
its own (imported columns, further tables) is found like any other; an own column that has the name of
a standard one hides it, but never from what benchctl itself asks: void, failed, repository, question.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final

from benchctl.errors import ColumnUnknownError, RunsNotComparableError
from benchctl.expressions import near, resolve_column
from benchctl.schema.evidence import FINAL_FAILURES, OUTCOMES, VOID_OUTCOMES
from benchctl.schema.result import VIEWS, Column
from benchctl.store.disk.parquet import literal, quoted
from benchctl.store.relations.files import FURTHER
from benchctl.store.relations.views import Output, own_output, place_of, standard_output

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["CLOSED_VOCABULARIES", "IDENTITY_NUMBERS", "Known", "Own", "Read", "Relation", "relation"]

_OF_THE_CELL: Final = ("question", "class", "repo", "arm", "agent", "model", "rep", "order")
_UNDER_ALL: Final = ("void", "failed", "outcome", "repo", "question")

_FLOOR: Final = "floor_tokens"
_HAS_FLOOR: Final = frozenset({"input_tokens", "content_tokens"})
"""What an empty run of the same way of answering has a part in."""

IDENTITY_NUMBERS: Final = frozenset({"rep", "order", "attempt", "generation", "index"})
"""Numbers that name a row rather than measure it: one that occurs nowhere is a mistake, as a misspelt name is."""

CLOSED_VOCABULARIES: Final[Mapping[str, tuple[str, ...]]] = {
    "outcome": OUTCOMES,
    "stream": ("stderr", "stdout"),
}
"""Text columns whose words are fixed: a word of these is never a mistake, even where no row has it."""

Own = tuple[Column, ...]
"""The columns that a run has of its own in one table."""

Read = tuple[str, Output]
"""A stored table and a column that is wanted of it."""


@dataclass(frozen=True, slots=True)
class Known:
    """A column by the name that a reference gives it: what it is, its SQL, and what this reads.

    `own` says that it was imported, so that nothing is known of it but its type; `clash` what it is in
    pooled runs that have it of several types, else "".
    """

    column: Column
    sql: str
    reads: tuple[Read, ...]
    own: bool = False
    clash: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A table to measure over: its columns, and the SQL it is read from.

    `void` and `failed` are SQL conditions on a row, never null and never both true. `outcome` is the SQL of
    what they follow from, `repo` and `question` of what a sample is made of: NULL where the table has none.
    `reads` is all that these need.
    """

    table: str
    columns: Mapping[str, Known]
    source: str
    void: str
    failed: str
    outcome: str
    repo: str
    question: str
    reads: tuple[Read, ...]

    def resolve(self, name: tuple[str, ...]) -> tuple[Known | None, str | None]:
        """Return (column, statistic) of a dotted name; the floor of tokens is a column. Raises what `column` raises."""
        column, statistic = resolve_column(name, self.columns)
        if statistic == "floor" and column in _HAS_FLOOR and _FLOOR in self.columns:
            column = _FLOOR
        return (None if column is None else self.column(column)), statistic

    def column(self, name: str) -> Known:
        """Return a column by its name.

        Raises ColumnUnknownError with near names, RunsNotComparableError where pooled runs have it of several types.
        """
        known = self.columns.get(name)
        if known is None:
            raise ColumnUnknownError(f"no column `{name}`", expected=near(name, self.columns))
        if known.clash:
            raise RunsNotComparableError(
                f"`{name}` is {known.clash}, so these runs cannot be pooled over it",
                next_step="measure each of them alone",
            )
        return known


def relation(table: str | None, own: Mapping[str, Own] | None = None, runs: tuple[str, ...] = ()) -> Relation:
    """Return the relation of `table::`, of the cells for None.

    `own` is run -> its own columns in that table, as far as the run has any; without it there are the standard
    columns alone. Raises ColumnUnknownError for a table that is no standard one and that none of `runs` has.
    """
    name = table or "cells"
    having = {run: own[run] for run in runs if run in own} if own else {}
    if name in VIEWS:
        standard = _standard(name)
        if not having:
            return standard
        return replace(standard, columns={**standard.columns, **_own(name, standard.columns, having, runs)})
    if not having:
        raise ColumnUnknownError(
            f"no table `{name}` in this run", expected=near(name, VIEWS) or ", ".join(VIEWS)
        )
    return _further(f"{FURTHER}{name.lower()}", having)


def _of(table: str, column: Column) -> Known:
    return Known(column, quoted(column.name), ((table, standard_output(column)),))


@cache
def _standard(name: str) -> Relation:
    own = {column.name: _of(name, column) for column in VIEWS[name]}
    if name == "cells":
        reads = tuple(read for under in _UNDER_ALL for read in own[under].reads)
        void, failed = (
            'coalesce("void", false)',
            '(coalesce("failed", false) AND NOT coalesce("void", false))',
        )
        return Relation(name, own, name, void, failed, '"outcome"', '"repo"', '"question"', reads)
    lent = {each: _of("cells", _CELLS[each]) for each in _OF_THE_CELL if each not in own}
    source, reads = _joined(name, lent, "t.cell")
    every = {**own, **lent}
    reads = (*reads, *own["run"].reads, *own["cell"].reads)
    if name != "attempts":
        return Relation(
            name, every, source, _VOID_OF_CELL, _FAILED_OF_CELL, "_outcome", '"repo"', '"question"', reads
        )
    void, failed = (
        f'coalesce("outcome" IN ({_words(words)}), false)' for words in (VOID_OUTCOMES, FINAL_FAILURES)
    )
    reads = (*reads, *own["outcome"].reads)
    return Relation(name, every, source, void, failed, '"outcome"', '"repo"', '"question"', reads)


def _joined(table: str, lent: Mapping[str, Known], cell: str) -> tuple[str, tuple[Read, ...]]:
    """Return a table with the columns that its rows' cells lend it, and what that reads of the cells."""
    columns = "".join(f", c.{known.sql}" for known in lent.values())
    source = (
        f"(SELECT t.*{columns}, c.void AS _void, c.failed AS _failed, c.outcome AS _outcome"  # noqa: S608 - names are ours
        f" FROM {quoted(table)} t LEFT JOIN cells c ON t.run = c.run AND {cell} = c.cell)"
    )
    always = (_of("cells", _CELLS[name]) for name in ("run", "cell", "void", "failed", "outcome"))
    return source, tuple(read for known in (*always, *lent.values()) for read in known.reads)


def _further(table: str, own: Mapping[str, Own]) -> Relation:
    """Return the relation of a further table; its rows belong to cells where it says which."""
    columns = {"run": _of(table, _CELLS["run"]), **_own(table, {}, own, tuple(own))}
    place, cell = place_of(table), columns.get("cell")
    if cell is None or cell.clash or cell.column.type != "VARCHAR":
        repo, question = (_sql_of(columns, name) for name in ("repo", "question"))
        return Relation(place, columns, quoted(place), "false", "false", "NULL", repo, question, ())
    lent = {each: _of("cells", _CELLS[each]) for each in _OF_THE_CELL if each not in columns}
    source, reads = _joined(place, lent, f"t.{cell.sql}")
    every = {**columns, **lent}
    repo, question = (_sql_of(every, name) for name in ("repo", "question"))
    reads = (*reads, *cell.reads)
    return Relation(place, every, source, _VOID_OF_CELL, _FAILED_OF_CELL, "_outcome", repo, question, reads)


def _sql_of(columns: Mapping[str, Known], name: str) -> str:
    known = columns.get(name)
    return f"{known.sql}::VARCHAR" if known and not known.clash else "NULL"


def _own(
    table: str, standard: Mapping[str, Known], own: Mapping[str, Own], runs: tuple[str, ...]
) -> dict[str, Known]:
    """Return the own columns of some runs by every spelling of theirs, that of the standard one they hide included."""
    spellings: dict[str, list[Column]] = {}
    having: dict[str, list[str]] = {}
    for run, columns in own.items():
        for column in columns:
            spellings.setdefault(column.name.lower(), []).append(column)
            having.setdefault(column.name.lower(), []).append(run)
    found: dict[str, Known] = {}
    for lower, spelt in spellings.items():
        hidden = next((known for name, known in standard.items() if name.lower() == lower), None)
        others = hidden if hidden and len(having[lower]) < len(runs) else None
        known = _merged(table, spelt, having[lower], others)
        found |= dict.fromkeys((column.name for column in spelt), known)
        found |= {hidden.column.name: known} if hidden else {}
    return found


def _merged(table: str, columns: Sequence[Column], having: Sequence[str], others: Known | None) -> Known:
    """Return what one name means in some runs; `others` is what it means in those that have no such column."""
    types = {column.type for column in columns} | ({others.column.type} if others else set())
    output = own_output(columns[0])
    sql = quoted(output.name)
    reads: tuple[Read, ...] = ((table, output),)
    if others:
        listed = ", ".join(map(literal, having))
        sql = f"(CASE WHEN run IN ({listed}) THEN {sql} ELSE {others.sql} END)"
        reads = (*reads, *others.reads)
    clash = f"{', '.join(sorted(types))} in different runs" if len(types) > 1 else ""
    return Known(columns[0], sql, reads, own=True, clash=clash)


def _words(words: Iterable[str]) -> str:
    return ", ".join(literal(word) for word in sorted(words))


_CELLS: Final = {column.name: column for column in VIEWS["cells"]}
_VOID_OF_CELL: Final = "coalesce(_void, false)"
_FAILED_OF_CELL: Final = "coalesce(_failed AND NOT coalesce(_void, false), false)"
