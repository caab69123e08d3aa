"""The table that an imported run has of itself: rows by who answered, columns of what was measured.

What a file calls its columns is not known before it is read, so the table is made from the run: rows by
the standard identity columns that have values and by the file's own key, columns for each metric and
each own number. It is the same each time it is made, since an imported run does not change.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from benchctl.expressions.cursor import quoted
from benchctl.metrics import METRICS
from benchctl.quantities.format import counted
from benchctl.report.cell_rows import cell_columns, distinct, filled
from benchctl.schema.project import TableColumn, TableSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchctl.schema.imported import ImportRecord
    from benchctl.store.reader import StoredRun

__all__ = ["IMPORTED", "fitted", "imported_table"]

IMPORTED: Final = "imported"
"""The table's name."""

_WHO: Final = ("arm", "agent", "model")
_ELSE: Final = ("class", "repo", "question")
_MOST_ROWS: Final = 60
_MOST_COLUMNS: Final = 12
_AVERAGED: Final = frozenset({"score", "precision", "recall"})
_NAMES: Final = re.compile(r"[a-z_]+")


def imported_table(run: StoredRun, imported: ImportRecord) -> TableSpec:
    """Return the specification of an imported run's table."""
    own = {each.name.lower(): each.name for each in imported.foreign}
    numbers = [c.name for c in filled(run) if c.type in {"BIGINT", "DOUBLE"}]
    spoken_for = {name.lower() for name in (*_key(imported), *_sources(imported))}
    columns = [_metric(name) for name in METRICS if name in numbers and name not in own]
    columns += [
        TableColumn(title=f"median {own[lower]}", value=quoted(own[lower], '"') + ".median")
        for lower in map(str.lower, numbers)
        if lower in own and lower not in spoken_for
    ]
    left = len(columns) - _MOST_COLUMNS
    return TableSpec(
        title="As imported",
        by=_by(run, imported),
        columns=tuple(columns[:_MOST_COLUMNS]) or (TableColumn(title="cells", value="count"),),
        note=f"{counted(left, 'further column')} of numbers: `benchctl query` reaches them."
        if left > 0
        else "",
    )


def fitted(spec: TableSpec, run: StoredRun) -> TableSpec:
    """Return a built-in table without the columns whose metric the import does not have: of those, zero would be a guess."""
    known = {column.name for column in filled(run)}
    columns = tuple(
        each for each in spec.columns if not set(_NAMES.findall(each.value)) & set(METRICS) - known
    )
    return spec.model_copy(update={"columns": columns or spec.columns[:1]})


def _metric(name: str) -> TableColumn:
    title = METRICS[name].title.lower()
    if name in _AVERAGED:
        return TableColumn(title=f"mean {title}", value=f"{name}.mean")
    return TableColumn(title=f"median {title}", value=f"{name}.median")


def _sources(imported: ImportRecord) -> set[str]:
    """Return the own columns that a standard one was filled from, so that no figure stands twice."""
    mapped = set(imported.mapped.values())
    return {each.name for each in imported.foreign if each.source in mapped}


def _key(imported: ImportRecord) -> list[str]:
    """Return the own columns that name a row, as the run calls them; the mapped ones are standard columns."""
    mapped = set(imported.mapped.values())
    return [
        each.name for each in imported.foreign if each.source in imported.key and each.source not in mapped
    ]


def _by(run: StoredRun, imported: ImportRecord) -> tuple[str, ...]:
    """Return what makes a row of the table: what differs, as long as the table stays one that is read."""
    spelt = {column.name.lower(): column.name for column in cell_columns(run)}
    keys = [spelt[name.lower()] for name in _key(imported)]
    candidates = [name for name in (*_WHO, *keys) if _combinations(run, (name,))]
    several = [name for name in candidates if _combinations(run, (name,)) > 1] or candidates[:1]
    while several and not 0 < _combinations(run, several) <= _MOST_ROWS:
        several.pop()
    if several:
        return tuple(several)
    return next(((name,) for name in _ELSE if 0 < _combinations(run, (name,)) <= _MOST_ROWS), ("run",))


def _combinations(run: StoredRun, names: Sequence[str]) -> int:
    """Return how many combinations occur, counted no further than it matters."""
    return len(distinct(run, names, _MOST_ROWS + 1))
