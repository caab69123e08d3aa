"""What DuckDB gave for each probe, as the answer that an expression is evaluated with."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchctl.errors import AmbiguousRowError, EvaluationError, NoRowsError, NullResultError
from benchctl.expressions import Measured, Probe
from benchctl.store.columns import CLOSED_VOCABULARIES
from benchctl.store.compile import Compiled, Occurrence, Rows, compile_occurrence, compile_rows
from benchctl.store.conditions import refuse_unknown
from benchctl.store.inference import compare_levels, end_of, estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

    from benchctl.expressions import Value

__all__ = ["ask"]

_ZERO_IS_A_COUNT: Final = frozenset({"count", "share"})


@dataclass(frozen=True, slots=True)
class _Found:
    """What one probe got, or one group of it: the rows it matches, and its struct (see `aggregates`)."""

    name: str | None
    rows: int
    void: int
    failed: int
    given: Mapping[str, Any]

    @property
    def n(self) -> int:
        """Return how many values went in."""
        return int(self.given["n"])

    @property
    def value(self) -> Value | None:
        """Return the one value that is not null."""
        return next(
            (
                self.given[kind]
                for kind in ("truth", "word", "whole", "number")
                if self.given[kind] is not None
            ),
            None,
        )


def ask(connection: duckdb.DuckDBPyConnection, probes: Sequence[Compiled]) -> dict[Probe, Measured]:
    """Measure compiled probes, and what their filters presuppose, in one query.

    What went wrong with a probe stands in its own `error`, so that the others have their answer.
    """
    by_rows: dict[Rows, list[Compiled]] = defaultdict(list)
    for item in probes:
        by_rows[item.rows].append(item)
    asked = dict.fromkeys(
        place for item in probes for place in (item.universe, *(place for place, _, _ in item.needed))
    )
    places = list(asked)
    selects = [
        compile_rows(n, rows, (item.value for item in group))
        for n, (rows, group) in enumerate(by_rows.items())
    ]
    selects += [compile_occurrence(n, place) for n, place in enumerate(places)]
    parameters = [value for select in selects for value in select.parameters]
    groups, found = list(by_rows.values()), defaultdict[Probe, list[_Found]](list)
    occurring: dict[Occurrence, set[str]] = {place: set() for place in places}
    result = connection.execute(" UNION ALL ".join(select.sql for select in selects), parameters)
    for kind, index, name, rows, void, failed, values in result.fetchall():
        if kind == "occurs":
            occurring[places[index]].add(name)
            continue
        for item, given in zip(groups[index], values, strict=True):
            found[item.probe].append(_Found(name, rows, void, failed, given))
    return {item.probe: _answer(item, found[item.probe], occurring) for item in probes}


def _answer(probe: Compiled, found: Sequence[_Found], occurring: Mapping[Occurrence, set[str]]) -> Measured:
    try:
        _presuppose(probe, occurring)
    except EvaluationError as error:
        return Measured(None, error=error)
    if probe.probe.group_by is None:
        return _measured(probe, found[0])
    groups = {
        str(group.name): _measured(probe, group) for group in sorted(found, key=lambda group: str(group.name))
    }
    n, count, failed, void = (
        sum(getattr(group, part) for group in found) for part in ("n", "rows", "failed", "void")
    )
    return Measured(None, n, count, failed, void=void, groups=groups)


def _presuppose(probe: Compiled, occurring: Mapping[Occurrence, set[str]]) -> None:
    """Raise where the runs have no rows at all, or a filter's value occurs nowhere in them."""
    table = probe.probe.table
    if not occurring[probe.universe]:
        where = f"table `{table}` of run" if table else "run"
        raise NoRowsError(f"{where} {' + '.join(probe.universe.runs)} has no rows")
    for place, item, column in probe.needed:
        refuse_unknown(item, column, occurring[place], CLOSED_VOCABULARIES.get(column.name, ()))


def _measured(probe: Compiled, found: _Found) -> Measured:
    value, lo, hi, scope, error = None, None, None, None, None
    try:
        value, lo, hi, scope = _inferred(probe, found) or (_value(probe, found), None, None, None)
    except EvaluationError as raised:
        error = raised
    return Measured(value, found.n, found.rows, found.failed, lo, hi, error, found.void, scope)


_Inferred = tuple["Value | None", float | None, float | None, str | None]


def _inferred(probe: Compiled, found: _Found) -> _Inferred | None:
    """Return (value, lo, hi, scope) from the statistics room; None where the database's answer is the answer."""
    units, column = found.given["samples"] or [], probe.column
    if column is None or not found.rows:
        return None
    if probe.probe.contrast:
        compared = compare_levels(column, probe.statistic, probe.probe.contrast, units)
        return compared.value, compared.lo, compared.hi, compared.scope
    if probe.statistic in {"lo", "hi"}:
        end, scope = end_of(column, units, probe.statistic)
        return end, None, None, scope
    if probe.statistic == "macro":
        value, interval = estimate(column, units, interval=probe.probe.interval)
        return (value, interval.lo, interval.hi, interval.scope) if interval else (value, None, None, None)
    return None


def _value(probe: Compiled, found: _Found) -> Value | None:
    if found.rows == 0 and (probe.probe.contrast or probe.statistic not in _ZERO_IS_A_COUNT):
        raise NoRowsError("no row matches")
    match probe.statistic:
        case None if found.rows > 1:
            raise AmbiguousRowError(
                f"{found.rows} rows match a reference without a statistic",
                expected="exactly one row",
                next_step="add filters, or a statistic such as .median",
            )
        case "count":
            return found.rows
        case "n":
            return found.n
        case "n_failed":
            return found.failed
        case "share" if not found.given["scope"]:
            raise NoRowsError("no row in the scope that the share is of")
        case "share":
            return found.rows / int(found.given["scope"])
        case "sd" if found.n == 1:
            raise NullResultError("one value has no sd", expected="at least two values")
        case _:
            return found.value
