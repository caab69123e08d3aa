"""Every folder of a store, the sound runs and the rest: one damaged run must not hide the others."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchctl.errors import BenchctlError, RunIdInvalidError, StoreDamagedError, StoreNewerError, Where
from benchctl.schema.names import RUN_ID
from benchctl.store.disk.hash_memory import SAFE_HERE_S
from benchctl.store.disk.manifest import newest_manifest
from benchctl.store.disk.verified_file import MEMORIES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest
    from benchctl.store.reader import Store, StoredRun

__all__ = ["Survey", "Unreadable", "refuse_unreadable", "survey"]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A folder that cannot be read as a run, and why; `state` is `newer` for a run of a later program."""

    name: str
    error: BenchctlError

    @property
    def state(self) -> str:
        """Return `damaged` or `newer`."""
        return "newer" if isinstance(self.error, StoreNewerError) else "damaged"

    @property
    def why(self) -> str:
        """Return one line: the file, what is wrong with it, what was expected."""
        place = f"{self.error.where}: " if self.error.where else ""
        return f"{place}{self.error.what}" + (
            f"; expected {self.error.expected}" if self.error.expected else ""
        )


@dataclass(frozen=True, slots=True)
class Survey:
    """What a store holds: `runs` whose manifest and record are sound, by id, and what is none."""

    runs: tuple[StoredRun, ...]
    unreadable: tuple[Unreadable, ...]


def survey(store: Store, *, records: bool = True) -> Survey:
    """Return every run and every folder that is none. Raises StoreDamagedError where `runs` is no folder.

    Without `records` a closed run is told by its manifests alone, and its record is neither hashed nor read:
    of a thousand runs these are more bytes than the columns that a query wants. So damage in a record is not
    seen by who reads nothing of it, as that in any other file; `_refuse_lost_record` sees what costs no byte.
    """
    runs: list[StoredRun] = []
    unreadable: list[Unreadable] = []
    for folder in store.folders():
        try:
            run = (None if records else _told_by_manifest(store, folder)) or _run(store, folder)
        except (StoreDamagedError, StoreNewerError) as error:
            unreadable.append(Unreadable(_spoken(folder.name), error))
        except OSError as error:
            why = StoreDamagedError(f"cannot be read: {error.strerror}", where=Where(_spoken(folder)))
            unreadable.append(Unreadable(_spoken(folder.name), why))
        else:
            runs += [run] if run else []
    return Survey(tuple(runs), tuple(unreadable))


def _spoken(name: str | Path) -> str:
    """Return a name as text that can be printed, whatever its bytes are."""
    return os.fsencode(name).decode("utf-8", "replace")


def _run(store: Store, folder: Path) -> StoredRun | None:
    """Return the run of a folder; None for an empty one, or one that a cut start has left."""
    try:
        run = store.find(folder.name)
    except RunIdInvalidError as error:
        if folder.is_dir() and not any(folder.iterdir()):
            return None
        raise StoreDamagedError(
            "a folder of this name cannot be a run's",
            where=Where(_spoken(folder)),
            expected=error.expected,
            next_step="give it the run's own id back, or move it out of the runs",
        ) from error
    if run:
        _ = run.record  # of an open run, nobody has read it yet
    return run


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a closed run's folder was when its manifests were read: its own time, and each manifest's signature."""

    folder_ns: int
    manifests: dict[str, _Signature]
    manifest: Manifest
    record: str


_SEEN: dict[str, _Seen] = {}
MEMORIES.append(_SEEN)


def _told_by_manifest(store: Store, folder: Path) -> StoredRun | None:
    """Return a closed run by its manifests, read anew only where they changed; None for any other folder."""
    from benchctl.store.reader import StoredRun

    if not RUN_ID.fullmatch(folder.name):
        return None
    layout, place = store.layout(folder.name), str(folder)
    if layout.source is not None:
        return None
    seen = _SEEN.get(place)
    if seen is None or not _is_as_seen(place, seen):
        seen = _look(layout, place)
    if seen is None:
        return None
    _refuse_lost_record(layout, seen)
    return StoredRun(folder.name, layout, seen.manifest)


def _look(layout: RunLayout, place: str) -> _Seen | None:
    """Return what stands in a folder, remembered unless a file might be added in the tick that it was read in."""
    folder_ns, now = layout.folder.stat().st_mtime_ns, time.time_ns()
    paths = [str(layout.manifest(generation)) for generation in layout.generations()]
    signatures = {path: _signature(path) for path in paths}
    manifest = newest_manifest(layout)
    if manifest is None:
        return None
    record = manifest.record
    seen = _Seen(folder_ns, signatures, manifest, record)
    if folder_ns + int(SAFE_HERE_S * 1e9) < now:
        _SEEN[place] = seen
    return seen


def _is_as_seen(place: str, seen: _Seen) -> bool:
    """Return whether nothing was added to the folder and no manifest touched; a few system calls a run."""
    return os.stat(place).st_mtime_ns == seen.folder_ns and all(  # noqa: PTH116 - a thousand runs are looked at so
        _signature(path) == signature for path, signature in seen.manifests.items()
    )


_Signature = tuple[int, int, int]
"""Size, modification time and inode of a file; zeros where there is none."""


def _signature(path: str) -> _Signature:
    try:
        status = os.lstat(path)
    except OSError:
        return (0, 0, 0)
    return status.st_size, status.st_mtime_ns, status.st_ino


def _refuse_lost_record(layout: RunLayout, seen: _Seen) -> None:
    """Raise StoreDamagedError where the record is not even of the size that the manifest says."""
    wanted = seen.manifest.files.get(seen.record)
    path = f"{layout.folder}/{seen.record}"
    size = _signature(path)[0]
    if wanted is None or size != wanted.bytes:
        raise StoreDamagedError(
            f"the file is {size} bytes" if size else "missing",
            where=Where(path),
            expected=f"{wanted.bytes} bytes" if wanted else "a record that the manifest lists",
            next_step="restore the file from a copy; `benchctl verify-store` checks every file",
        )


def refuse_unreadable(unreadable: Sequence[Unreadable], runs: int) -> None:
    """Raise StoreDamagedError that names what could not be read, once the sound runs have been told."""
    if unreadable:
        names = ", ".join(dict.fromkeys(each.name for each in unreadable))
        raise StoreDamagedError(
            f"{len(unreadable)} of {runs + len(unreadable)} runs cannot be read: {names}",
            next_step="`benchctl verify-store` names each file; restore it from a copy; nothing has been changed",
        )
