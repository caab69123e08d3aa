"""What stands in a run's folder, name by name, whatever any manifest says of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.store.disk.layout import JOURNAL

if TYPE_CHECKING:
    from benchctl.store.disk.layout import RunLayout

__all__ = ["listed_files"]


def listed_files(layout: RunLayout, generation: int) -> dict[str, Path]:
    """Return every file that a generation must list, by its path inside the run: all but itself, later ones and journals.

    Symbolic links count as files and are never followed.
    """
    unlisted = {layout.manifest(number).name for number in layout.generations() if number >= generation}
    found: dict[str, Path] = {}
    for folder, folders, names in os.walk(layout.folder):
        inside = Path(folder)
        folders.sort()
        if inside == layout.folder and JOURNAL in folders:
            folders.remove(JOURNAL)
        links = [name for name in folders if (inside / name).is_symlink()]
        for name in (*names, *links):
            relative = (inside / name).relative_to(layout.folder).as_posix()
            if relative not in unlisted:
                found[relative] = inside / name
    return dict(sorted(found.items()))
