"""One statistic of a column as SQL: a struct that says what was found and how many rows it stands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchctl.errors import KindMismatchError
from benchctl.expressions import quantile_of

if TYPE_CHECKING:
    from benchctl.expressions import Probe
    from benchctl.store.measuring.columns import Known, Relation

__all__ = ["FROM_SAMPLES", "VALUE_TYPE", "aggregate_sql"]

FROM_SAMPLES: Final = frozenset({"macro", "lo", "hi"})
"""Statistics of values together with their questions; they are made by the statistics room."""

_UNIT_TYPE: Final = "STRUCT(level VARCHAR, repo VARCHAR, question VARCHAR, value DOUBLE)[]"
VALUE_TYPE: Final = (
    "STRUCT(n BIGINT, number DOUBLE, whole HUGEINT, word VARCHAR, truth BOOLEAN, scope BIGINT, "
    f"samples {_UNIT_TYPE})"
)
"""What one probe gets. Of number, whole, word and truth at most one is the value; a whole number wins."""

_AGGREGATES: Final = {"sum": "sum", "mean": "avg", "min": "min", "max": "max", "sd": "stddev_samp"}
_KEEPS_TYPE: Final = frozenset({"sum", "min", "max"})
_ABOUT_ROWS: Final = frozenset({"count", "n", "n_failed", "share"})


@dataclass(frozen=True, slots=True)
class _Value:
    number: str = "NULL"
    whole: str = "NULL"
    word: str = "NULL"
    truth: str = "NULL"


def aggregate_sql(
    source: Relation, probe: Probe, known: Known | None, statistic: str | None, scope: str
) -> str:
    """Return the struct of one probe; `scope` is SQL of the rows that a share is of, or NULL.

    Raises KindMismatchError for a statistic that a text does not have, and for the floor of what has none.
    """
    value = _value(source, known, statistic)
    parts = f"{_n(source, known)}, {value.number}, {value.whole}, {value.word}, {value.truth}, {scope}"
    return f"row({parts}, {_samples(source, probe, known, statistic)})::{VALUE_TYPE}"


def _n(source: Relation, known: Known | None) -> str:
    counted = "*" if known is None else known.sql
    return f"count({counted}) FILTER (NOT {source.void})"


def _number(known: Known, statistic: str) -> str:
    """Return a column as SQL that can be calculated with: a truth counts as 0 or 1."""
    if known.column.type == "VARCHAR":
        raise KindMismatchError(
            f"`{known.column.name}` is a text and has no {statistic}", expected="a metric"
        )
    return f"{known.sql}::BIGINT" if known.column.type == "BOOLEAN" else known.sql


def _value(source: Relation, known: Known | None, statistic: str | None) -> _Value:
    if statistic == "floor":
        return _floor(known)
    if known is None or statistic in _ABOUT_ROWS:
        return _Value()
    if statistic is None:
        return _plain(known)
    if statistic == "distinct":
        return _Value(whole=f"count(DISTINCT {known.sql}) FILTER (NOT {source.void})")
    return _calculated(known, _number(known, statistic), statistic, f"FILTER (NOT {source.void})")


def _floor(known: Known | None) -> _Value:
    """Return the floor of the rows' way of answering; null where none was measured, or the rows have several."""
    if known is None or known.column.name != "floor_tokens":
        raise KindMismatchError(
            "`floor` is what an empty run reads", expected="input_tokens.floor or content_tokens.floor"
        )
    return _Value(f"CASE WHEN count(DISTINCT {known.sql}) = 1 THEN any_value({known.sql}) END")


def _calculated(known: Known, value: str, statistic: str, valid: str) -> _Value:
    if statistic in FROM_SAMPLES:
        return _Value()
    if (p := quantile_of(statistic)) is not None:
        return _Value(_quantile(value, p, valid))
    if statistic == "iqr":
        return _Value(f"{_quantile(value, 0.75, valid)} - {_quantile(value, 0.25, valid)}")
    aggregate = f"{_AGGREGATES[statistic]}({value}) {valid}"
    whole = statistic in _KEEPS_TYPE and known.column.type != "DOUBLE"
    return _Value(aggregate, f"TRY_CAST({aggregate} AS HUGEINT)" if whole else "NULL")


def _quantile(value: str, p: float, valid: str) -> str:
    """Return a type 7 quantile (measured: equal to numpy's `linear`)."""
    return f"quantile_cont({value}::DOUBLE, {p!r}) {valid}"


def _plain(known: Known) -> _Value:
    """Return the value of the one row that a reference without a statistic matches."""
    field = {"DOUBLE": "number", "BIGINT": "whole", "VARCHAR": "word", "BOOLEAN": "truth"}[known.column.type]
    return _Value(**{field: f"any_value({known.sql})"})


def _samples(source: Relation, probe: Probe, known: Known | None, statistic: str | None) -> str:
    """Return the values with their repository, question and level, or NULL where nobody needs them."""
    if known is None or not (statistic in FROM_SAMPLES or probe.contrast or probe.interval):
        return "NULL"
    if known.column.type == "VARCHAR" and not probe.contrast:
        return "NULL"
    level = f"{source.column(probe.contrast.column).sql}::VARCHAR" if probe.contrast else "NULL"
    unit = f"row({level}, {source.repo}, {source.question}, ({_number(known, statistic or 'comparison')})::DOUBLE)"
    return f"list({unit}) FILTER (NOT {source.void} AND {known.sql} IS NOT NULL)"
