"""Named values that are SQL, measured: each over the cells that its filters leave, then over other data.

Which cells these are is asked as for every other reference, so that a filter's value that occurs nowhere is the
same error. The statement itself sees a run's tables as `benchctl query` shows them, of that run alone.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchctl.errors import (
    AmbiguousRowError,
    EvaluationError,
    NoRowsError,
    NullResultError,
    QueryRefusedError,
    SqlRefusedError,
)
from benchctl.expressions import Measured, Probe
from benchctl.store.measuring.compile import compile_probe
from benchctl.store.measuring.conditions import Condition
from benchctl.store.measuring.measure import ask
from benchctl.store.relations.loaded import loaded
from benchctl.store.relations.own_columns import further_of
from benchctl.store.sql.guard import SQL_TABLES
from benchctl.store.sql.one_value import Tables, check_value, rows_of
from benchctl.store.sql.other_data import others, told_elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import duckdb

    from benchctl.expressions import Filter, Query, Value
    from benchctl.store.measuring.catalogue import Catalogue
    from benchctl.store.measuring.compile import Compiled
    from benchctl.store.reader import StoredRun
    from benchctl.store.sql.guard import Checked

__all__ = ["measure_sql"]

_PLAIN = (bool, int, float, str)
"""What an expression can have as its value."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """The cells under some filters: how many, how they stand, and their names, None for all of the run."""

    counted: Measured
    cells: tuple[str, ...] | None

    def failed(self, error: EvaluationError) -> Measured:
        """Return the answer of a statement over these that has no value."""
        return replace(self.counted, value=None, error=error)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A statement that may run, and the rows it is asked of."""

    query: Query
    checked: Checked
    rows: _Rows


def measure_sql(
    run: StoredRun, probes: Sequence[Probe], names: Catalogue, generation: int | None
) -> dict[Probe, Measured]:
    """Return the answer to each reference that is SQL over one run; what is wrong with one stands in its own `error`.

    `n` and `count` say of how many cells the rows are that it could read. Raises StoreDamagedError.
    """
    rows = _rows(run, dict.fromkeys(probe.filters for probe in probes), names, generation)
    further = {name: shown for name, shown in further_of((run,)).items() if name not in SQL_TABLES}
    found: dict[Probe, Measured] = {}
    asked: dict[Probe, _Asked] = {}
    for probe in probes:
        cells, query = rows[probe.filters], probe.query
        if query is None or cells.counted.error:
            found[probe] = cells.counted
            continue
        try:
            checked = check_value(query.sql, further, [name for name, _ in query.arguments])
            asked[probe] = _Asked(query, checked, cells)
        except QueryRefusedError as error:
            found[probe] = cells.failed(_refused(query, error))
    if asked:
        with Tables.opened(run, (item.checked for item in asked.values()), further, generation) as tables:
            found |= _moved(tables, asked, _ask_each(tables, asked))
    return found


def _rows(
    run: StoredRun, filters: Iterable[tuple[Filter, ...]], names: Catalogue, generation: int | None
) -> dict[tuple[Filter, ...], _Rows]:
    """Return the cells that each set of filters leaves, the errors of filters among them."""
    rows: dict[tuple[Filter, ...], _Rows] = {}
    compiled: dict[tuple[Filter, ...], Compiled] = {}
    for each in filters:
        try:
            compiled[each] = compile_probe(Probe(("count",), each), (run.id,), names.relation)
        except EvaluationError as error:
            rows[each] = _Rows(Measured(None, error=error), ())
    if not compiled:
        return rows
    cell = names.relation(None, (run.id,)).column("cell").reads
    views = names.views([run], [cell, *(item.reads for item in compiled.values())])
    with loaded([run], views, generation=generation) as connection:
        counted = ask(connection, list(compiled.values()))
        for each, item in compiled.items():
            answer = counted[item.probe]
            if answer.count:  # whatever a column that is called `count` says
                answer = Measured(
                    None, answer.count - answer.void, answer.count, answer.failed, void=answer.void
                )
            elif not answer.error:
                answer = replace(answer, error=NoRowsError("no row matches"))
            rows[each] = _Rows(answer, _cells(connection, item) if each and answer.count else None)
    return rows


def _cells(connection: duckdb.DuckDBPyConnection, item: Compiled) -> tuple[str, ...]:
    within = item.rows.within
    for column, value, _ in item.rows.keys:
        within &= Condition(f"{column} = ?", (value,))
    sql = f'SELECT "cell" FROM {item.rows.source.source} AS s WHERE {within.sql}'  # noqa: S608 - see `compile`
    return tuple(row[0] for row in connection.execute(sql, list(within.parameters)).fetchall())


def _ask_each(tables: Tables, asked: Mapping[Probe, _Asked]) -> dict[Probe, Measured]:
    """Return the answers of checked statements, those over the same cells from the same copies of the tables."""
    found: dict[Probe, Measured] = {}
    alike: dict[tuple[Filter, ...], list[Probe]] = defaultdict(list)
    for probe in asked:
        alike[probe.filters].append(probe)
    for same in alike.values():
        names = dict.fromkeys(name for probe in same for name in asked[probe].checked.tables)
        with tables.cut(names, asked[same[0]].rows.cells) as cursor:
            found |= {probe: _answer(cursor, tables, asked[probe]) for probe in same}
    return found


def _answer(cursor: duckdb.DuckDBPyConnection, tables: Tables, item: _Asked) -> Measured:
    query = item.query
    try:
        tables.refuse(item.checked)
        value = _only(query, rows_of(cursor, query.sql, dict(query.arguments)))
    except QueryRefusedError as error:
        return item.rows.failed(_refused(query, error))
    except EvaluationError as error:
        return item.rows.failed(error)
    return replace(item.rows.counted, value=value)


def _only(query: Query, rows: Sequence[tuple[object, ...]]) -> Value:
    """Return the one value of a statement. Raises NoRowsError, AmbiguousRowError, SqlRefusedError, NullResultError."""
    if not rows:
        raise NoRowsError(f"`{query.name}` gives no row", where=query.where, expected="exactly one row")
    if len(rows[0]) != 1:
        raise SqlRefusedError(
            f"`{query.name}` gives {len(rows[0])} columns", where=query.where, expected="exactly one column"
        )
    if len(rows) > 1:
        raise AmbiguousRowError(
            f"`{query.name}` gives more than one row", where=query.where, expected="exactly one row"
        )
    value = rows[0][0]
    if value is None:
        raise NullResultError(f"`{query.name}` is null over these rows", where=query.where)
    if not isinstance(value, _PLAIN):
        raise SqlRefusedError(
            f"`{query.name}` gives a list or a struct",
            where=query.where,
            expected="a number, a text or a truth",
        )
    return value


def _moved(
    tables: Tables, asked: Mapping[Probe, _Asked], found: Mapping[Probe, Measured]
) -> dict[Probe, Measured]:
    """Return the answers with what each statement says of other data, asked once for every way of calling it."""
    told: dict[Query, tuple[object, ...]] = {}
    answers = dict(found)
    for probe, answer in found.items():
        item = asked[probe]
        if answer.error is not None:
            continue
        query = item.query
        if query not in told:
            told[query] = told_elsewhere(tables, item.checked, query.sql, dict(query.arguments))
        if told[query]:
            other = others(told[query], answer.value)
            answers[probe] = replace(
                answer, elsewhere=tuple(value for value in other if isinstance(value, _PLAIN))
            )
    return answers


def _refused(query: Query, error: QueryRefusedError) -> SqlRefusedError:
    return SqlRefusedError(
        f"`{query.name}`: {error.what}",
        where=query.where,
        expected=error.expected,
        next_step=error.next_step or "correct the SQL; `benchctl query` runs it, without its parameters",
    )
