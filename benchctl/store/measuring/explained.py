"""A probe put into the open: the query that it becomes, its parameters, and some of the rows that it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchctl.errors import EvaluationError
from benchctl.store.measuring.batch import select_of
from benchctl.store.measuring.catalogue import Catalogue
from benchctl.store.measuring.compile import compile_probe
from benchctl.store.measuring.conditions import Condition
from benchctl.store.measuring.question import runs_of
from benchctl.store.relations.loaded import loaded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import duckdb

    from benchctl.expressions import Probe
    from benchctl.store.measuring.columns import Known
    from benchctl.store.measuring.compile import Compiled
    from benchctl.store.reader import Store, StoredRun

__all__ = ["Explained", "explain"]

_KEYS: Final = ("question", "arm", "agent", "model", "rep", "outcome", "void")
"""The columns that name a row, and whether it counts."""
_MOST_COLUMNS: Final = 8


@dataclass(frozen=True, slots=True)
class Explained:
    """One probe over the runs that it is about.

    `sql` is the query with a `?` for each of `parameters`, of a named value its own SQL and `name=argument`. `rows` are the first that match, under `columns`, the
    one that is measured last; a greatest or least value comes first.
    """

    probe: Probe
    runs: tuple[str, ...]
    sql: str
    parameters: tuple[object, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


def explain(
    store: Store,
    run_id: str,
    probes: Iterable[Probe],
    *,
    declared: frozenset[str] = frozenset(),
    sample: int = 5,
) -> dict[Probe, Explained]:
    """Return what each probe asks over run `run_id`, with at most `sample` rows; one that cannot be asked is left out.

    Raises RunUnknownError for `run_id`, StoreDamagedError.
    """
    found: dict[Probe, Explained] = {}
    runs = {run_id: store.run(run_id)}
    names = Catalogue(runs)
    for probe in dict.fromkeys(probes):
        try:
            about = runs_of(store, probe, run_id, declared | {run_id}, runs)
            if probe.query:
                arguments = tuple(f"{name}={text}" for name, text in probe.query.arguments)
                found[probe] = Explained(probe, about, probe.query.sql, arguments, (), ())
            else:
                found[probe] = _explained(compile_probe(probe, about, names.relation), names, runs, sample)
        except EvaluationError:
            continue
    return found


def _explained(compiled: Compiled, names: Catalogue, runs: Mapping[str, StoredRun], sample: int) -> Explained:
    about = compiled.universe.runs
    shown = _shown(compiled, several=len(about) > 1)
    reads = (*compiled.reads, *(read for known in shown.values() for read in known.reads))
    chosen = [runs[name] for name in about]
    with loaded(chosen, names.views(chosen, [reads])) as connection:
        rows = _sample(connection, compiled, shown, sample)
    select = select_of(compiled)
    return Explained(compiled.probe, about, select.sql, select.parameters, tuple(shown), rows)


def _shown(compiled: Compiled, *, several: bool) -> dict[str, Known]:
    """Return the columns of the sample by name: what names a row, what it is grouped by, what is measured."""
    source, probe = compiled.rows.source, compiled.probe
    keys = [*(("run",) if several else ()), *_KEYS]
    keys += [item.column for item in probe.filters] + ([probe.group_by] if probe.group_by else [])
    named = {name: source.columns[name] for name in dict.fromkeys(keys) if name in source.columns}
    if not named:  # a further table has columns of its own
        named = dict(list(source.columns.items())[:_MOST_COLUMNS])
    if compiled.column:
        name = compiled.column.column.name
        named.pop(name, None)
        named[name] = compiled.column
    return named


def _sample(
    connection: duckdb.DuckDBPyConnection, compiled: Compiled, shown: dict[str, Known], sample: int
) -> tuple[tuple[Any, ...], ...]:
    rows = compiled.rows
    within = rows.within
    for column, value, _ in rows.keys:
        within &= Condition(f"{column} = ?", (value,))
    order = ""
    if compiled.column and compiled.statistic in ("max", "min"):
        direction = "DESC" if compiled.statistic == "max" else "ASC"
        order = f" ORDER BY {compiled.column.sql} {direction} NULLS LAST"
    listed = ", ".join(known.sql for known in shown.values())
    sql = f"SELECT {listed} FROM {rows.source.source} AS s WHERE {within.sql}{order} LIMIT {sample:d}"  # noqa: S608 - see `compile`
    return tuple(connection.execute(sql, list(within.parameters)).fetchall())
