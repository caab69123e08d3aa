"""A person's SELECT as a frame: checked first, asked of verified runs alone, its types DuckDB's own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchctl.schema.result import Column
from benchctl.store.disk.parquet import quoted
from benchctl.store.frames.frame import Frame
from benchctl.store.frames.frame_source import Kept
from benchctl.store.sql.query import open_for, refused_by, unique_names
from benchctl.store.survey import refuse_unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import duckdb

    from benchctl.store.reader import Store, StoredRun

__all__ = ["asked"]


def asked(store: Store, sql: str, runs: Iterable[str] | None = None) -> Frame:
    """Return the answer to one read-only SELECT over these runs of a store, None for all of them, asked now.

    Raises QueryRefusedError for anything else, and StoreDamagedError where a run cannot be read: an answer
    without it would be of other rows than it seems.
    """
    named = None if runs is None else tuple(runs)
    connection, found, notes = _answered(store, sql, named)
    names = connection.execute("SELECT * FROM answer LIMIT 0").description or ()
    columns = tuple(Column(name, str(type_), "As the query says.") for name, type_, *_ in names)  # type: ignore[arg-type]
    digests = {run.id: run.data_digest for run in found}
    source = Kept("SELECT * FROM answer", partial(_connection, store, sql, named), connection)
    return Frame("query", columns, digests, source, notes=notes)


def _connection(store: Store, sql: str, runs: Sequence[str] | None) -> duckdb.DuckDBPyConnection:
    return _answered(store, sql, runs)[0]


def _answered(
    store: Store, sql: str, runs: Sequence[str] | None
) -> tuple[duckdb.DuckDBPyConnection, tuple[StoredRun, ...], tuple[str, ...]]:
    """Return a locked connection with the table `answer`, the runs that were asked, and what is to be said."""
    import duckdb

    found = open_for(store, sql, runs)
    try:
        refuse_unreadable(found.unreadable, len(found.runs))
        names = ", ".join(map(quoted, unique_names(found.connection.sql(sql).columns)))
        found.connection.execute(f"CREATE TABLE answer ({names}) AS {sql}")
    except duckdb.Error as error:
        found.connection.close()
        raise refused_by(error, found.warnings) from error
    except BaseException:
        found.connection.close()
        raise
    return found.connection, found.runs, found.warnings
