"""A view of some runs as a frame: its rows where they are stored, and what each column means."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchctl.errors import TableUnknownError
from benchctl.schema.imported import foreign_columns
from benchctl.schema.result import VIEWS, Column
from benchctl.store.frames.frame import Frame
from benchctl.store.frames.frame_source import OfView
from benchctl.store.relations.files import FURTHER
from benchctl.store.relations.own_columns import further_of, own_columns
from benchctl.store.relations.views import named_view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchctl.store.reader import StoredRun
    from benchctl.store.relations.views import View

__all__ = ["view_frame"]


def view_frame(
    runs: Sequence[StoredRun], name: str, *, cell: str | None = None, generation: int | None = None
) -> Frame:
    """Return a view, or a further table that any of the runs has, as queries see it.

    `generation` takes the grades of `cells` up to that one. Raises TableUnknownError, StoreDamagedError,
    and GenerationUnknownError where the rows are asked for.
    """
    table = _table(runs, name)
    own = own_columns(runs, table)
    view, notes = named_view(table, own, [run.id for run in runs])
    digests = {run.id: run.data_digest for run in runs}
    source = OfView(runs, view, cell=cell, generation=generation)
    columns = _columns([run for run in runs if run.id in own], view)
    return Frame(view.name, columns, digests, source, notes=notes)


def _table(runs: Sequence[StoredRun], name: str) -> str:
    if name in VIEWS:
        return name
    further = further_of(runs)
    if name.lower() in further:
        return f"{FURTHER}{name.lower()}"
    known = ", ".join([*VIEWS, *sorted(further.values())])
    raise TableUnknownError(f"no table {name!r} in these runs", expected=f"one of: {known}")


def _columns(with_own: Sequence[StoredRun], view: View) -> tuple[Column, ...]:
    """Return what each column means: as the schema says, or as the import that it came with does."""
    meant = {column.name.lower(): column for column in VIEWS.get(view.table, ())}
    if view.table == "cells":
        imports = [run.record.imported for run in with_own if run.record.imported]
        meant = {name: _of_imports(column) if imports else column for name, column in meant.items()}
        meant |= {each.name.lower(): each for one in imports for each in foreign_columns(one)[1:]}
    columns = []
    for output in view.outputs:
        known = meant.get(output.name.lower(), _IMPORTED)
        columns.append(Column(output.name, output.type, known.meaning, known.unit, known.null))  # type: ignore[arg-type]
    return tuple(columns)


_IMPORTED = Column("", "VARCHAR", "As it was imported.", None, "no value")
_ALWAYS = frozenset({"run", "cell", "order"})


def _of_imports(column: Column) -> Column:
    """Return a standard column as it is beside imported rows: null there where nobody recorded it."""
    if column.name in _ALWAYS:
        return column
    return replace(column, null=" or ".join(filter(None, (column.null, "the import does not say"))))
