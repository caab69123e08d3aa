"""Which columns a connection is to hold of a table, and where each comes from.

A run may have columns of its own (what was imported with it), and one of them may have the name of a
standard column and hide it. For a person's SQL (`named_view`) a column has the name that people
know, and the same one in every run, whatever each run holds under it. For expressions
(`measured_view`) both are at hand: the standard column under its name, an own one under a name that
is made of its digest, so that no text of a file ever is a name in our SQL.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from benchctl.quantities.format import listed
from benchctl.schema.result import VIEWS, Column
from benchctl.store.relations.files import FURTHER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from benchctl.schema.result import ColumnType

__all__ = [
    "Output",
    "View",
    "measured_view",
    "named_view",
    "own_output",
    "place_of",
    "sayable",
    "standard_output",
    "standard_view",
    "unified",
]

Own = tuple[Column, ...]
"""The own columns of one run in one table, in its file's order."""

_ORDER: Final[tuple[ColumnType, ...]] = ("BOOLEAN", "BIGINT", "DOUBLE")


@dataclass(frozen=True, slots=True)
class Output:
    """One column of a view: `own` (its lower-case name) where a run has it, else `standard`, else null.

    `own_type` is the type that the run's own column must have to be meant, None for any.
    """

    name: str
    type: str
    standard: str | None = None
    own: str | None = None
    own_type: str | None = None


@dataclass(frozen=True, slots=True)
class View:
    """A table of a connection: its name there, the stored table it is of (`tables/…` for a further one), its columns."""

    name: str
    table: str
    outputs: tuple[Output, ...]

    def covers(self, other: View) -> bool:
        """Return whether this holds all that the other does."""
        return (self.name, self.table) == (other.name, other.table) and set(other.outputs) <= set(
            self.outputs
        )


def standard_output(column: Column) -> Output:
    """Return a standard column, whatever a run has beside it."""
    return Output(column.name, column.type, standard=column.name)


def own_output(column: Column) -> Output:
    """Return an own column under a name that is safe in SQL; null in runs that have none of its name and type."""
    lower = column.name.lower()
    named = hashlib.sha256(f"{column.type}:{lower}".encode()).hexdigest()[:24]
    return Output(f"own_{named}", column.type, own=lower, own_type=column.type)


def place_of(table: str) -> str:
    """Return what a table is called in a connection for expressions."""
    if not table.startswith(FURTHER):
        return table
    return f"table_{hashlib.sha256(table.encode()).hexdigest()[:24]}"


@cache
def standard_view(table: str) -> View:
    """Return a view of `schema.result.VIEWS` with its standard columns."""
    return View(table, table, tuple(map(standard_output, VIEWS[table])))


def measured_view(table: str, outputs: Iterable[Output]) -> View:
    """Return a table for expressions: its run, and these columns in an order of their own."""
    run = standard_output(_RUN)
    return View(place_of(table), table, (run, *sorted(set(outputs) - {run}, key=lambda output: output.name)))


def named_view(
    table: str,
    own: Mapping[str, Own],
    runs: Sequence[str],
    wanted: Collection[str] | None = None,
    inexact: Collection[str] = (),
) -> tuple[View, tuple[str, ...]]:
    """Return a table for SQL, and what is to be said of it: names that are of another type in another run.

    `own` is run -> its own columns; `wanted` the lower-case names that a statement may mean, None for all;
    `inexact` those that would lose digits as DOUBLE, and are texts instead.
    """
    standard = {} if table.startswith(FURTHER) else {column.name: column for column in VIEWS[table]}
    spelt = {name: name for name in standard} or {"run": "run"}
    of_runs: dict[str, dict[str, str]] = {}  # lower-case name -> run -> type
    for run in runs:
        for column in own.get(run, ()):
            spelt.setdefault(column.name.lower(), column.name)
            of_runs.setdefault(column.name.lower(), {})[run] = column.type
    outputs, notes = [], []
    for lower, name in spelt.items():
        if wanted is not None and lower not in wanted and lower != "run":
            continue
        types = of_runs.get(lower, {})
        if lower in standard and types:
            types = {run: types.get(run, standard[lower].type) for run in runs}
        if lower in standard and not types:
            outputs.append(standard_output(standard[lower]))
        elif lower == "run":
            outputs.append(standard_output(_RUN))
        else:
            type_ = "VARCHAR" if lower in inexact else unified(types.values())
            outputs.append(Output(name, type_, standard=lower if lower in standard else None, own=lower))
            lossy = lower in inexact
            notes += [_clash(table, name, types, type_, lossy=lossy)] if len(set(types.values())) > 1 else []
    shown = table.removeprefix(FURTHER)
    return View(shown, table, tuple(outputs)), tuple(notes)


def unified(types: Iterable[str]) -> str:
    """Return the least type that can say the values of all of these: BOOLEAN, BIGINT, DOUBLE, else VARCHAR."""
    distinct = set(types)
    known = [type_ for type_ in _ORDER if type_ in distinct]
    return known[-1] if known and distinct <= set(_ORDER) else "VARCHAR"


def sayable(name: str, taken: Collection[str]) -> str:
    """Return a name that is not empty and that is none of `taken` (lower-case), changed as little as possible."""
    free, number = name or "unnamed", 0
    while free.lower() in taken:
        number += 1
        free = f"{name or 'unnamed'}_{number}"
    return free


_RUN: Final = VIEWS["attempts"][0]


def _clash(table: str, name: str, types: Mapping[str, str], unified_: str, *, lossy: bool) -> str:
    by_type: dict[str, list[str]] = {}
    for run, type_ in types.items():
        by_type.setdefault(type_, []).append(run)
    said = "; ".join(f"{type_} in {listed(runs)}" for type_, runs in by_type.items())
    why = ", for a number of it is too great for a DOUBLE" if lossy else ""
    return f"the column `{name}` of `{table.removeprefix(FURTHER)}` is {said}: it is read as {unified_}{why}"
