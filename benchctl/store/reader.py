"""What is in a store: its runs, and each run's record, rows, answer key and transcripts.

Reads open runs from their journals and closed ones from their tables, the manifest verified
first; nothing here writes.
"""

from __future__ import annotations

import difflib
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
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
from benchctl.schema.names import RUN_ID, check_run_id
from benchctl.schema.run import RUN_SCHEMA, RunRecord
from benchctl.store.history import History, read_history
from benchctl.store.layout import RunLayout
from benchctl.store.loaded import loaded
from benchctl.store.lock import Collector, read_collector
from benchctl.store.manifest import Manifest
from benchctl.store.outside import parse_json, read_regular
from benchctl.store.relations import connect, fetch
from benchctl.store.state import standing
from benchctl.store.trust import trusted

if TYPE_CHECKING:
    from benchctl.store.rows import Row

__all__ = ["Progress", "Store", "StoredRun", "connect", "read_record"]


def read_record(layout: RunLayout) -> RunRecord:
    """Return a run's record as the file says it. Raises StoreDamagedError, or StoreNewerError for a later schema."""
    from pydantic import ValidationError

    try:
        data: dict[str, Any] = parse_json(read_regular(layout.record))
        if isinstance(data.get("schema"), int) and data["schema"] > RUN_SCHEMA:
            raise StoreNewerError(
                f"the run was started by a newer benchctl (record schema {data['schema']})",
                where=Where(str(layout.record)),
                next_step="update benchctl; nothing has been changed",
            )
        return RunRecord.model_validate(data)
    except (OSError, ValueError, AttributeError, RecursionError, ValidationError) as error:
        raise StoreDamagedError(
            f"the run record cannot be read: {str(error).splitlines()[0]}",
            where=Where(str(layout.record)),
            next_step="restore the file from a copy; `benchctl verify-store` checks every file",
        ) from error


@lru_cache(maxsize=4)
def _sealed_record(folder: Path, sha256: str) -> RunRecord:  # noqa: ARG001 - what makes two reads the same
    """Return the record of a closed run, whose bytes were just verified to be these; it is read once."""
    return read_record(RunLayout(folder))


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
            path = trusted(self.layout, self.manifest, "run.json")
            return _sealed_record(path.parent, self.manifest.files["run.json"].sha256)
        return read_record(self.layout)

    def current(self) -> StoredRun:
        """Return the run as it is now: an open one may have been closed since it was looked up."""
        return replace(self, manifest=standing(self.layout).manifest)

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
        with loaded((self,), (table,)) as connection:
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
        path = trusted(self.layout, self.manifest, "evidence/gold.json")
        try:
            return {question: tuple(items) for question, items in parse_json(read_regular(path)).items()}
        except (ValueError, AttributeError, TypeError) as error:
            raise StoreDamagedError(f"not an answer key: {error}", where=Where(str(path))) from error


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

    def folders(self) -> list[Path]:
        """Return every folder where runs are, sorted, whatever it holds. Raises StoreDamagedError where there is none to be."""
        try:
            return sorted(path for path in self.runs_dir.iterdir() if path.is_dir() or path.is_symlink())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreDamagedError(
                f"cannot be read: {error.strerror}",
                where=Where(str(self.runs_dir)),
                expected="a folder of runs",
                next_step="move the file away, or restore the folder from a copy",
            ) from error

    def names(self) -> tuple[str, ...]:
        """Return the ids of the runs that exist, sorted; a folder without a record is no run."""
        return tuple(
            path.name
            for path in self.folders()
            if RUN_ID.fullmatch(path.name) and (path / "run.json").exists()
        )

    def runs(self) -> list[StoredRun]:
        """Return every run, by id. Raises StoreDamagedError where one is not sound; `survey` tells them apart."""
        return [self.run(name) for name in self.names()]

    def find(self, run_id: str) -> StoredRun | None:
        """Return one run, None where there is none. Raises RunIdInvalidError, StoreDamagedError, StoreNewerError."""
        layout = self.layout(run_id)
        found = standing(layout)
        return None if found.state == "absent" else StoredRun(run_id, layout, found.manifest)

    def run(self, run_id: str) -> StoredRun:
        """Return one run. Raises RunUnknownError with near ids, and what `find` raises."""
        run = self.find(run_id)
        if run is None:
            near = difflib.get_close_matches(run_id, self.names(), n=3, cutoff=0.5)
            raise RunUnknownError(
                f"no run {run_id!r} in {self.path}",
                expected=f"such as {', '.join(near)}" if near else None,
                next_step="`benchctl runs` lists them",
            )
        return run
