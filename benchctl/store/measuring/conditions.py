"""Filters to SQL conditions: the column quoted, the value a bound parameter of the column's own kind.

Numbers compare as numbers and texts as texts. Null satisfies no condition: what was not
measured is neither equal to a value nor different from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

from benchctl.errors import FilterValueUnknownError, KindMismatchError
from benchctl.expressions import near
from benchctl.quantities.format import listed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from benchctl.expressions import Filter
    from benchctl.schema.result import Column
    from benchctl.store.measuring.columns import Known, Relation

__all__ = ["Condition", "condition", "must_occur", "parameter", "refuse_unknown"]

_SQL: Final[Mapping[str, str]] = {
    "=": "=",
    "!=": "<>",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "~": "GLOB",
}
_TRUTHS: Final = {"true": True, "false": False}
_SHOWN_VALUES = 12
_DIGITS: Final = 19
_BIGINTS: Final = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class Condition:
    """A SQL condition and the parameters that stand in it, in order."""

    sql: str
    parameters: tuple[object, ...] = ()

    def __and__(self, other: Condition) -> Condition:
        """Return both, joined."""
        return Condition(f"{self.sql} AND {other.sql}", (*self.parameters, *other.parameters))


def condition(relation: Relation, item: Filter) -> Condition:
    """Return one filter's condition. Raises ColumnUnknownError or KindMismatchError."""
    known = relation.column(item.column)
    return Condition(f"{known.sql} {_SQL[item.op]} ?", (parameter(known.column, item),))


def parameter(column: Column, item: Filter) -> str | bool | int | float:
    """Return a filter's value as one of the column's kind. Raises KindMismatchError."""
    if column.type == "VARCHAR":
        return item.value
    if column.type == "BOOLEAN":
        if item.value not in _TRUTHS or item.op not in {"=", "!="}:
            raise KindMismatchError(
                f"`{item.column}` is true or false", expected=f"{item.column}=true or {item.column}=false"
            )
        return _TRUTHS[item.value]
    number = _number(item.value)
    if number is None or item.op == "~":
        raise KindMismatchError(
            f"`{item.column}` is a number and cannot be compared with {item.op}{item.value}",
            expected=f"a number, as in {item.column}>0",
        )
    return number


def _number(text: str) -> float | int | None:
    """Return a finite number; one that a BIGINT can be is whole however it is written, for a float may not say it."""
    try:
        written, number = Decimal(text), float(text)
    except (ValueError, InvalidOperation):
        return None
    if not math.isfinite(number):
        return None
    small = written.adjusted() < _DIGITS and written == written.to_integral_value()
    return int(written) if small and int(written) in _BIGINTS else number


def must_occur(known: Known, item: Filter, identities: Collection[str]) -> bool:
    """Return whether the filter's value must occur in the run: it names something, and names are misspelt."""
    if item.op == "~":
        return True
    names = known.column.type == "VARCHAR" or (known.column.name in identities and not known.own)
    return item.op in {"=", "!="} and names


def refuse_unknown(
    item: Filter, column: Column, occurring: Collection[str], vocabulary: Collection[str]
) -> None:
    """Raise FilterValueUnknownError where the filter's value is neither among `occurring` nor `vocabulary`."""
    known = sorted({*occurring, *vocabulary})
    if item.op == "~":
        import fnmatch

        # A class in brackets is negated by ! here and by ! or ^ in DuckDB; both match the same names otherwise.
        if any(fnmatch.fnmatchcase(value, item.value.replace("[^", "[!")) for value in known):
            return
    elif item.value in known or (
        column.type != "VARCHAR" and _number(item.value) in {_number(v) for v in known}
    ):
        return
    shown = listed(known, _SHOWN_VALUES)
    like = near(item.value, known)
    raise FilterValueUnknownError(
        f"`{item.column}{item.op}{item.value}`: no row of the run has this {item.column}",
        expected=f"one of {shown or 'no value at all'}" + (f"; did you mean {like}?" if like else ""),
    )
