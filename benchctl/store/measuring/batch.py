"""Many probes as few SELECTs: those about rows that differ in a filter's value alone share one scan.

Measured on a million rows: twelve groups of an arm and an agent, four statistics each, take one scan of
the rows instead of twelve.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchctl.store.measuring.conditions import Condition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import duckdb

    from benchctl.store.measuring.columns import Relation
    from benchctl.store.measuring.compile import Compiled, Occurrence, Rows

__all__ = ["Found", "ask_occurring", "ask_values", "select_of"]

_NOTHING: Final[Mapping[str, Any]] = {
    "n": 0, "number": None, "whole": None, "word": None, "truth": None, "scope": None, "samples": None,
}  # fmt: skip
"""The struct of a probe that no row matches."""

_IDLE: Final = 2


@dataclass(frozen=True, slots=True)
class Found:
    """What one probe got, or one group of it: the rows it matches, and its struct (see `aggregates`).

    `name` is the group's value as a text, None for rows that have none, and where there are no groups.
    `outcomes` counts the rows that have an outcome, from which void and failed follow.
    """

    name: str | None
    rows: int
    void: int
    failed: int
    outcomes: int
    given: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Scan:
    """One SELECT: probes about rows that differ in the values of the same columns alone, all asking the same."""

    rows: Rows
    values: tuple[Condition, ...]
    keyed: bool


def ask_values(
    connection: duckdb.DuckDBPyConnection, probes: Sequence[Compiled]
) -> dict[Compiled, list[Found]]:
    """Return what each probe found, group by group where it has groups, from one query."""
    by_rows: dict[Rows, list[Compiled]] = defaultdict(list)
    for probe in probes:
        by_rows[probe.rows].append(probe)
    alike = _alike(by_rows)
    scans = list(alike)
    selects = [_scan_sql(n, scan, [rows.keys for rows in alike[scan]]) for n, scan in enumerate(scans)]
    found: dict[Compiled, list[Found]] = {probe: [] for probe in probes}
    meant = [_by_keys(alike[scan], by_rows, keyed=scan.keyed) for scan in scans]
    for index, name, keys, rows, void, failed, outcomes, values in _ask(connection, selects):
        given = dict(zip(scans[index].values, values, strict=True))
        for probe in meant[index].get(tuple(keys or ()), ()):
            found[probe].append(Found(name, rows, void, failed, outcomes, given[probe.value]))
    for probe, groups in found.items():
        if not groups and probe.rows.group_by is None:
            groups.append(Found(None, 0, 0, 0, 0, _NOTHING))
    return found


def select_of(probe: Compiled) -> Condition:
    """Return the SELECT of one probe alone; in the query of a page it shares one with those that ask alike."""
    scan = _Scan(probe.rows, (probe.value,), keyed=False)
    return _scan_sql(0, scan, [probe.rows.keys])


def ask_occurring(
    connection: duckdb.DuckDBPyConnection, places: Iterable[Occurrence]
) -> dict[Occurrence, set[str]]:
    """Return which values, as texts, occur in each place, from one query."""
    every = _by_universe(places)
    flat = [place for group in every for place in group]
    selects = [_occurrence_sql(flat.index(group[0]), group) for group in every]
    occurring: dict[Occurrence, set[str]] = {place: set() for place in flat}
    for index, name in _ask(connection, selects) if selects else ():
        if name is not None:
            occurring[flat[index]].add(name)
    return occurring


def _ask(connection: duckdb.DuckDBPyConnection, selects: Sequence[Condition]) -> list[tuple[Any, ...]]:
    parameters = [value for select in selects for value in select.parameters]
    return connection.execute(" UNION ALL ".join(select.sql for select in selects), parameters).fetchall()


def _by_keys(
    alike: Iterable[Rows], by_rows: Mapping[Rows, Sequence[Compiled]], *, keyed: bool
) -> dict[tuple[str, ...], list[Compiled]]:
    """Return the probes of a shared scan by the keys that their filters say; all under () where it has none."""
    meant: dict[tuple[str, ...], list[Compiled]] = defaultdict(list)
    for rows in alike:
        meant[tuple(text for _, _, text in rows.keys) if keyed else ()] += by_rows[rows]
    return meant


def _by_universe(places: Iterable[Occurrence]) -> list[list[Occurrence]]:
    """Return the places that one scan can tell about: columns of one table in the same runs."""
    groups: dict[tuple[Relation, tuple[str, ...]], list[Occurrence]] = defaultdict(list)
    for place in dict.fromkeys(places):
        groups[place.source, place.runs].append(place)
    return list(groups.values())


def _alike(by_rows: Mapping[Rows, Sequence[Compiled]]) -> dict[_Scan, list[Rows]]:
    """Return each scan with the rows that share it: of one table, grouped by the same columns, asking the same.

    Rows that ask almost the same are asked all of it: a SELECT more costs more than a few idle aggregates.
    """
    shapes: dict[tuple[object, ...], list[Rows]] = defaultdict(list)
    for rows in by_rows:
        shapes[rows.source, rows.within, tuple(sql for sql, _, _ in rows.keys), rows.group_by].append(rows)
    scans = {}
    for shape in shapes.values():
        for group in _asking_alike(shape, by_rows):
            values = dict.fromkeys(probe.value for rows in group for probe in by_rows[rows])
            scans[_Scan(group[0], tuple(values), len(group) > 1)] = group
    return scans


def _asking_alike(shape: list[Rows], by_rows: Mapping[Rows, Sequence[Compiled]]) -> list[list[Rows]]:
    """Return rows of one shape by what they ask; all of them together where that asks at most twice as much."""
    groups: dict[frozenset[Condition], list[Rows]] = defaultdict(list)
    for rows in shape:
        groups[frozenset(probe.value for probe in by_rows[rows])].append(rows)
    every = frozenset[Condition]().union(*groups)
    asked = sum(len(values) * len(rows) for values, rows in groups.items())
    # Lists of values go to nobody who did not ask for them.
    plain = all("list(" not in value.sql for value in every)
    return [shape] if plain and len(every) * len(shape) <= _IDLE * asked else list(groups.values())


def _scan_sql(index: int, scan: _Scan, keys: Sequence[tuple[tuple[str, object, str], ...]]) -> Condition:
    """Return one row of all values, or one for each group; where several share the scan, for each set of keys."""
    rows = scan.rows
    name = f"{rows.group_by}::VARCHAR" if rows.group_by else "NULL"
    told, grouped = "NULL::VARCHAR[]", ["2"] if rows.group_by else []
    columns = [sql for sql, _, _ in rows.keys]
    wanted = [list(dict.fromkeys(each[n][1] for each in keys)) for n in range(len(columns))]
    if scan.keyed:
        told = f"[{', '.join(f'{column}::VARCHAR' for column in columns)}]"
        grouped += columns  # each by itself: a list of them would be hashed row by row
    within = rows.within
    for column, values in zip(columns, wanted, strict=True):
        within &= Condition(f"{column} IN ({', '.join('?' * len(values))})", tuple(values))
    sql = (
        f"SELECT {index:d}, {name}, {told}, count(*), count(*) FILTER ({rows.source.void}),"  # noqa: S608 - see `compile`
        f" count(*) FILTER ({rows.source.failed}), count({rows.source.outcome}),"
        f" [{', '.join(value.sql for value in scan.values)}]"
        f" FROM {rows.source.source} AS s WHERE {within.sql}{' GROUP BY ' + ', '.join(grouped) if grouped else ''}"
    )
    parameters = (parameter for value in scan.values for parameter in value.parameters)
    return Condition(sql, (*parameters, *within.parameters))


def _occurrence_sql(first: int, group: Sequence[Occurrence]) -> Condition:
    """Return the values, as texts, that some columns have in the same runs: one row a value, from one scan."""
    columns = [place.column for place in group]
    index = " ".join(f"WHEN GROUPING({column}) = 0 THEN {first + n:d}" for n, column in enumerate(columns))
    name = " ".join(f"WHEN GROUPING({column}) = 0 THEN {column}::VARCHAR" for column in columns)
    runs = ", ".join("?" * len(group[0].runs))
    sql = (
        f"SELECT CASE {index} END, CASE {name} END"  # noqa: S608 - see `compile`
        f' FROM {group[0].source.source} AS s WHERE "run" IN ({runs})'
        f" GROUP BY GROUPING SETS ({', '.join(f'({column})' for column in columns)})"
    )
    return Condition(sql, group[0].runs)
