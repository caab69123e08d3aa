"""A further generation of a closed run: new files, and a manifest that lists everything anew and names the one before.

Under the run's lock, in this order: temporary files, a note of what they will be called
(`journal/addition.json`), their names, the manifest, the removal of what it says is removed, and
last the note. Until the manifest stands the run reads as before; once it stands, as after.
Whoever comes next under the lock sweeps what a death has left: of an addition without a manifest
the files that its own note names, byte for byte, and no others.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchctl import __version__
from benchctl.errors import (
    BenchctlError,
    RunBusyError,
    RunOpenError,
    StoreDamagedError,
    StoreExistsError,
    StoreUnwritableError,
    Where,
)
from benchctl.schema.canonical import canonical_json
from benchctl.schema.result import SCHEMA_VERSION
from benchctl.store.disk.durable import (
    TEMPORARY,
    create_once,
    fsync_file,
    link_once,
    unwritable,
)
from benchctl.store.disk.entries import FileEntry, RemovedEntry, TableEntry, data_digest, file_entry
from benchctl.store.disk.manifest import Manifest, newest_manifest
from benchctl.store.journals.fold import sweep_journal
from benchctl.store.journals.lock import RunLock
from benchctl.store.writing.sweeping import finish_removal, sweep_addition
from benchctl.store.writing.tables import entries_after

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchctl.store.disk.layout import RunLayout

__all__ = ["Addition", "add_generation", "adding"]

_WAIT_S: Final = 10.0
_PAUSE_S: Final = 0.05


def add_generation(
    layout: RunLayout,
    files: Mapping[str, bytes | Path],
    *,
    tables: Mapping[str, TableEntry] | None = None,
    remove: Mapping[str, str] | None = None,
) -> Manifest:
    """Add files to a closed run, remove others, and return the new manifest.

    `files` is path inside the run -> content, or a temporary file that is moved; `tables` the entries of
    further tables among them, by `tables/<name>`; `remove` path -> why. The entries of the run's own tables
    and the data digest are made anew. Raises RunOpenError, RunBusyError where another writer does not end
    soon, StoreExistsError for a name that is taken, StoreDamagedError, StoreUnwritableError; whichever, the
    run is as it was.
    """
    with adding(layout) as addition:
        return addition.commit(files, tables=tables, remove=remove)


@contextmanager
def adding(layout: RunLayout) -> Iterator[Addition]:
    """Hold the lock of a closed run that nobody else is adding to, what a dead writer left swept away."""
    layout.refuse_remote()
    _refuse_open(layout, newest_manifest(layout))
    lock = _lock(layout)
    try:
        newest = _refuse_open(layout, newest_manifest(layout))
        try:
            sweep_addition(layout, newest)
        except StoreDamagedError:
            _leave_as_it_was(layout)
            raise
        try:
            yield Addition(layout, newest)
        finally:
            with suppress(BenchctlError):  # what cannot be swept now is swept by whoever comes next
                sweep_addition(layout, newest_manifest(layout) or newest)
                sweep_journal(layout)
    finally:
        lock.release()


def _leave_as_it_was(layout: RunLayout) -> None:
    """Remove the folder that only our own lock is in; a note or a journal that is there stays as evidence."""
    if [path.name for path in layout.journal.iterdir()] == [layout.lock.name]:
        with suppress(BenchctlError):
            sweep_journal(layout)


def _refuse_open(layout: RunLayout, newest: Manifest | None) -> Manifest:
    if newest is None:
        raise RunOpenError(
            f"run {layout.folder.name} is not closed, and only a closed run is added to",
            where=Where(str(layout.folder)),
            next_step="finish it with `benchctl run`, then repeat this",
        )
    return newest


def _lock(layout: RunLayout) -> RunLock:
    """Return the run's lock; another addition lasts a moment, so it is waited for."""
    deadline = time.monotonic() + _WAIT_S
    while True:
        try:
            return RunLock(layout.lock, layout.folder.name)
        except (RunBusyError, StoreUnwritableError) as error:
            # The one before us may remove the folder while we are opening our file in it.
            gone = isinstance(error.__cause__, FileNotFoundError)
            if time.monotonic() >= deadline or not (gone or isinstance(error, RunBusyError)):
                raise
            time.sleep(_PAUSE_S)


@dataclass(frozen=True, slots=True)
class Addition:
    """The right to add to a run: `newest` is what it is now, and `scratch` a folder on its disk that is swept."""

    layout: RunLayout
    newest: Manifest

    @property
    def generation(self) -> int:
        """Return the number of the manifest that is to come."""
        return self.newest.generation + 1

    @property
    def scratch(self) -> Path:
        """Return the folder for temporary files."""
        return self.layout.journal

    def commit(
        self,
        files: Mapping[str, bytes | Path],
        *,
        tables: Mapping[str, TableEntry] | None = None,
        remove: Mapping[str, str] | None = None,
    ) -> Manifest:
        """Write the generation and return its manifest, as `add_generation` says."""
        self._refuse_taken(files)
        entries, ready = self._prepare(files)
        manifest = self._manifest(entries, ready, tables or {}, remove or {})
        self.note(self.generation, entries)
        for name, temporary in ready.items():
            link_once(temporary, self.layout.folder / name)
        create_once(self.layout.manifest(self.generation), manifest.to_bytes(), self.scratch)
        finish_removal(self.layout, manifest)
        return manifest

    def note(self, generation: int, files: Mapping[str, FileEntry]) -> None:
        """Note, before any of them has its name, which files are to come and with which manifest."""
        said = {"generation": generation, "files": {name: [e.bytes, e.sha256] for name, e in files.items()}}
        create_once(self.layout.addition, canonical_json(said) + b"\n", self.scratch)

    def _refuse_taken(self, files: Mapping[str, bytes | Path]) -> None:
        for name in files:
            path = self.layout.folder / name
            if os.path.lexists(path) or name in self.newest.removed:
                raise StoreExistsError(
                    "the file is already there, and files of a run are written once"
                    if os.path.lexists(path)
                    else "a file of this name was removed for good",
                    where=Where(str(path)),
                    next_step="read the run again, and repeat the command; nothing was changed",
                )

    def _prepare(self, files: Mapping[str, bytes | Path]) -> tuple[dict[str, FileEntry], dict[str, Path]]:
        """Return each file's entry, and its bytes in a flushed temporary file of the run."""
        entries, ready = {}, {}
        for nth, (name, content) in enumerate(files.items()):
            temporary = self.scratch / f"{nth}.{os.getpid()}{TEMPORARY}"
            with unwritable(temporary):
                if isinstance(content, bytes):
                    temporary.write_bytes(content)
                else:
                    _move(content, temporary)
                fsync_file(temporary)
                entries[name] = file_entry(temporary)
            ready[name] = temporary
        return entries, ready

    def _manifest(
        self,
        entries: Mapping[str, FileEntry],
        ready: Mapping[str, Path],
        tables: Mapping[str, TableEntry],
        remove: Mapping[str, str],
    ) -> Manifest:
        """Return the next manifest. What is not touched is carried on as it was said, never hashed anew: damage must stay damage."""
        before, newest = self.layout.manifest(self.newest.generation), self.newest
        kept = {name: entry for name, entry in newest.files.items() if name not in remove}
        gone = {
            name: RemovedEntry(entry.bytes, entry.sha256, remove[name], self.generation)
            for name, entry in newest.files.items()
            if name in remove
        }
        files = {**kept, **entries, before.name: file_entry(before)}
        found = entries_after(self.layout, newest, frozenset(files), ready) | dict(tables)
        return Manifest(
            run=newest.run,
            generation=self.generation,
            previous=newest.digest,
            benchctl=__version__,
            rows_schema=max(newest.rows_schema, SCHEMA_VERSION),
            data=data_digest(found),
            tables=dict(sorted(found.items())),
            files=dict(sorted(files.items())),
            removed=dict(sorted({**newest.removed, **gone}.items())),
        )


def _move(source: Path, temporary: Path) -> None:
    """Give a file another name; from another disk its bytes are copied."""
    try:
        os.link(source, temporary)
    except OSError:
        shutil.copyfile(source, temporary)
    source.unlink()
