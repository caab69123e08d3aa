"""What expressions over some runs can name, each table looked up when a probe first asks for it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from benchctl.errors import ColumnUnknownError
from benchctl.expressions import near
from benchctl.schema.result import VIEWS, Column
from benchctl.store.measuring.columns import relation
from benchctl.store.relations.connection import is_big
from benchctl.store.relations.files import FURTHER
from benchctl.store.relations.own_columns import further_of, own_columns
from benchctl.store.relations.views import View, measured_view, own_output, standard_output, standard_view

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchctl.store.measuring.columns import Read, Relation
    from benchctl.store.relations.loadable import Loadable
    from benchctl.store.relations.views import Output

__all__ = ["Catalogue"]


class Catalogue:
    """The columns and tables of some runs, by run id; runs may join while it is used."""

    def __init__(self, runs: Mapping[str, Loadable]) -> None:
        self._runs = runs
        self._own: dict[tuple[str, str], tuple[Column, ...] | None] = {}
        self._relations: dict[tuple[str | None, tuple[str, ...]], Relation] = {}

    def relation(self, table: str | None, runs: tuple[str, ...]) -> Relation:
        """Return what `table::` is in these runs, the cells for None. Raises ColumnUnknownError, StoreDamagedError."""
        key = (table, runs)
        if key not in self._relations:
            name = table or "cells"
            stored = name if name in VIEWS else f"{FURTHER}{name.lower()}"
            if stored != name and stored.removeprefix(FURTHER) not in self._further(runs):
                tables = (*VIEWS, *self._further(runs).values())
                raise ColumnUnknownError(
                    f"no table `{name}` in this run", expected=near(name, tables) or ", ".join(tables)
                )
            self._relations[key] = relation(table, self._own_of(stored, runs), runs)
        return self._relations[key]

    def _further(self, runs: Iterable[str]) -> dict[str, str]:
        return further_of([self._runs[name] for name in runs])

    def _own_of(self, stored: str, runs: Iterable[str]) -> dict[str, tuple[Column, ...]]:
        """Return run -> its own columns in a table, as far as it has any, each run looked at once."""
        new = [self._runs[name] for name in runs if (stored, name) not in self._own]
        found = own_columns(new, stored)
        self._own |= {(stored, run.id): found.get(run.id) for run in new}
        return {name: own for name in runs if (own := self._own[stored, name]) is not None}

    def views(self, runs: Sequence[Loadable], reads: Iterable[tuple[Read, ...]]) -> list[View]:
        """Return what has to be loaded of these runs for probes that read this.

        Of small runs that is every column, so that the next page finds it loaded.
        """
        wanted: dict[str, set[Output]] = defaultdict(set)
        for each in reads:
            for table, output in each:
                wanted[table].add(output)
        wanted["cells"].add(standard_output(VIEWS["cells"][0]))
        if not is_big(runs, [View(table, table, ()) for table in wanted]):
            for table in wanted:
                wanted[table] |= self._every(table, runs)
        return [measured_view(table, wanted[table]) for table in sorted(wanted)]

    def _every(self, table: str, runs: Sequence[Loadable]) -> set[Output]:
        own = self._own_of(table, [run.id for run in runs])
        outputs = {own_output(column) for columns in own.values() for column in columns}
        return outputs | (set(standard_view(table).outputs) if table in VIEWS else set())
