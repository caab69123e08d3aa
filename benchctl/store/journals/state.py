"""What a run's folder is: no run, an open one or a closed one; anything else is damage.

Everybody who has to know asks here, so that no two of them see another state: a folder that
one calls open and begins anew must not be one that another calls damaged.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from benchctl.errors import StoreDamagedError, Where
from benchctl.store.disk.layout import FOLDED
from benchctl.store.disk.manifest import newest_manifest
from benchctl.store.disk.verified_file import trusted
from benchctl.store.journals.journal import journals

if TYPE_CHECKING:
    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest

__all__ = ["Standing", "standing"]


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a folder; `manifest` is the newest generation of a closed run, else None."""

    state: Literal["absent", "open", "closed"]
    manifest: Manifest | None = None


def standing(layout: RunLayout) -> Standing:
    """Return what the folder is. Raises StoreDamagedError for what is none of these, StoreNewerError.

    A run is closed by a manifest and open by its journals; one without either has lost something. A
    closed run's record is what its manifest says. No run is a folder that is missing, is empty, or
    holds only what a start leaves that was cut before its record.
    """
    if manifest := newest_manifest(layout):
        trusted(layout, manifest, manifest.record)
        return Standing("closed", manifest)
    if not os.path.lexists(layout.record):
        if odd := _unexplained(layout):
            if os.path.lexists(layout.record):  # begun since the first look
                return standing(layout)
            raise StoreDamagedError(
                f"there is {odd} and no run record",
                where=Where(str(layout.record)),
                expected="a run.json, or nothing",
                next_step="restore run.json from a copy, or move the folder away; nothing has been changed",
            )
        return Standing("absent")
    if _journalled(layout):
        return Standing("open")
    if layout.generations():  # closed since the first look
        return standing(layout)
    raise StoreDamagedError(
        "missing",
        where=Where(str(layout.manifest())),
        expected="a manifest, or the journals of an open run",
        next_step="restore manifest.json from a copy; nothing has been changed, and the run is not begun anew",
    )


def _journalled(layout: RunLayout) -> bool:
    """Return whether the run is one that is being collected: the journals' folder stands before its record does.

    Tables without any journal that they could be of are those of a run that was closed.
    """
    if journals(layout.journal):
        return True
    return layout.journal.is_dir() and not any(os.path.lexists(layout.folder / name) for name in FOLDED)


def _unexplained(layout: RunLayout) -> str | None:
    """Return a file, by its path inside, or a link, that a start that was cut before its record does not leave."""
    if layout.folder.is_symlink() and not layout.folder.exists():
        return "a link to nothing"
    for folder, _, names in os.walk(layout.folder):
        inside = Path(folder)
        for name in sorted(names):
            path = inside / name
            starting = inside == layout.journal and (
                path in (layout.lock, layout.turn) or path.suffix == ".tmp"
            )
            if not starting and path != layout.suite:
                return path.relative_to(layout.folder).as_posix()
    return None
