"""The store for Python programs and notebooks: `benchctl.open_store` and what it returns.

    store = benchctl.open_store("data")
    store.runs
    store.cells("callers-v1-demo").df()

Nothing here writes. A file is hashed against its run's manifest before it is read.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.errors import StoreNotFoundError
from benchctl.schema.result import Column
from benchctl.store.frames.frame import Frame
from benchctl.store.frames.frame_source import of_rows
from benchctl.store.frames.sql_frame import asked
from benchctl.store.frames.view_frame import view_frame
from benchctl.store.project import PROJECT_FILE, Project
from benchctl.store.reader import Store, StoredRun
from benchctl.store.relations.own_columns import further_of
from benchctl.store.remote.address import is_url
from benchctl.store.survey import Unreadable, refuse_unreadable, survey

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchctl.schema.run import RunRecord

__all__ = ["RUN_LIST", "OpenedRun", "OpenedStore", "open_store"]

RUN_LIST: tuple[Column, ...] = (
    Column("id", "VARCHAR", "The run's id."),
    Column("state", "VARCHAR", "`closed`, `open` while it may grow, `damaged` or `newer` where it cannot be read."),
    Column("suite", "VARCHAR", "The suite's name.", None, "it cannot be read"),
    Column("created_at", "VARCHAR", "When it was started or imported, UTC, ISO 8601.", None, "it cannot be read"),
    Column("cells", "BIGINT", "The cells that were planned, or imported.", None, "it cannot be read"),
    Column("imported", "VARCHAR", "The file that it was imported from.", None, "it was collected"),
    Column("digest", "VARCHAR", "Its data digest, which pages pin.", None, "it is open"),
    Column("why", "VARCHAR", "Why it cannot be read.", None, "it can"),
)  # fmt: skip
"""The columns of `OpenedStore.runs`."""


class OpenedRun:
    """One run, as of the moment it was looked up: who it is, and its relations."""

    def __init__(self, store: OpenedStore, run: StoredRun) -> None:
        self._store = store
        self._run = run

    def __repr__(self) -> str:
        """Return its id, state and digest."""
        return f"<run {self.id}, {self.state}, {self.digest or 'no digest yet'}>"

    @property
    def id(self) -> str:
        """Return the run's id."""
        return self._run.id

    @property
    def state(self) -> str:
        """Return `open` while it may grow, else `closed`."""
        return self._run.state

    @property
    def digest(self) -> str | None:
        """Return the data digest that pages pin; None while it is open."""
        return self._run.data_digest

    @property
    def record(self) -> RunRecord:
        """Return the terms it was collected under, or where it was imported from. Raises StoreDamagedError."""
        return self._run.record

    def cells(self, *, generation: int | None = None) -> Frame:
        """Return one row a cell, as `OpenedStore.cells` does."""
        return self._store.cells(self.id, generation=generation)

    def attempts(self, cell: str | None = None) -> Frame:
        """Return one row an attempt."""
        return self._store.attempts(self.id, cell=cell)

    def grades(self, cell: str | None = None) -> Frame:
        """Return one row a grade, of every generation."""
        return self._store.grades(self.id, cell=cell)

    def transcripts(self, cell: str | None = None) -> Frame:
        """Return what the attempts wrote, one row a stream; of a big run, name the cell."""
        return self._store.transcripts(self.id, cell=cell)

    def table(self, name: str) -> Frame:
        """Return a view or a further table of the run. Raises TableUnknownError."""
        return self._store.table(name, self.id)


class OpenedStore:
    """A store that was opened for reading. `run` is one id, several, or None for every run."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __repr__(self) -> str:
        """Return where the store is and how many runs it holds."""
        return f"<store {self._store.place}, {len(self._store.names())} runs>"

    @property
    def runs(self) -> Frame:
        """Return the list of runs, oldest first; one that cannot be read is in it with the reason."""
        found = survey(self._store)
        rows = sorted(map(_line, found.runs), key=lambda row: (row[3], row[0]))
        rows += [_unreadable(each) for each in found.unreadable]
        return Frame(
            "runs", RUN_LIST, {run.id: run.data_digest for run in found.runs}, of_rows(RUN_LIST, rows)
        )

    def run(self, run: str) -> OpenedRun:
        """Return one run. Raises RunUnknownError with near ids, StoreDamagedError, StoreNewerError."""
        return OpenedRun(self, self._store.run(run))

    def cells(self, run: str | Iterable[str] | None = None, *, generation: int | None = None) -> Frame:
        """Return one row a cell in the recorded order, with its newest grade, or that of `generation`.

        An imported run's own columns stand behind the standard ones. Where one is of another type in another
        run, it is read as the least type that says both, which may round; a UserWarning says so. Raises
        RunUnknownError, and StoreDamagedError where a run cannot be read.
        """
        return self._view("cells", run, generation=generation)

    def attempts(self, run: str | Iterable[str] | None = None, *, cell: str | None = None) -> Frame:
        """Return one row an attempt."""
        return self._view("attempts", run, cell=cell)

    def grades(self, run: str | Iterable[str] | None = None, *, cell: str | None = None) -> Frame:
        """Return one row a grade, of every generation."""
        return self._view("grades", run, cell=cell)

    def transcripts(self, run: str | Iterable[str] | None = None, *, cell: str | None = None) -> Frame:
        """Return what the attempts wrote, one row a stream; of a big run, name the cell."""
        return self._view("transcripts", run, cell=cell)

    def table(self, name: str, run: str | Iterable[str] | None = None) -> Frame:
        """Return a view by its name (`cells`, `attempts`, …), or a further table that was imported with a run.

        Raises TableUnknownError for a name that is neither.
        """
        return self._view(name, run)

    def further(self, run: str | Iterable[str] | None = None) -> tuple[str, ...]:
        """Return the names of the further tables of these runs, sorted."""
        return tuple(sorted(further_of(self._chosen(run)).values()))

    def query(self, sql: str, *, runs: Iterable[str] | None = None) -> Frame:
        """Return the answer to one read-only SELECT over these runs, None for every run, as `benchctl query` gives it.

        DuckDB's own types stay; what the command prints as a warning is a UserWarning here. Raises
        QueryRefusedError for anything else, RunUnknownError for a run that is not there, and
        StoreDamagedError where a run is damaged that the statement reads.
        """
        return _warned(asked(self._store, sql, runs), above=1)

    def _view(
        self,
        name: str,
        run: str | Iterable[str] | None,
        *,
        cell: str | None = None,
        generation: int | None = None,
    ) -> Frame:
        runs = self._chosen(run)
        if cell is not None and runs:
            _ = [each.cell(cell) for each in runs[:1]]  # an unknown name is an error, and no empty frame
        return _warned(view_frame(runs, name, cell=cell, generation=generation), above=2)

    def _chosen(self, run: str | Iterable[str] | None) -> tuple[StoredRun, ...]:
        if run is None:
            found = survey(self._store)
            refuse_unreadable(found.unreadable, len(found.runs))
            return found.runs
        names = (run,) if isinstance(run, str) else tuple(dict.fromkeys(run))
        return tuple(self._store.run(name) for name in names)


def open_store(source: str | Path | None = None) -> OpenedStore:
    """Open a store for reading: a project's folder, a store's folder (with `runs/` in it), or a store's URL.

    None is the project that the working directory stands in. Raises StoreNotFoundError for a path that is
    none of these, ProjectNotFoundError, ProjectInvalidError, and what reading a URL raises.
    """
    if isinstance(source, str) and is_url(source):
        from benchctl.store.remote.remote_store import open_store_at

        return OpenedStore(open_store_at(source))
    if source is None:
        return OpenedStore(Project.find(Path()).store)
    folder = Path(source)
    if (folder / PROJECT_FILE).is_file():
        return OpenedStore(Project.find(folder).store)
    if (folder / "runs").is_dir():
        return OpenedStore(Store(folder))
    raise StoreNotFoundError(
        f"{folder} is no project and no store",
        expected=f"a folder with a {PROJECT_FILE} or with a folder `runs`, or a URL",
        next_step="`benchctl run` makes a store where there is a project; a new project has an empty benchctl.toml",
    )


def _warned(frame: Frame, *, above: int) -> Frame:
    """Return the frame, having warned of what its notes say: a program that never prints it must hear of it too.

    The warning is placed where this module was called, `above` calls above the one that asks for it.
    """
    for note in frame.notes:
        warnings.warn(note, UserWarning, stacklevel=above + 2)
    return frame


def _line(run: StoredRun) -> tuple[str | int | None, ...]:
    record = run.record
    cells = record.imported.rows if record.imported else len(record.cells)
    file = record.imported.file if record.imported else None
    return (run.id, run.state, record.suite, record.created_at, cells, file, run.data_digest, None)


def _unreadable(found: Unreadable) -> tuple[str | int | None, ...]:
    return (found.name, found.state, None, None, None, None, None, found.why)
