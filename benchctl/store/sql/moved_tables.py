"""Loaded tables as they might be: their numbers moved, fewer of their rows, and rows that are made up.

Each way of moving them is a few statements of our own that put other tables of the same names before them, for
one cursor. What becomes of a row follows from its place, never from chance.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from benchctl.store.disk.parquet import quoted
from benchctl.store.relations.views import sayable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import duckdb

__all__ = ["Statement", "moved_tables"]

_MOST_ROWS: Final = 400
_MOST_VALUES: Final = 40
_MOVED: Final = ("{0} * 3 + {1} / 7000.0 + 1", "-{0} - {1} % 17", "{0} * 0")
"""How a number is moved: the number, and what its row's place is made into."""

_KEPT: Final = ("{1} = 1", "{0} % 3 = 0")
"""Which rows stay where values do not move."""

_MADE: Final = ((200, True), (3, True), (200, False), (5, False), (200, True), (200, False))
"""How many rows are made up, and whether a column that is compared has the values of that alone."""

_MARKS: Final = re.compile(r"[%_^$.*+?\\()\[\]|]+")
_NUMBERS: Final = frozenset({"BIGINT", "DOUBLE"})
_BEYOND: Final[dict[str, tuple[object, ...]]] = {
    "VARCHAR": ("another",),
    "BOOLEAN": (True, False),
    "BIGINT": (0, 1, 2, 1_000_000, -1_000_000),
    "DOUBLE": (0.0, 0.5, 1.0, 1e6, -1e6),
}
"""What is there to be had whatever the run holds."""

Statement = tuple[str, list[object]]
"""SQL of ours, and its parameters."""

_Pools = dict[str, tuple[object, ...]]


def moved_tables(
    connection: duckdb.DuckDBPyConnection,
    tables: Mapping[str, Mapping[str, str]],
    constants: Mapping[str, Sequence[str]],
) -> Iterator[list[Statement]]:
    """Yield, for each way of moving loaded tables, what makes them so.

    `tables` are the columns with their types, by the table's name; `constants` what a column is compared with,
    as texts. Names of columns are lower-case.
    """
    for index, how in enumerate(_MOVED):
        yield [_taken(name, columns, how, "true", index) for name, columns in tables.items()]
    for index, kept in enumerate(_KEPT):
        yield [_taken(name, columns, "", kept, index) for name, columns in tables.items()]
    pools = {name: _pools(connection, name, columns, constants) for name, columns in tables.items()}
    for index, (rows, narrow) in enumerate(_MADE):
        yield [
            _made(name, columns, pools[name], rows, index, narrow=narrow) for name, columns in tables.items()
        ]


def _taken(name: str, columns: Mapping[str, str], how: str, kept: str, seed: int) -> Statement:
    """Return what makes a table of the rows there are: some of them, their numbers moved."""
    place = quoted(sayable("place", columns))
    chance = f"(hash({place}, {seed:d}) % 100003)::BIGINT"
    moved = ", ".join(
        f"TRY_CAST({how.format(f't.{quoted(each)}::DOUBLE', chance)} AS {type_}) AS {quoted(each)}"
        if type_ in _NUMBERS and how
        else f"t.{quoted(each)}"
        for each, type_ in columns.items()
    )
    sql = (
        f"CREATE OR REPLACE TEMP TABLE {quoted(name)} AS SELECT {moved}"  # noqa: S608 - names are quoted
        f" FROM (SELECT *, row_number() OVER () AS {place} FROM memory.main.{quoted(name)} LIMIT {_MOST_ROWS:d}) AS t"
        f" WHERE {kept.format(chance, place)}"
    )
    return sql, []


def _made(
    name: str, columns: Mapping[str, str], pools: _Pools, rows: int, seed: int, *, narrow: bool
) -> Statement:
    """Return what makes a table of rows that are made up, each column's values picked from its pool."""
    picked: list[str] = []
    parameters: list[object] = []
    for column, (each, type_) in enumerate(columns.items()):
        values = (narrow and pools[f"={each}"]) or pools[each]
        chance = f"(hash(place, {seed * 1000 + column:d}) % {len(values):d})::BIGINT"
        picked.append(f"(?::{type_}[])[1 + {chance}] AS {quoted(each)}")
        parameters.append(list(values))
    sql = (
        f"CREATE OR REPLACE TEMP TABLE {quoted(name)} AS SELECT {', '.join(picked)}"  # noqa: S608 - names are quoted
        f" FROM range({rows:d}) AS t(place)"
    )
    return sql, parameters


def _pools(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    columns: Mapping[str, str],
    constants: Mapping[str, Sequence[str]],
) -> _Pools:
    """Return the values that a column of a made-up row may have; under `=column` those it is compared with alone."""
    pools: _Pools = {}
    for column, type_ in columns.items():
        each = quoted(column)
        found = connection.execute(
            f"SELECT DISTINCT {each} FROM memory.main.{quoted(name)}"  # noqa: S608 - names are quoted
            f" WHERE {each} IS NOT NULL ORDER BY 1 LIMIT {_MOST_VALUES:d}"
        ).fetchall()
        asked = tuple(_of_type(type_, constants.get(column, ())))
        beyond = () if column == "run" else (*_BEYOND.get(type_, ()), None)
        pools[column] = (*(row[0] for row in found), *asked, *beyond) or (None,)
        pools[f"={column}"] = asked
    return pools


def _of_type(type_: str, constants: Iterable[str]) -> Iterator[object]:
    """Yield the constants as values of a column's type; of a pattern what it matches at best, of a number its neighbours."""
    for text in constants:
        if type_ == "VARCHAR":
            yield from dict.fromkeys((text, _MARKS.sub("", text)))
        elif type_ in _NUMBERS and (number := _number(text)) is not None:
            yield from (number, number - 1, number + 1)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and abs(number) < 2**62 else None
