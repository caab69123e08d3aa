"""The other writers of a run that several share: who lives, what they have journalled, and whose turn it is.

A cell is claimed in turn: whoever claims holds the turn's lock, reads what the others have
journalled, and appends its start before it gives the turn back. What is claimed belongs to
its writer until it is finished or the writer is dead, and a writer is dead when nobody holds
its journal any more: the kernel sees to that, whatever happened to the process.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from benchctl.store.disk.durable import make_folder, unwritable
from benchctl.store.journals.following import Following
from benchctl.store.journals.journal import journals

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.journals.history import History

__all__ = ["Fellows", "joining"]


def joining(layout: RunLayout, *, shared: bool) -> AbstractContextManager[None]:
    """Hold the turn of a run, a file in its journals' folder; whoever has the run alone needs none.

    It is waited for: others keep it for a few fsyncs, the last one until the run is closed.
    """
    return _turn(layout.turn) if shared else nullcontext()


@contextmanager
def _turn(path: Path) -> Iterator[None]:
    descriptor = _wait(path)
    try:
        yield
    finally:
        os.close(descriptor)


def _wait(path: Path) -> int:
    while True:
        make_folder(path.parent)
        with unwritable(path):
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            except (
                FileNotFoundError
            ):  # the run was closed, and its journals' folder removed, since the line above
                continue
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink > 0:
                return descriptor
            os.close(descriptor)


def _held(path: Path) -> bool:
    """Return whether the writer of a journal still holds it."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


class Fellows:
    """A writer's view of its run's journals: its own, which it knows, and those of all others, dead or alive.

    A writer that has the run alone reads the others once; one that shares it, whenever it asks.
    """

    def __init__(self, layout: RunLayout, *, shared: bool) -> None:
        self._layout = layout
        self._shared = shared
        self._following = Following(layout.journal)
        self._dead: set[Path] = set()
        self._own: Path | None = None
        self._look()

    def join(self, own: Path) -> None:
        """Say which journal is the writer's own: what it says, the writer adds to `known` itself."""
        self._own = own

    @property
    def known(self) -> History:
        """Return what was known at the last look."""
        return self._following.history

    @property
    def history(self) -> History:
        """Return what all journals say now."""
        if self._shared:
            self._look()
        return self.known

    @contextmanager
    def turn(self) -> Iterator[History]:
        """Decide alone, on what all journals say now."""
        with joining(self._layout, shared=self._shared):
            yield self.history

    @property
    def dead(self) -> tuple[Path, ...]:
        """Return the journals whose writers were dead at the last look."""
        return tuple(sorted(self._dead))

    def alive(self) -> tuple[Path, ...]:
        """Return the journals whose writers lived at the last look or have come since."""
        return tuple(self._unburied())

    def has(self, cell: str) -> bool:
        """Return whether another writer, alive at the last look, has started an attempt of an unfinished cell."""
        path = self.known.started_in.get(cell)
        return cell not in self.known.finished and path not in {None, self._own, *self._dead}

    def _look(self) -> None:
        """Take in what the others have journalled, and note who has died.

        Deaths are noted first: what a writer that was dead then has ever journalled is read then.
        """
        dead = {path for path in self._unburied() if not _held(path)}
        self._following.look(self._own)
        self._dead |= dead

    def _unburied(self) -> Iterator[Path]:
        return (
            path for path in journals(self._layout.journal) if path != self._own and path not in self._dead
        )
