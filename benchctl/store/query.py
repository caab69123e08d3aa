"""Questions to a store: the probes of a page, and a person's own SQL.

Statistics are over rows that are not void; `count` and `share` are over all rows. A failed
cell counts: it has its score, which is 0, and its time, which is what was spent before it
failed. So a median time of an arm that fails fast is low: `failed` stands beside every value,
and whoever wants the survivors alone filters `outcome=ok` and says so.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from benchctl.errors import (
    EvaluationError,
    QueryRefusedError,
    RunNotDeclaredError,
    RunsNotComparableError,
    StoreDamagedError,
)
from benchctl.expressions import Measured
from benchctl.store.compile import compile_probe
from benchctl.store.guard import check_sql
from benchctl.store.loaded import loaded
from benchctl.store.measure import ask
from benchctl.store.plain import plain_value
from benchctl.store.relations import connect
from benchctl.store.survey import Unreadable, survey

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from benchctl.expressions import Probe
    from benchctl.store.compile import Compiled
    from benchctl.store.reader import Store, StoredRun

__all__ = ["MAX_ROWS", "Answer", "measure", "query_sql", "unique_names"]

MAX_ROWS = 1_000_000
"""The most rows that `query_sql` gives; more is refused, not cut."""

_LIMITS = ("SET memory_limit = '1GB'", "SET max_execution_time = 60000")


def measure(
    store: Store, run_id: str, probes: Sequence[Probe], *, declared: frozenset[str] = frozenset()
) -> dict[Probe, Measured]:
    """Return the answer to each probe over run `run_id`, all from one query.

    `declared` are the other runs that probes may name. What is wrong with one probe stands in its own
    `Measured.error`. Raises RunUnknownError for `run_id`, StoreDamagedError for a run that is not as its
    manifest says.
    """
    runs = {run_id: store.run(run_id)}
    answers: dict[Probe, Measured] = {}
    compiled: list[Compiled] = []
    for probe in dict.fromkeys(probes):
        try:
            compiled.append(compile_probe(probe, _runs_of(store, probe, run_id, declared, runs)))
        except EvaluationError as error:
            answers[probe] = Measured(None, error=error)
    if compiled:
        used = dict.fromkeys(name for item in compiled for name in item.universe.runs)
        tables = dict.fromkeys(("cells", *(item.probe.table or "cells" for item in compiled)))
        with loaded([runs[name] for name in used], tuple(tables)) as connection:
            answers |= ask(connection, compiled)
    return {probe: answers[probe] for probe in probes}


def _runs_of(
    store: Store, probe: Probe, run_id: str, declared: frozenset[str], runs: dict[str, StoredRun]
) -> tuple[str, ...]:
    """Return the runs that a probe is about, adding the ones it names to `runs`."""
    wanted = tuple(dict.fromkeys(probe.runs)) or (run_id,)
    for name in wanted:
        if name not in declared | {run_id}:
            raise RunNotDeclaredError(
                f"`@{name}` is not declared here",
                expected=", ".join(sorted(declared | {run_id})),
                next_step="add it to the page's `also`",
            )
        if name not in runs:
            runs[name] = store.run(name)
    if len(wanted) > 1:
        _refuse_incomparable([runs[name] for name in wanted])
    return wanted


def _refuse_incomparable(runs: Sequence[StoredRun]) -> None:
    """Raise RunsNotComparableError, naming what differs, where runs may not be pooled."""
    first, *others = ((run.id, run.record.comparability) for run in runs)
    for name, terms in others:
        differing = sorted(
            key for key in first[1].keys() | terms.keys() if first[1].get(key) != terms.get(key)
        )
        if differing:
            raise RunsNotComparableError(
                f"runs {first[0]} and {name} cannot be pooled: they differ in {', '.join(differing)}",
                next_step="measure each of them alone",
            )


class Answer(NamedTuple):
    """What a statement gave: unique column names, rows of plain JSON values, and what it could not be asked of.

    `runs` counts the runs that it was asked of; `unreadable` are those that were left out.
    """

    columns: list[str]
    rows: list[tuple[object, ...]]
    runs: int
    unreadable: tuple[Unreadable, ...]


def query_sql(store: Store, sql: str) -> Answer:
    """Return the answer to one read-only SELECT over the sound runs of a store.

    Tables: `runs cells attempts grades tool_calls transcripts`. A run that is damaged where the statement
    reads it is left out and named. Raises QueryRefusedError for anything else, and for a statement that
    DuckDB cannot run.
    """
    import duckdb

    checked = check_sql(sql)
    found = survey(store)
    try:
        runs, unreadable = () if checked.listing else found.runs, found.unreadable
        try:
            connection = connect(runs, checked.tables, settings=_LIMITS)
        except StoreDamagedError:
            runs, further = _sound(runs, checked.tables)
            unreadable = (*unreadable, *further)
            connection = connect(runs, checked.tables, settings=_LIMITS)
        with connection:
            return Answer(*_rows(connection, sql), len(runs), unreadable)
    except duckdb.Error as error:
        raise QueryRefusedError(str(error).strip().splitlines()[0]) from error
    except RuntimeError as error:
        if "interrupted" in str(error):  # what DuckDB's module makes of Ctrl-C
            raise KeyboardInterrupt from error
        raise


def _sound(
    runs: Sequence[StoredRun], tables: Sequence[str]
) -> tuple[tuple[StoredRun, ...], tuple[Unreadable, ...]]:
    """Return the runs whose files of these tables can be loaded, each tried alone, and the others."""
    sound, damaged = [], []
    for run in runs:
        try:
            connect((run,), tables).close()
            sound.append(run)
        except StoreDamagedError as error:
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
    """Return column names of which no two are the same: the second `a` is `a_1`, or the next that is free."""
    taken, unique = set(names), []
    for index, name in enumerate(names):
        free = name
        if name in names[:index]:
            free = next(each for n in count(1) if (each := f"{name}_{n}") not in taken)
            taken.add(free)
        unique.append(free)
    return unique
