"""What is in a store: its runs, and each run's record, rows, answer key and transcripts.

Reads open runs from their journals and closed ones from their tables, the manifest verified
first; nothing here writes.
"""

from __future__ import annotations

import difflib
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from benchctl.errors import (
    CellUnknownError,
    RunClosedError,
    RunUnknownError,
    StoreDamagedError,
    Where,
)
from benchctl.schema.names import RUN_ID, check_run_id
from benchctl.store.disk.layout import RunLayout
from benchctl.store.disk.manifest import Manifest
from benchctl.store.disk.record import read_record
from benchctl.store.disk.untrusted import parse_json, read_regular
from benchctl.store.disk.verified_file import trusted
from benchctl.store.journals.following import read_history
from benchctl.store.journals.history import History
from benchctl.store.journals.lock import Collector, held_unseen, read_collector, read_collectors
from benchctl.store.journals.state import standing
from benchctl.store.relations.connection import connect, fetch
from benchctl.store.relations.loaded import loaded

if TYPE_CHECKING:
    from benchctl.schema.run import RunRecord
    from benchctl.store.disk.rows import Row

__all__ = ["Progress", "Store", "StoredRun", "connect"]


@lru_cache(maxsize=4)
def _sealed_record(path: Path, sha256: str) -> RunRecord:  # noqa: ARG001 - what makes two reads the same
    """Return the record of a closed run, whose bytes were just verified to be these; it is read once."""
    return read_record(RunLayout(path.parent), path)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. `running` is (cell, attempt, started_at) of what has started and not ended.

    `outcomes` is each finished cell's. `collector` is who collects the run, or collected it last, None for a
    closed run; ask its `alive`. `collectors` are all who live, for several may share a run. `stopped` is why the
    last one left the run open, None where it said nothing of that. `unseen` is whether somebody collects it who
    cannot be seen from here.
    """

    planned: int
    finished: int
    outcomes: dict[str, str]
    running: tuple[tuple[str, int, str], ...]
    collector: Collector | None
    collectors: tuple[Collector, ...] = ()
    stopped: str | None = None
    unseen: bool = False


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
            name = self.manifest.record
            path = trusted(self.layout, self.manifest, name)
            return _sealed_record(path, self.manifest.files[name].sha256)
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
            living = read_collectors(self.layout.journal)
            collector = living[0] if living else read_collector(self.layout.lock)
            running = tuple(history.running())
            unseen = not living and held_unseen(self.layout.lock)
            return Progress(
                planned, len(outcomes), outcomes, running, collector, living, history.stopped, unseen
            )
        outcomes = {str(row["cell"]): str(row["outcome"]) for row in self.cells()}
        return Progress(planned, len(outcomes), outcomes, (), None)

    def cells(self, generation: int | None = None) -> list[Row]:
        """Return the rows of the view `cells` in the recorded order: the standard columns, whatever was imported.

        Their grades are the newest, or as they were up to `generation`. Raises GenerationUnknownError.
        """
        return self.rows("cells", 'ORDER BY "order"', generation=generation)

    def rows(
        self,
        table: str,
        tail: str = "",
        parameters: tuple[object, ...] = (),
        *,
        generation: int | None = None,
    ) -> list[Row]:
        """Return rows of one view of `schema.result.VIEWS`; `tail` is our own SQL, never a user's."""
        with loaded((self,), (table,), generation=generation) as connection:
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
        name = self.manifest.current("evidence/gold.json") or "evidence/gold.json"
        path = trusted(self.layout, self.manifest, name)
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
    def place(self) -> str:
        """Return where the store is, as a person would name it: its folder, or its URL."""
        return str(self.path)

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
            with os.scandir(self.runs_dir) as entries:
                # A link is asked first: where it leads, if anywhere, is nothing that could stop us here.
                names = sorted(each.name for each in entries if each.is_symlink() or each.is_dir())
            return [self.runs_dir / name for name in names]
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
            if RUN_ID.fullmatch(path.name) and RunLayout(path).record.exists()
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
                f"no run {run_id!r} in {self.place}",
                expected=f"such as {', '.join(near)}" if near else None,
                next_step="`benchctl runs` lists them",
            )
        return run
