"""Probes to SQL: one SELECT for all probes about the same rows, all of one shape, so that a page is one query.

No text of a page becomes SQL: a column is looked up among the known ones and its declared
name quoted, a level or a filter's value is a bound parameter, a statistic picks one of the
expressions in `aggregates`.

A SELECT gives (kind, index, name, rows, void, failed, values): for the kind `rows` a struct a
probe, in order; for the kind `occurs` the name is a value that occurs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from benchctl.expressions import Filter
from benchctl.store.aggregates import NO_VALUES, aggregate_sql
from benchctl.store.columns import IDENTITY_NUMBERS, Relation, relation
from benchctl.store.conditions import Condition, condition, must_occur
from benchctl.store.parquet import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchctl.expressions import Probe
    from benchctl.schema.result import Column

__all__ = ["Compiled", "Occurrence", "Rows", "compile_occurrence", "compile_probe", "compile_rows"]


@dataclass(frozen=True, slots=True)
class Rows:
    """Which rows a probe is about, and by which column they are grouped."""

    source: Relation
    within: Condition
    group_by: str | None


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A column of some runs whose values have to be known."""

    runs: tuple[str, ...]
    table: str | None
    column: str


@dataclass(frozen=True, slots=True)
class Compiled:
    """A probe ready to be measured.

    `statistic` None is a plain reference. `value` is the SQL of its struct. `universe` tells whether the
    runs have rows at all; `needed` are the filters whose value must occur, each with where to look.
    """

    probe: Probe
    column: Column | None
    statistic: str | None
    rows: Rows
    value: Condition
    universe: Occurrence
    needed: tuple[tuple[Occurrence, Filter, Column], ...]


def compile_probe(probe: Probe, runs: tuple[str, ...]) -> Compiled:
    """Return a probe over `runs`. Raises ColumnUnknownError, KindMismatchError or NullResultError."""
    source = relation(probe.table)
    column, statistic = source.resolve(probe.name)
    filters = (*probe.filters, *_levels(probe))
    within = _within(source, runs, probe.filters)
    if probe.contrast:
        level = quoted(source.column(probe.contrast.column).name)
        within &= Condition(f"{level}::VARCHAR IN (?, ?)", (probe.contrast.a, probe.contrast.b))
    group_by = source.column(probe.group_by).name if probe.group_by else None
    scope = _scope_rows(source, runs, probe.outer) if statistic == "share" else Condition("NULL")
    return Compiled(
        probe,
        column,
        statistic,
        Rows(source, within, group_by),
        Condition(aggregate_sql(source, probe, column, statistic, scope.sql), scope.parameters),
        Occurrence(runs, probe.table, "run"),
        tuple(
            (Occurrence(runs, probe.table, item.column), item, source.column(item.column))
            for item in filters
            if must_occur(source.column(item.column), item, IDENTITY_NUMBERS)
        ),
    )


def compile_rows(index: int, rows: Rows, values: Iterable[Condition]) -> Condition:
    """Return the SELECT of all values that are about the same rows: one row, or one a group."""
    taken = tuple(values)
    name = f"coalesce({quoted(rows.group_by)}::VARCHAR, 'null')" if rows.group_by else "NULL"
    sql = (
        f"SELECT 'rows', {index:d}, {name}, count(*), count(*) FILTER ({rows.source.void}),"  # noqa: S608 - see above
        f" count(*) FILTER ({rows.source.failed}), [{', '.join(value.sql for value in taken)}]"
        f" FROM {rows.source.source} AS s WHERE {rows.within.sql}{' GROUP BY 3' if rows.group_by else ''}"
    )
    parameters = (parameter for value in taken for parameter in value.parameters)
    return Condition(sql, (*parameters, *rows.within.parameters))


def compile_occurrence(index: int, occurrence: Occurrence) -> Condition:
    """Return the SELECT of the values, as texts, that a column has in these runs: one row a value."""
    source = relation(occurrence.table)
    name = quoted(source.column(occurrence.column).name)
    within = _within(source, occurrence.runs, ())
    sql = (
        f"SELECT 'occurs', {index:d}, {name}::VARCHAR, count(*), 0, 0, {NO_VALUES}"  # noqa: S608 - see above
        f" FROM {source.source} AS s WHERE {within.sql} AND {name} IS NOT NULL GROUP BY 3"
    )
    return Condition(sql, within.parameters)


def _within(source: Relation, runs: tuple[str, ...], filters: Iterable[Filter]) -> Condition:
    of_runs = Condition(f'"run" IN ({", ".join("?" * len(runs))})', runs)
    return reduce(and_, (condition(source, item) for item in filters), of_runs)


def _levels(probe: Probe) -> tuple[Filter, ...]:
    contrast = probe.contrast
    return (
        tuple(Filter(contrast.column, "=", level) for level in (contrast.a, contrast.b)) if contrast else ()
    )


def _scope_rows(source: Relation, runs: tuple[str, ...], outer: Iterable[Filter]) -> Condition:
    """Return the count of the scope's rows, which `share` divides by."""
    within = _within(source, runs, outer)
    return Condition(f"(SELECT count(*) FROM {source.source} AS s WHERE {within.sql})", within.parameters)  # noqa: S608
