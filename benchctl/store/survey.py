"""Every folder of a store, the sound runs and the rest: one damaged run must not hide the others."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchctl.errors import BenchctlError, RunIdInvalidError, StoreDamagedError, StoreNewerError, Where

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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


def survey(store: Store) -> Survey:
    """Return every run and every folder that is none. Raises StoreDamagedError where `runs` is no folder."""
    runs: list[StoredRun] = []
    unreadable: list[Unreadable] = []
    for folder in store.folders():
        try:
            run = _run(store, folder)
        except (StoreDamagedError, StoreNewerError) as error:
            unreadable.append(Unreadable(os.fsencode(folder.name).decode("utf-8", "replace"), error))
        else:
            runs += [run] if run else []
    return Survey(tuple(runs), tuple(unreadable))


def _run(store: Store, folder: Path) -> StoredRun | None:
    """Return the run of a folder; None for an empty one, or one that a cut start has left."""
    try:
        run = store.find(folder.name)
    except RunIdInvalidError as error:
        if folder.is_dir() and not any(folder.iterdir()):
            return None
        raise StoreDamagedError(
            "a folder of this name cannot be a run's",
            where=Where(os.fsencode(folder).decode("utf-8", "replace")),
            expected=error.expected,
            next_step="give it the run's own id back, or move it out of the runs",
        ) from error
    if run:
        _ = run.record  # of an open run, nobody has read it yet
    return run


def refuse_unreadable(unreadable: Sequence[Unreadable], runs: int) -> None:
    """Raise StoreDamagedError that names what could not be read, once the sound runs have been told."""
    if unreadable:
        names = ", ".join(dict.fromkeys(each.name for each in unreadable))
        raise StoreDamagedError(
            f"{len(unreadable)} of {runs + len(unreadable)} runs cannot be read: {names}",
            next_step="`benchctl verify-store` names each file; restore it from a copy; nothing has been changed",
        )
