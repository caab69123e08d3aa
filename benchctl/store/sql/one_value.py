"""The one value of a named statement over one run: its tables in memory, cut to some cells, asked and let go.

The tables are loaded, whatever their size, and then the connection can open no file. A statement sees them
as they are, or, where rows are left out, copies of them that live as long as its own cursor and hide them.
It runs in a transaction that writes nothing, and the guard has looked at every part of it before.

Note: DuckDB's `max_execution_time` does not end a cross join (measured with 2.0.1), its `interrupt` does.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Final

from benchctl.errors import QueryRefusedError
from benchctl.store.disk.parquet import quoted
from benchctl.store.relations.connection import connect
from benchctl.store.sql.guard import check_sql, refuse_doubtful
from benchctl.store.sql.json_values import plain_value
from benchctl.store.sql.limits import limited
from benchctl.store.sql.query import refused_by, views_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import duckdb

    from benchctl.store.reader import StoredRun
    from benchctl.store.sql.guard import Checked

__all__ = ["SECONDS", "Tables", "check_value", "rows_of"]

SECONDS: Final = 10.0
"""What one statement may take."""

_MEMORY: Final = 1024**3
_SETTINGS: Final = ("SET memory_limit = '1GB'", "SET enable_progress_bar = false")
_CELL: Final = "cell"


def check_value(sql: str, further: Collection[str], parameters: Collection[str]) -> Checked:
    """Return what a named statement reads. Raises QueryRefusedError, also where it reads no table.

    `further` are the lower-case names of the run's further tables.
    """
    checked = check_sql(sql, further, parameters)
    if checked.listing or not checked.tables:
        raise QueryRefusedError("it reads no table of the run", expected="SELECT … FROM cells …")
    return checked


@dataclass(frozen=True, slots=True)
class Tables:
    """What some statements read of a run, in memory: table -> its columns by lower-case name, with their types."""

    connection: duckdb.DuckDBPyConnection
    columns: Mapping[str, Mapping[str, str]]

    @classmethod
    @contextmanager
    def opened(
        cls,
        run: StoredRun,
        statements: Iterable[Checked],
        further: Mapping[str, str],
        generation: int | None = None,
    ) -> Iterator[Tables]:
        """Give the tables that checked statements read, and close them. Raises StoreDamagedError."""
        wanted = _wanted(statements)
        views, _ = views_of([run], wanted, further)
        with connect([run], views, settings=_SETTINGS, generation=generation, load=True) as connection:
            yield cls(connection, {table: _described(connection, table) for table in wanted})

    def refuse(self, checked: Checked) -> None:
        """Raise QueryRefusedError for a name of the clock or the like that is no column of what a statement reads."""
        refuse_doubtful(checked, {name for table in checked.tables for name in self.columns[table]})

    @contextmanager
    def cut(self, names: Iterable[str], cells: Sequence[str] | None) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give a cursor in which the tables of these names hold the rows of `cells` alone, None for all.

        A table whose rows name no cell is left whole.
        """
        with self.connection.cursor() as cursor:
            for name in names if cells is not None else ():
                if self.columns[name].get(_CELL) == "VARCHAR":
                    cursor.execute(
                        f"CREATE TEMP TABLE {quoted(name)} AS SELECT * FROM memory.main.{quoted(name)}"  # noqa: S608 - names are quoted
                        f" WHERE {quoted(_CELL)} IN (SELECT unnest(?::VARCHAR[]))",
                        [list(cells or ())],
                    )
            yield cursor


def _wanted(statements: Iterable[Checked]) -> dict[str, frozenset[str] | None]:
    """Return table -> the columns that any of the statements means, its cell always; None for all of them."""
    wanted: dict[str, frozenset[str] | None] = {}
    for checked in statements:
        for table in checked.tables:
            named = wanted.get(table, frozenset({_CELL}))
            wanted[table] = None if named is None or checked.columns is None else named | checked.columns
    return wanted


def _described(connection: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    described = connection.execute(f"DESCRIBE memory.main.{quoted(table)}").fetchall()
    return {str(name).lower(): str(type_) for name, type_, *_ in described}


def rows_of(
    cursor: duckdb.DuckDBPyConnection, sql: str, arguments: Mapping[str, str]
) -> list[tuple[object, ...]]:
    """Return the first two rows that a checked statement gives, its parameters bound; values are plain.

    Raises QueryRefusedError for what DuckDB says against it, and where its time or its memory has passed.
    """
    import duckdb

    late = Event()

    def stop() -> None:
        late.set()
        cursor.interrupt()

    try:
        with limited(stop, seconds=SECONDS, memory=_MEMORY):
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            try:
                found = cursor.execute(sql, dict(arguments) or None).fetchmany(2)
            finally:
                cursor.execute("ROLLBACK")
    except (duckdb.Error, MemoryError, RuntimeError) as error:
        if late.is_set():
            raise QueryRefusedError(f"it ran for more than {SECONDS:g} seconds") from error
        if not isinstance(error, RuntimeError):
            raise refused_by(error) from error
        if "interrupted" in str(error):
            raise KeyboardInterrupt from error  # what DuckDB's module makes of Ctrl-C
        raise
    return [tuple(plain_value(value) for value in row) for row in found]
