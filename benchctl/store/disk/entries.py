"""What a manifest says of one file or one table, and how the run's data digest is made of that."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchctl.schema.canonical import digest
from benchctl.store.disk.rows import canonical_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from benchctl.store.disk.rows import Row

__all__ = [
    "IN_DATA",
    "WHERE_PRESENT",
    "FileEntry",
    "RemovedEntry",
    "TableEntry",
    "data_digest",
    "entry_of",
    "file_entry",
]

IN_DATA = ("cells", "attempts", "grades")
"""The tables whose rows make the data digest; transcripts are covered by their file's sha256 alone."""

WHERE_PRESENT = ("foreign", "voids", "backfills", "baselines")
"""The tables whose rows belong to the data digest of a run that has them."""


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file as it must be."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class RemovedEntry:
    """One file that was removed for good: what it was, why, and the generation that removed it."""

    bytes: int
    sha256: str
    why: str
    generation: int


@dataclass(frozen=True, slots=True)
class TableEntry:
    """One table's content: its rows, and the sha256 of their canonical lines in the recorded order.

    Of grades, voids and backfills only the newest row of a cell counts, whichever file it is in.
    """

    rows: int
    sha256: str


def entry_of(rows: Iterable[Row]) -> TableEntry:
    """Return the content entry of rows in their recorded order."""
    count, sha256 = 0, hashlib.sha256()
    for row in rows:
        sha256.update(canonical_row(row))
        count += 1
    return TableEntry(count, sha256.hexdigest())


def data_digest(tables: Mapping[str, TableEntry]) -> str:
    """Return the run's data digest from its tables' digests."""
    present = (*IN_DATA, *(name for name in WHERE_PRESENT if name in tables))
    return digest({name: tables[name].sha256 for name in present})


def file_entry(path: Path) -> FileEntry:
    """Return a file's size and sha256 as they are now."""
    with path.open("rb") as file:
        return FileEntry(os.fstat(file.fileno()).st_size, hashlib.file_digest(file, "sha256").hexdigest())
