"""One run as its pages need it: read once, however many cells are shown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from benchctl.publish.texts import HEAD_CHARACTERS, TAIL_CHARACTERS, joined
from benchctl.report.asked import suite_of
from benchctl.report.builtin import BUILTIN_TABLES
from benchctl.report.cell_rows import cell_columns, cell_rows, filled
from benchctl.report.goals import GoalVerdict, goal_verdicts
from benchctl.report.tables import build_table, named_table
from benchctl.store.relations.connection import connect

if TYPE_CHECKING:
    from pathlib import Path

    from benchctl.report.shape import Table
    from benchctl.schema.result import Column
    from benchctl.schema.run import RunRecord
    from benchctl.schema.suite import Question, Suite
    from benchctl.store.project import Project
    from benchctl.store.reader import StoredRun

__all__ = ["MOST_CELL_PAGES", "FactGroup", "RunView"]

MOST_CELL_PAGES = 1000
"""An import of more rows gets no page a row: a site of 100,000 pages is built for nobody."""

_TRANSCRIPT_COLUMNS = (
    "cell",
    "attempt",
    "stream",
    "total_bytes",
    "dropped_bytes",
    "start",
    "tail",
    "characters",
)
_TRANSCRIPTS = """
SELECT cell, attempt, stream, total_bytes, dropped_bytes, left(text, $1), right(text, $2), length(text)
FROM transcripts ORDER BY cell, attempt, stream
"""
_STATES = (("hit", "Found"), ("missed", "Missed"), ("extra", "Not asked for"))


@dataclass(frozen=True, slots=True)
class FactGroup:
    """What a grader found of one kind: `facts` are {id, state, note}."""

    state: str
    title: str
    facts: tuple[dict[str, str], ...]


class RunView:
    """The rows, record and tables of one run, each read when it is first asked for."""

    def __init__(self, project: Project, run: StoredRun) -> None:
        self.project = project
        self.run = run
        self._builtin: dict[str, Table] = {}

    @property
    def drawings(self) -> Path:
        """Return the folder where drawn charts are kept from one build to the next."""
        return self.project.root / "build" / "charts"

    @property
    def id(self) -> str:
        """Return the run's id."""
        return self.run.id

    @cached_property
    def record(self) -> RunRecord:
        """Return the run's record."""
        return self.run.record

    @cached_property
    def goals(self) -> tuple[GoalVerdict, ...]:
        """Return what the rows say of the run's goals."""
        return goal_verdicts(self.project.store, self.run)

    @cached_property
    def suite(self) -> Suite | None:
        """Return the suite as the run kept it."""
        return suite_of(self.run)

    @cached_property
    def cells(self) -> dict[str, dict[str, Any]]:
        """Return the rows of `cells` by name, the standard columns alone, in the recorded order."""
        return {str(row["cell"]): row for row in self.run.cells()}

    @cached_property
    def shown(self) -> dict[str, dict[str, Any]]:
        """Return the same with the own columns of an imported run."""
        return {str(row["cell"]): row for row in cell_rows(self.run)} if self.record.imported else self.cells

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Return the columns of `shown`; of an imported run those that have a value."""
        return filled(self.run) if self.record.imported else cell_columns(self.run)

    @property
    def cells_with_page(self) -> tuple[str, ...]:
        """Return the cells that have a page: every one, and of a big import none."""
        imported = self.record.imported
        return () if imported and imported.rows > MOST_CELL_PAGES else tuple(self.cells)

    @cached_property
    def attempts(self) -> dict[str, list[dict[str, Any]]]:
        """Return the attempts by cell, in order."""
        return _by_cell(self.run.rows("attempts", "ORDER BY cell, attempt"))

    @cached_property
    def grades(self) -> dict[str, list[dict[str, Any]]]:
        """Return the grades by cell, the newest generation first."""
        return _by_cell(self.run.rows("grades", "ORDER BY cell, generation DESC"))

    @cached_property
    def transcripts(self) -> dict[str, list[dict[str, Any]]]:
        """Return what attempts wrote, by cell and in order, each text cut to what a page shows.

        The cut is made in the query: whole transcripts of a run may not fit into memory twice.
        """
        with connect((self.run,), ("transcripts",)) as connection:
            found = connection.execute(
                _TRANSCRIPTS, [HEAD_CHARACTERS + TAIL_CHARACTERS, TAIL_CHARACTERS]
            ).fetchall()
        streams = [dict(zip(_TRANSCRIPT_COLUMNS, values, strict=True)) for values in found]
        for stream in streams:
            stream["text"] = joined(stream.pop("start"), stream.pop("tail"), stream.pop("characters"))
        return _by_cell(streams)

    def table(self, name: str) -> Table:
        """Return a table of this run: the project's own of that name, else the built-in one."""
        return named_table(self.project.store, self.id, name, self.project.config)

    def builtin(self, name: str) -> Table:
        """Return a built-in table, whatever the project has put in its place: pages and charts rely on its columns."""
        if name not in self._builtin:
            self._builtin[name] = build_table(self.project.store, self.id, name, BUILTIN_TABLES[name])
        return self._builtin[name]

    def question(self, question: str) -> Question | None:
        """Return a question of the suite; None where the run's copy does not hold it."""
        return (
            next((each for each in self.suite.questions if each.id == question), None) if self.suite else None
        )

    def facts(self, cell: str) -> tuple[FactGroup, ...]:
        """Return what the newest grade found, by kind; a kind of a later grader comes last, under its own name."""
        newest = next(iter(self.grades.get(cell, [])), None)
        facts: list[dict[str, str]] = json.loads(newest["facts"] or "[]") if newest else []
        known = {state for state, _ in _STATES}
        others = sorted({fact["state"] for fact in facts} - known)
        kinds = (*_STATES, *((state, state) for state in others))
        return tuple(
            FactGroup(
                state if state in known else "other",
                title,
                tuple(fact for fact in facts if fact["state"] == state),
            )
            for state, title in kinds
        )


def _by_cell(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        grouped.setdefault(str(row["cell"]), []).append(row)
    return grouped
