"""What a writer that died while adding to a run has left: what is nobody's is swept, and nothing else is touched."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from benchctl.errors import StoreDamagedError, Where
from benchctl.store.disk.durable import TEMPORARY, fsync_folder, make_folder, unwritable
from benchctl.store.disk.entries import FileEntry, file_entry
from benchctl.store.disk.layout import is_ours
from benchctl.store.disk.untrusted import parse_json, read_regular
from benchctl.store.disk.walk import listed_files
from benchctl.store.disk.well_formed import is_inside

if TYPE_CHECKING:
    from pathlib import Path

    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest

__all__ = ["finish_removal", "noted_files", "sweep_addition"]


def noted_files(layout: RunLayout) -> tuple[int, dict[str, FileEntry]]:
    """Return the generation that an unfinished addition was to be, and its files; (0, {}) where there is none."""
    try:
        note = parse_json(read_regular(layout.addition))
        files = {name: FileEntry(*entry) for name, entry in note["files"].items() if is_inside(name)}
        return int(note["generation"]), files
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return 0, {}


def sweep_addition(layout: RunLayout, newest: Manifest) -> None:
    """Remove what a dead writer has left of an addition, or finish its removals; the caller holds the lock.

    Only files that the addition's own note names and that are byte for byte what it says, and files that the
    manifest says are removed, go. What else is there stays for `verify-store` to name. Raises StoreDamagedError
    where it is of a generation whose manifest is lost: another of that number would paper that over.
    """
    _refuse_lost_manifest(layout, newest)
    generation, noted = noted_files(layout)
    for name, entry in noted.items() if generation > newest.generation else ():
        if name not in newest.files:
            _unlink(layout.folder / name, entry)
    finish_removal(layout, newest)
    make_folder(layout.journal)
    with unwritable(layout.journal):
        for leftover in (*layout.journal.glob(f"*{TEMPORARY}"), layout.addition):
            leftover.unlink(missing_ok=True)
        fsync_folder(layout.journal)


def _refuse_lost_manifest(layout: RunLayout, newest: Manifest) -> None:
    """Raise StoreDamagedError where there is a file of a run's own that neither the manifest nor the note explains."""
    next_one = layout.manifest(newest.generation + 1)
    generation, noted = noted_files(layout)
    what = f"a note of generation {generation}" if generation > newest.generation + 1 else None
    for name, path in listed_files(layout, newest.generation).items():
        if name not in newest.files and is_ours(name):
            gone = newest.removed.get(name)
            explained = [FileEntry(gone.bytes, gone.sha256)] if gone else []
            explained += [noted[name]] if name in noted else []
            if not explained or not path.is_file() or file_entry(path) not in explained:
                what = name
    if what:
        raise StoreDamagedError(
            f"missing, or {what} is no file of this run",
            where=Where(str(next_one)),
            expected="no file that neither a manifest nor an unfinished addition explains",
            next_step="restore the manifest from a copy, or move the file away; nothing has been changed",
        )


def finish_removal(layout: RunLayout, manifest: Manifest) -> None:
    """Unlink what a manifest says is removed, where it still is byte for byte what that says."""
    for name, entry in manifest.removed.items():
        _unlink(layout.folder / name, FileEntry(entry.bytes, entry.sha256))


def _unlink(path: Path, entry: FileEntry) -> None:
    """Remove a file that is byte for byte what is said of it."""
    with unwritable(path):
        try:
            regular = stat.S_ISREG(path.lstat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return
        if regular and file_entry(path) == entry:
            path.unlink()
            fsync_folder(path.parent)
