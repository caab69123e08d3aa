"""What is in a store: its runs, and each run's record, rows, answer key and transcripts.

Reads open runs from their journals and closed ones from their tables, the manifest verified
first; nothing here writes.
"""

from __future__ import annotations

import difflib
import json
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benchctl.errors import (
    CellUnknownError,
    RunClosedError,
    RunUnknownError,
    StoreDamagedError,
    StoreNewerError,
    Where,
)
from benchctl.schema.names import check_run_id
from benchctl.schema.run import RUN_SCHEMA, RunRecord
from benchctl.store.history import History, read_history
from benchctl.store.layout import RunLayout
from benchctl.store.lock import Collector, read_collector
from benchctl.store.manifest import Manifest, newest_manifest
from benchctl.store.relations import connect, fetch
from benchctl.store.trust import trusted

if TYPE_CHECKING:
    from benchctl.store.rows import Row

__all__ = ["Progress", "Store", "StoredRun", "connect", "read_record"]


def read_record(layout: RunLayout) -> RunRecord:
    """Return a run's record as the file says it. Raises StoreDamagedError, or StoreNewerError for a later schema."""
    from pydantic import ValidationError

    try:
        data: dict[str, Any] = json.loads(layout.record.read_bytes())
        if isinstance(data.get("schema"), int) and data["schema"] > RUN_SCHEMA:
            raise StoreNewerError(
                f"the run was started by a newer benchctl (record schema {data['schema']})",
                where=Where(str(layout.record)),
                next_step="update benchctl; nothing has been changed",
            )
        return RunRecord.model_validate(data)
    except (OSError, ValueError, AttributeError, ValidationError) as error:
        raise StoreDamagedError(
            f"the run record cannot be read: {str(error).splitlines()[0]}",
            where=Where(str(layout.record)),
            next_step="restore the file from a copy; `benchctl verify-store` checks every file",
        ) from error


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. `running` is (cell, attempt, started_at) of what has started and not ended.

    `outcomes` is each finished cell's. `collector` is who collected last, None for a closed run;
    ask its `alive`.
    """

    planned: int
    finished: int
    outcomes: dict[str, str]
    running: tuple[tuple[str, int, str], ...]
    collector: Collector | None


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run of a store, as of the moment it was looked up. `data_digest` is None while it is open."""

    id: str
    layout: RunLayout
    manifest: Manifest | None

    @property
    def path(self) -> Path:
        """Return the run's folder."""
        return self.layout.folder

    @property
    def state(self) -> Literal["open", "closed"]:
        """Return whether the run can still grow."""
        return "open" if self.manifest is None else "closed"

    @property
    def data_digest(self) -> str | None:
        """Return the digest that pages pin: over cells, attempts and newest grades."""
        return self.manifest.data if self.manifest else None

    @property
    def record(self) -> RunRecord:
        """Return the run's record; of a closed run, verified. Raises StoreDamagedError or StoreNewerError."""
        if self.manifest:
            trusted(self.layout, self.manifest, "run.json")
        return read_record(self.layout)

    def current(self) -> StoredRun:
        """Return the run as it is now: an open one may have been closed since it was looked up."""
        return replace(self, manifest=newest_manifest(self.layout))

    def history(self) -> History:
        """Return what the journals of an open run say now; empty for a closed one.

        Raises RunClosedError where the run was closed since it was looked up: journals that are being
        removed one by one must not read as a run with fewer rows.
        """
        history = History()
        if self.manifest is None:
            with suppress(FileNotFoundError):
                history = read_history(self.layout.journal)
            if self.layout.generations():
                raise RunClosedError(f"run {self.id} was closed meanwhile", next_step="read it again")
        return history

    def progress(self) -> Progress:
        """Return how far the run is."""
        planned = len(self.record.cells)
        if self.manifest is None:
            try:
                history = self.history()
                outcomes = history.outcomes()
            except (RunClosedError, FileNotFoundError):
                return self.current().progress()
            collector = read_collector(self.layout.lock)
            return Progress(planned, len(outcomes), outcomes, tuple(history.running()), collector)
        outcomes = {str(row["cell"]): str(row["outcome"]) for row in self.cells()}
        return Progress(planned, len(outcomes), outcomes, (), None)

    def cells(self) -> list[Row]:
        """Return the rows of the view `cells` (newest grades included) in the recorded order."""
        return self.rows("cells", 'ORDER BY "order"')

    def rows(self, table: str, tail: str = "", parameters: tuple[object, ...] = ()) -> list[Row]:
        """Return rows of one view of `schema.result.VIEWS`; `tail` is our own SQL, never a user's."""
        with connect((self,), (table,)) as connection:
            return fetch(connection, table, tail, parameters)

    def cell(self, cell: str) -> Row:
        """Return one cell's row. Raises CellUnknownError with near names."""
        for row in self.rows("cells", "WHERE cell = ?", (cell,)):
            return row
        names = [planned.cell for planned in self.record.cells]
        near = difflib.get_close_matches(cell, names, n=3, cutoff=0.5)
        known = "it is planned and has no result yet" if cell in names else None
        raise CellUnknownError(
            f"no cell {cell!r} in run {self.id}",
            expected=known or (f"such as {', '.join(near)}" if near else None),
            next_step=f"`benchctl show {self.id}` lists them",
        )

    def attempts(self, cell: str) -> list[Row]:
        """Return one cell's attempts, in order."""
        return self.rows("attempts", "WHERE cell = ? ORDER BY attempt", (cell,))

    def grades(self, cell: str) -> list[Row]:
        """Return one cell's grades, newest generation first."""
        return self.rows("grades", "WHERE cell = ? ORDER BY generation DESC", (cell,))

    def transcripts(self, cell: str) -> list[Row]:
        """Return what one cell's attempts wrote: a row a stream, without loading the others' into memory."""
        with connect((self,), ("transcripts",), cell=cell) as connection:
            return fetch(connection, "transcripts", "ORDER BY attempt, stream")

    def gold(self) -> dict[str, tuple[str, ...]]:
        """Return each question's answer key; empty where none was derived or written down."""
        if self.manifest is None:
            try:
                return dict(self.history().gold)
            except RunClosedError:
                return self.current().gold()
        content = trusted(self.layout, self.manifest, "evidence/gold.json").read_bytes()
        return {question: tuple(items) for question, items in json.loads(content).items()}


class Store:
    """A folder of runs; it need not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __repr__(self) -> str:
        """Return the store's path."""
        return f"Store({str(self.path)!r})"

    @property
    def runs_dir(self) -> Path:
        """Return the folder that holds one folder a run."""
        return self.path / "runs"

    def layout(self, run_id: str) -> RunLayout:
        """Return where a run is or would be. Raises RunIdInvalidError."""
        return RunLayout(self.runs_dir / check_run_id(run_id))

    def names(self) -> tuple[str, ...]:
        """Return the ids of the runs that exist, sorted; a folder without a record is no run."""
        if not self.runs_dir.is_dir():
            return ()
        return tuple(sorted(path.parent.name for path in self.runs_dir.glob("*/run.json")))

    def runs(self) -> list[StoredRun]:
        """Return every run, by id. Raises StoreDamagedError where a manifest is not sound."""
        return [self.run(name) for name in self.names()]

    def run(self, run_id: str) -> StoredRun:
        """Return one run. Raises RunUnknownError with near ids, StoreDamagedError where its manifest is not sound."""
        layout = self.layout(run_id)
        if not layout.record.is_file() and not layout.generations():
            near = difflib.get_close_matches(run_id, self.names(), n=3, cutoff=0.5)
            raise RunUnknownError(
                f"no run {run_id!r} in {self.path}",
                expected=f"such as {', '.join(near)}" if near else None,
                next_step="`benchctl runs` lists them",
            )
        return StoredRun(run_id, layout, newest_manifest(layout))
