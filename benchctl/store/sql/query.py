"""A person's own SQL put to a store.

Note: of many rows (`relations.connection`) the files are read as they are, and not from tables. Rows without an
ORDER BY then come run by run as the files have them, which is the recorded order but where an import said
another one, or where runs of many kinds stand between one another; and what depends on the order of the rows, such
as the last digits of a sum of floats, `mode` of two that are equally frequent or the quantiles of SUMMARIZE, may
be another answer than from tables. The same store gives the same answer every time.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import nullcontext
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from benchctl.errors import QueryRefusedError, StoreDamagedError, StoreNewerError
from benchctl.store.relations.connection import RUNS, connect
from benchctl.store.relations.files import FURTHER
from benchctl.store.relations.own_columns import further_of, inexact_as_floats, own_columns
from benchctl.store.relations.views import View, named_view
from benchctl.store.sql.guard import SQL_TABLES, check_sql, refuse_doubtful, said_by
from benchctl.store.sql.json_values import plain_value
from benchctl.store.survey import Unreadable, survey
from benchctl.store.writing.removal import dropped_transcripts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    import duckdb

    from benchctl.store.reader import Store, StoredRun
    from benchctl.store.sql.guard import Checked

__all__ = [
    "MAX_ROWS",
    "Answer",
    "Asked",
    "columns_of",
    "open_for",
    "query_sql",
    "refused_by",
    "unique_names",
    "views_of",
]

MAX_ROWS = 1_000_000
"""The most rows that `query_sql` gives; more is refused, not cut."""

_LIMITS = (
    "SET memory_limit = '1GB'",
    "SET max_execution_time = 60000",
    "SET enable_progress_bar = false",
)


class Answer(NamedTuple):
    """What a statement gave: unique column names, rows of plain JSON values, and what it could not be asked of.

    `runs` counts the runs that it was asked of; `unreadable` are those that were left out; `warnings` say
    which columns mean something else in another run.
    """

    columns: list[str]
    rows: list[tuple[object, ...]]
    runs: int
    unreadable: tuple[Unreadable, ...]
    warnings: tuple[str, ...]


class Asked(NamedTuple):
    """A connection that holds what one statement reads, of `runs`; the rest is as in `Answer`."""

    connection: duckdb.DuckDBPyConnection
    runs: tuple[StoredRun, ...]
    unreadable: tuple[Unreadable, ...]
    warnings: tuple[str, ...]


def open_for(store: Store, sql: str, runs: Iterable[str] | None = None) -> Asked:
    """Return a locked connection that a checked statement may be run on, over these runs, None for all.

    Raises QueryRefusedError, and RunUnknownError for a run that is named and not there.
    """
    chosen, unreadable = _chosen(store, runs)
    further = {name: shown for name, shown in further_of(chosen).items() if name not in SQL_TABLES}
    checked = check_sql(sql, further)
    chosen = () if checked.listing else chosen
    try:
        connection, warnings = _opened(chosen, checked, further)
    except (StoreDamagedError, StoreNewerError):
        chosen, damaged = _sound(chosen, checked, further)
        unreadable = (*unreadable, *damaged)
        connection, warnings = _opened(chosen, checked, further)
    return Asked(connection, chosen, unreadable, warnings)


def _chosen(store: Store, runs: Iterable[str] | None) -> tuple[tuple[StoredRun, ...], tuple[Unreadable, ...]]:
    """Return the runs to ask, by id, and those that cannot be read; one that is named must be there."""
    if runs is None:
        found = survey(store, records=False)
        return found.runs, found.unreadable
    chosen, unreadable = [], []
    for name in sorted(set(runs)):
        try:
            chosen.append(store.run(name))
        except (StoreDamagedError, StoreNewerError) as error:
            unreadable.append(Unreadable(name, error))
    return tuple(chosen), tuple(unreadable)


def query_sql(
    store: Store,
    sql: str,
    runs: Iterable[str] | None = None,
    *,
    limits: AbstractContextManager[None] | None = None,
) -> Answer:
    """Return the answer to one read-only SELECT over the sound runs of a store, or over `runs` alone.

    Tables: `runs cells attempts grades tool_calls transcripts voids backfills baselines`, and the further tables of the
    runs by their names; `cells` has the columns that were imported, too. What a column is called and of which
    type follows from the runs that are asked. A run that is damaged where the statement reads it is left out
    and named. `limits` are in force while the statement runs. Raises QueryRefusedError for anything else,
    and for a statement that DuckDB cannot run, RunUnknownError.
    """
    import duckdb

    warnings: tuple[str, ...] = ()
    try:
        asked = open_for(store, sql, runs)
        warnings = asked.warnings
        with asked.connection as connection, limits or nullcontext():
            return Answer(*_rows(connection, sql), len(asked.runs), asked.unreadable, warnings)
    except (duckdb.Error, MemoryError) as error:
        raise refused_by(error, warnings) from error
    except RuntimeError as error:
        if "interrupted" in str(error):  # what DuckDB's module makes of Ctrl-C
            raise KeyboardInterrupt from error
        raise


def refused_by(error: Exception, warnings: Sequence[str] = ()) -> QueryRefusedError:
    """Return what DuckDB said of a statement as an error of ours, with what was to be said of its columns."""
    what = "out of memory" if isinstance(error, MemoryError) else said_by(error)
    advice = "; ".join((*warnings, "`--run ID` asks some runs alone")) if warnings else None
    return QueryRefusedError(what, next_step=advice)


def _opened(
    runs: Sequence[StoredRun], checked: Checked, further: Mapping[str, str]
) -> tuple[duckdb.DuckDBPyConnection, tuple[str, ...]]:
    """Return a connection that holds what a statement reads, and what is to be said of it."""
    views, warnings = views_of(runs, dict.fromkeys(checked.tables, checked.columns), further)
    if "transcripts" in checked.tables:
        warnings += [said for run in runs if run.manifest and (said := dropped_transcripts(run.manifest))]
    refuse_doubtful(checked, columns_of(views))
    return connect(runs, views, settings=_LIMITS), tuple(warnings)


def views_of(
    runs: Sequence[StoredRun], tables: Mapping[str, frozenset[str] | None], further: Mapping[str, str]
) -> tuple[list[str | View], list[str]]:
    """Return the tables of these runs as a person's SQL knows them, and what is to be said of their columns.

    `tables` says which columns are wanted of each, by their lower-case names, None for all; `further` are the
    names of further tables: lower-case -> as it was imported.
    """
    views: list[str | View] = []
    warnings: list[str] = []
    ids = [run.id for run in runs]
    for table, wanted in tables.items():
        if table == "runs":
            views.append(table)
            continue
        stored = f"{FURTHER}{table}" if table in further else table
        own = own_columns(runs, stored)
        inexact = inexact_as_floats(runs, stored, own)
        view, notes = named_view(stored, own, ids, wanted, inexact)
        views.append(replace(view, name=further.get(table, table)))
        warnings += notes
    return views, warnings


def columns_of(views: Iterable[str | View]) -> set[str]:
    """Return the lower-case names of every column of these views."""
    names: set[str] = set()
    for view in views:
        names |= {column.name for column in (RUNS if isinstance(view, str) else view.outputs)}
    return {name.lower() for name in names}


def _sound(
    runs: Sequence[StoredRun], checked: Checked, further: Mapping[str, str]
) -> tuple[tuple[StoredRun, ...], tuple[Unreadable, ...]]:
    """Return the runs whose files of these tables can be loaded, each tried alone, and the others."""
    sound, damaged = [], []
    for run in runs:
        try:
            _opened((run,), checked, further)[0].close()
            sound.append(run)
        except (StoreDamagedError, StoreNewerError) as error:
            damaged.append(Unreadable(run.id, error))
    return tuple(sound), tuple(damaged)


def _rows(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[list[str], list[tuple[object, ...]]]:
    connection.execute("BEGIN TRANSACTION READ ONLY")
    cursor = connection.execute(sql)
    names = unique_names([column[0] for column in cursor.description or ()])
    rows = cursor.fetchmany(MAX_ROWS + 1)
    connection.execute("ROLLBACK")
    if len(rows) > MAX_ROWS:
        raise QueryRefusedError(f"more than {MAX_ROWS:,} rows", next_step="add a LIMIT")
    return names, [tuple(plain_value(value) for value in row) for row in rows]


def unique_names(names: Sequence[str]) -> list[str]:
    """Return column names of which no two are the same: the second `a` is `a_1`, or the next that is free.

    `A` beside `a` is the same name, as it is to DuckDB.
    """
    taken, seen, unique = {name.lower() for name in names}, set[str](), []
    numbers: dict[str, Iterator[int]] = defaultdict(lambda: count(1))
    for name in names:
        free = name
        if name.lower() in seen:
            free = next(each for n in numbers[name.lower()] if (each := f"{name}_{n}").lower() not in taken)
            taken.add(free.lower())
        seen.add(name.lower())
        unique.append(free)
    return unique
