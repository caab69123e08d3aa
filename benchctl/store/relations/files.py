"""Which files of a closed run a table is in, each verified before anybody gets its path."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchctl.store.disk.hash_memory import SAFE_HERE_S, Identity, identity, is_settled
from benchctl.store.disk.layout import BY_GENERATION, first_name, generation_of, original_name
from benchctl.store.disk.verified_file import MEMORIES, trusted

if TYPE_CHECKING:
    from pathlib import Path

    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest
    from benchctl.store.relations.loadable import Loadable

__all__ = ["FURTHER", "VerifiedFile", "files_of", "further_tables", "names_of"]

FURTHER: Final = "tables/"
"""The folder of the tables that a run has beside the standard ones."""

_ENDING: Final = ".parquet"


@dataclass(frozen=True, slots=True)
class VerifiedFile:
    """A file that is what its manifest says; `sha256` is its content's name."""

    path: Path
    sha256: str


def further_tables(manifest: Manifest | None) -> dict[str, str]:
    """Return the further tables of a run: lower-case name -> the name as it was imported."""
    named = (original_name(name)[0] for name in manifest.files) if manifest else ()
    found = (
        name.removeprefix(FURTHER).removesuffix(_ENDING)
        for name in named
        if name.startswith(FURTHER) and name.endswith(_ENDING)
    )
    return {name.lower(): name for name in sorted(found)}


def names_of(manifest: Manifest, table: str) -> dict[int, str]:
    """Return a table's files inside of the run by generation; empty where it has none.

    `table` is a stored one, or `tables/` and the lower-case name of a further one.
    """
    if table.startswith(FURTHER):
        name = further_tables(manifest).get(table.removeprefix(FURTHER))
        now = manifest.current(f"{FURTHER}{name}{_ENDING}") if name is not None else None
        return {1: now} if now else {}
    if (
        not manifest.removed
    ):  # nothing was ever replaced: told by the names alone, of a thousand runs ten times faster
        if table not in BY_GENERATION:
            first = first_name(table)
            return {1: first} if first in manifest.files or table in manifest.tables else {}
        stem = "grades/g" if table == "grades" else f"rows/{table}-"
        named = ((generation_of(name), name) for name in manifest.files if name.startswith(stem))
        return dict(sorted((number, name) for number, name in named if number is not None))
    found = manifest.files_of_table(table)
    dropped = any(original_name(name)[0] == first_name(table) for name in manifest.removed)
    return found if found or dropped or table not in manifest.tables else {1: first_name(table)}


def files_of(run: Loadable, table: str) -> dict[int, VerifiedFile]:
    """Return a closed run's verified files of a table by generation; empty for an open run.

    Raises StoreDamagedError where a file is not what the manifest says, or is one that it must list and does not.
    """
    if run.manifest is None:
        return {}
    return {
        generation: _verified(run.layout, run.manifest, name)
        for generation, name in names_of(run.manifest, table).items()
    }


_SEEN: dict[tuple[str, str, str], tuple[Identity, VerifiedFile]] = {}
"""What was verified in this process, by folder, name and sha256: a file that is still the same is known by one call."""
MEMORIES.append(_SEEN)


def _verified(layout: RunLayout, manifest: Manifest, name: str) -> VerifiedFile:
    """Return a file as `trusted` does, which is only asked where the file was not seen or changed."""
    wanted, folder = manifest.files.get(name), str(layout.folder)
    key = (folder, name, wanted.sha256 if wanted else "")
    seen, now = _identity(f"{folder}/{name}"), time.time_ns()
    known = _SEEN.get(key)
    if known and known[0] == seen:
        return known[1]
    file = VerifiedFile(trusted(layout, manifest, name).absolute(), key[2])
    if seen and is_settled(seen, now, SAFE_HERE_S) and _identity(f"{folder}/{name}") == seen:
        _SEEN[key] = seen, file
    return file


def _identity(path: str) -> Identity | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return identity(status) if stat.S_ISREG(status.st_mode) else None
