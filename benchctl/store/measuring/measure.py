"""What DuckDB gave for each probe, as the answer that an expression is evaluated with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from benchctl.errors import AmbiguousRowError, EvaluationError, NoRowsError, NullResultError
from benchctl.expressions import Measured, Probe, is_statistic
from benchctl.store.measuring.batch import Found, ask_occurring, ask_values
from benchctl.store.measuring.columns import CLOSED_VOCABULARIES
from benchctl.store.measuring.conditions import refuse_unknown
from benchctl.store.measuring.inference import compare_levels, end_of, estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

    from benchctl.expressions import Value
    from benchctl.store.measuring.compile import Compiled, Occurrence

__all__ = ["ask"]

_ZERO_IS_A_COUNT: Final = frozenset({"count", "share"})


def ask(connection: duckdb.DuckDBPyConnection, probes: Sequence[Compiled]) -> dict[Probe, Measured]:
    """Measure compiled probes in one query, and what their filters presuppose in a second one.

    That is only asked where it is not plain: a row that matches has the values that its filters name. What
    went wrong with a probe stands in its own `error`, so that the others have their answer.
    """
    found = ask_values(connection, probes)
    asked = {item: _presupposed(item, found[item]) for item in probes}
    occurring = ask_occurring(connection, [place for places in asked.values() for place in places])
    return {item.probe: _answer(item, found[item], {p: occurring[p] for p in asked[item]}) for item in probes}


def _presupposed(probe: Compiled, found: Sequence[Found]) -> list[Occurrence]:
    """Return the places to look in for what a probe takes for granted: none where its rows show it."""
    matched = any(group.rows for group in found)
    shown = {"=", "~"} if matched and not probe.probe.contrast else set()
    needed = [place for place, item, _ in probe.needed if item.op not in shown]
    return needed if matched else [probe.universe, *needed]


def _answer(probe: Compiled, found: Sequence[Found], occurring: Mapping[Occurrence, set[str]]) -> Measured:
    try:
        _presuppose(probe, occurring)
    except EvaluationError as error:
        return Measured(None, error=error)
    if probe.probe.group_by is None:
        return _measured(probe, found[0])
    ordered = sorted(found, key=lambda group: (group.name is None, group.name or ""))
    groups = {group.name: _measured(probe, group) for group in ordered}
    count, failed, void = (
        sum(getattr(group, part) for group in found) for part in ("rows", "failed", "void")
    )
    n = sum(int(group.given["n"]) for group in found)
    return Measured(None, n, count, failed, void=void, groups=groups)


def _presuppose(probe: Compiled, occurring: Mapping[Occurrence, set[str]]) -> None:
    """Raise where the runs have no rows at all, or a filter's value occurs nowhere in them."""
    table = probe.probe.table
    if not occurring.get(probe.universe, True):
        where = f"table `{table}` of run" if table else "run"
        raise NoRowsError(f"{where} {' + '.join(probe.universe.runs)} has no rows")
    for place, item, column in probe.needed:
        if place not in occurring:
            continue
        words = () if column.own else CLOSED_VOCABULARIES.get(column.column.name, ())
        refuse_unknown(item, column.column, occurring[place], words)


def _measured(probe: Compiled, found: Found) -> Measured:
    value, lo, hi, scope, error = None, None, None, None, None
    try:
        value, lo, hi, scope = _inferred(probe, found) or (_value(probe, found), None, None, None)
    except EvaluationError as raised:
        error = raised
    return Measured(value, int(found.given["n"]), found.rows, found.failed, lo, hi, error, found.void, scope)


_Inferred = tuple["Value | None", float | None, float | None, str | None]


def _inferred(probe: Compiled, found: Found) -> _Inferred | None:
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


def _value(probe: Compiled, found: Found) -> Value | None:
    if found.rows == 0 and (probe.probe.contrast or probe.statistic not in _ZERO_IS_A_COUNT):
        raise NoRowsError("no row matches")
    match probe.statistic:
        case None if found.rows > 1:
            raise _ambiguous(probe, found.rows)
        case "count":
            return found.rows
        case "n":
            return int(found.given["n"])
        case "n_failed" if not found.outcomes:
            raise NullResultError(
                "the import has no outcome, so nobody knows how many of these rows failed",
                next_step="import the file with --map SOURCE=outcome",
            )
        case "n_failed":
            return found.failed
        case "share" if not found.given["scope"]:
            raise NoRowsError("no row in the scope that the share is of")
        case "share":
            return found.rows / int(found.given["scope"])
        case "sd" if found.given["n"] == 1:
            raise NullResultError("one value has no sd", expected="at least two values")
        case _:
            return _one_of(found.given)


def _ambiguous(probe: Compiled, rows: int) -> AmbiguousRowError:
    """Return the error of a plain reference that many rows match; it may be meant as a statistic that a column hides."""
    name = ".".join(probe.probe.name)
    hides = probe.column is not None and probe.column.own and is_statistic(probe.probe.name[-1])
    return AmbiguousRowError(
        f"{rows} rows match a reference without a statistic"
        + (f": `{name}` is a column here, which hides the statistic" if hides else ""),
        expected="exactly one row",
        next_step="add filters, or a statistic such as .median",
    )


def _one_of(given: Mapping[str, Any]) -> Value | None:
    """Return the one value of a struct that is not null."""
    kinds = ("truth", "word", "whole", "number")
    return next((given[kind] for kind in kinds if given[kind] is not None), None)
