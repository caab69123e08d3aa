"""The journals of an open run read as they grow, by whoever looks: a reader once, a writer again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchctl.errors import StoreDamagedError, Where
from benchctl.store.disk.layout import RunLayout
from benchctl.store.journals.history import History
from benchctl.store.journals.journal import journals, number_of
from benchctl.store.journals.lines import lines_after_damage, read_valid_prefix

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Following", "read_history", "refuse_damage"]

_LOOKS: Final = 100
"""Looks until what is still missing counts as lost."""


class Following:
    """What the journals of a folder have said so far; `look` takes in what was appended since."""

    def __init__(self, folder: Path) -> None:
        self.history = History()
        self._folder = folder
        self._read: dict[Path, int] = {}

    def look(self, own: Path | None = None) -> None:
        """Take in the new lines of every journal but `own`, whose writer has them already.

        What one journal says may follow from what another said before. So a look that comes too early for
        that other line is followed by another one; what is missing then is lost. Raises FileNotFoundError
        where the run is closed meanwhile, StoreDamagedError and StoreNewerError.
        """
        missing: StoreDamagedError | None = None
        for _ in range(_LOOKS):
            found = journals(self._folder)
            for path in found:
                if path != own:
                    self._take_in(path)
            missing = self._missing(found)
            if missing is None:
                return
            if RunLayout(self._folder.parent).generations():
                raise FileNotFoundError(f"run {self._folder.parent.name} was closed meanwhile")
        if missing:
            raise missing

    def _take_in(self, path: Path) -> None:
        read = self._read.get(path, 0)
        if path.stat().st_size > read:
            for line in read_valid_prefix(path, read):
                self.history.apply(line.event, line.place)
                self._read[path] = line.place.end

    def _missing(self, found: tuple[Path, ...]) -> StoreDamagedError | None:
        """Return what is known to have been journalled and is not there: a journal, or an attempt's start."""
        for number, path in enumerate(found, start=1):
            if number_of(path) != number:
                return _lost("missing", self._folder / f"w{number:04d}.jsonl")
        for cell, attempt in self.history.gaps():
            return _lost(f"the start of attempt {attempt} of cell {cell} is in no journal", self._folder)
        return None


def _lost(what: str, path: Path) -> StoreDamagedError:
    return StoreDamagedError(
        what,
        where=Where(str(path)),
        expected="every journal of the run, numbered without a gap",
        next_step="restore the file from a copy; nothing has been changed",
    )


def read_history(folder: Path) -> History:
    """Return the history of a journal folder; of a living writer, as of now.

    Raises FileNotFoundError where the run is closed meanwhile, StoreDamagedError for an event that is none
    and for a journal that is lost, StoreNewerError.
    """
    following = Following(folder)
    following.look()
    return following.history


def refuse_damage(folder: Path) -> None:
    """Raise StoreDamagedError where a journal was damaged otherwise than by a writer's death.

    Dropping what stands behind such a line would lose acknowledged results without a word.
    """
    for path in journals(folder):
        damaged, following = lines_after_damage(path)
        if following:
            raise StoreDamagedError(
                f"line {damaged} fails its checksum and {following} sound lines follow it",
                where=Where(str(path), damaged),
                expected="at most the last line torn, as a dying process leaves it",
                next_step="restore the file from a copy; nothing has been changed",
            )
