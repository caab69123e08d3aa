"""Probes to SQL: one SELECT for all probes about the same rows, all of one shape, so that a page is one query.

No text of a page becomes SQL: a column is looked up among the known ones and the name that it has in the
connection is quoted, a level or a filter's value is a bound parameter, a statistic picks one of the
expressions in `aggregates`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Final

from benchctl.expressions import Filter
from benchctl.store.measuring.aggregates import aggregate_sql
from benchctl.store.measuring.columns import IDENTITY_NUMBERS, Known, Relation
from benchctl.store.measuring.conditions import Condition, condition, must_occur, parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchctl.expressions import Probe
    from benchctl.store.measuring.columns import Read

__all__ = ["Compiled", "Occurrence", "Rows", "compile_probe"]


_TOLD_BY_TEXT: Final = frozenset({"VARCHAR", "BOOLEAN", "BIGINT"})


@dataclass(frozen=True, slots=True)
class Rows:
    """Which rows a probe is about, and the SQL of the column that they are grouped by.

    `keys` are filters that say one value: (SQL of the column, the value, its text). Probes that differ in
    these values alone are measured in one go.
    """

    source: Relation
    within: Condition
    keys: tuple[tuple[str, object, str], ...]
    group_by: str | None


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A column of some runs whose values have to be known."""

    runs: tuple[str, ...]
    source: Relation
    column: str


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """A probe ready to be measured; one is made of each probe of a call, so it is told from others by itself.

    `statistic` None is a plain reference. `value` is the SQL of its struct. `universe` tells whether the
    runs have rows at all; `needed` are the filters whose value must occur, each with where to look; `reads` is
    what has to be loaded.
    """

    probe: Probe
    column: Known | None
    statistic: str | None
    rows: Rows
    value: Condition
    universe: Occurrence
    needed: tuple[tuple[Occurrence, Filter, Known], ...]
    reads: tuple[Read, ...]


def compile_probe(
    probe: Probe, runs: tuple[str, ...], relation_of: Callable[[str | None, tuple[str, ...]], Relation]
) -> Compiled:
    """Return a probe over `runs`; `relation_of` tells what a table of these runs is.

    Raises ColumnUnknownError, RunsNotComparableError, KindMismatchError or NullResultError.
    """
    source = relation_of(probe.table, runs)
    column, statistic = source.resolve(probe.name)
    filters = (*probe.filters, *_levels(probe))
    keys, others = _keys(source, probe) if statistic != "share" else ((), probe.filters)
    within = _within(source, runs, others)
    if probe.contrast:
        level = source.column(probe.contrast.column).sql
        within &= Condition(f"{level}::VARCHAR IN (?, ?)", (probe.contrast.a, probe.contrast.b))
    scope = _scope_rows(source, runs, probe.outer) if statistic == "share" else Condition("NULL")
    named = [source.column(item.column) for item in (*filters, *probe.outer)]
    grouped = source.column(probe.group_by) if probe.group_by else None
    run = source.column("run")
    return Compiled(
        probe,
        column,
        statistic,
        Rows(source, within, keys, grouped.sql if grouped else None),
        Condition(aggregate_sql(source, probe, column, statistic, scope.sql), scope.parameters),
        Occurrence(runs, source, run.sql),
        tuple(
            (Occurrence(runs, source, known.sql), item, known)
            for item, known in zip(filters, named, strict=False)
            if must_occur(known, item, IDENTITY_NUMBERS)
        ),
        (
            *source.reads,
            *(read for known in (run, column, grouped, *named) if known for read in known.reads),
        ),
    )


def _keys(source: Relation, probe: Probe) -> tuple[tuple[tuple[str, object, str], ...], tuple[Filter, ...]]:
    """Return the filters that rows can be grouped by instead, and the other ones.

    Of the first, two values are one where their texts are: 1 and 1.0 are one DOUBLE, and have two texts.
    """
    keys: dict[str, tuple[str, object, str]] = {}
    others: list[Filter] = []
    for item in probe.filters:
        known = source.column(item.column)
        value = parameter(known.column, item)
        if item.op != "=" or known.sql in keys or known.column.type not in _TOLD_BY_TEXT:
            others.append(item)
        else:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            keys[known.sql] = (known.sql, value, text)
    return tuple(sorted(keys.values(), key=lambda key: key[0])), tuple(others)


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
