"""Where everything stands inside one run's folder. Names only: nothing here touches a file but `generations` and `present`.

run.json                      the record, written once before the first cell
evidence/suite.toml           the suite as it was read                         (a collected run)
evidence/source.<ext>         the file that it was imported from, byte by byte (an imported run)
journal/lock                  who writes the run; flocked for the writer's life
journal/turn                  whose turn it is among several writers
journal/w0001.jsonl           one journal a writer process     (an open run only)
journal/addition.json         what is being added to a closed run, until its manifest stands
rows/{cells,attempts}.parquet
rows/foreign.parquet          an imported run's own columns
rows/{voids,backfills}-NNNN.parquet   what manifest generation NNNN added
rows/baselines-NNNN.parquet   the empty runs that were measured with the run (0001), or afterwards
grades/g0001.parquet          one file a grading generation
tables/<name>.parquet         a further table, with <name>.json (what it is) and <name>.source.<ext> (the file it came from)
evidence/transcripts.parquet  what the agents wrote
evidence/gold.json            the answer key, question by question
evidence/unstarted.json       the planned cells that were never started; only where the run was closed without them
manifest.json                 sha256 of every file above; later generations manifest-0002.json …

A file that replaces another (only an erasure does that) has the manifest generation behind its name:
`rows/cells-0003.parquet`, `grades/g0001-0003.parquet`, `tables/prices@0003.parquet`, `run-0003.json`.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from benchctl.store.disk.entries import FileEntry

__all__ = [
    "BY_GENERATION",
    "FOLDED",
    "JOURNAL",
    "RECORD",
    "REQUIRED",
    "RunLayout",
    "Source",
    "first_name",
    "generation_of",
    "is_ours",
    "later_generation",
    "names_of_table",
    "original_name",
    "replacement_name",
]

JOURNAL = "journal"

RECORD = "run.json"

REQUIRED = (
    "rows/cells.parquet",
    "rows/attempts.parquet",
    "grades/g0001.parquet",
    "evidence/transcripts.parquet",
    "evidence/gold.json",
)
"""What every closed run has beside its record and manifest."""

FOLDED = (*REQUIRED, "evidence/unstarted.json", "rows/baselines-0001.parquet")
"""What closing a run writes, and what an unfinished closing leaves unreferenced."""

BY_GENERATION = ("grades", "voids", "backfills", "baselines")
"""The tables with one file a generation; of each the newest row of a cell is the one that counts."""

_MANIFEST = re.compile(r"manifest(?:-(\d{4,}))?\.json")
_REPLACEMENT = re.compile(
    r"((?:run|rows/(?:cells|attempts|foreign|(?:voids|backfills|baselines)-\d{4,})|grades/g\d{4,}|evidence/[a-z]+)(?=-)"
    r"|tables/[^/@]+(?=@))[-@](\d{4,})(\.[^/]+)"
)
_OF_GENERATION = re.compile(r"(?:grades/g|rows/(?:voids|backfills|baselines)-)(\d{4,})\.parquet")
_FOLDERS = ("rows/", "grades/", "tables/", "evidence/")
_PLACES = {"grades": "grades/g0001.parquet", "transcripts": "evidence/transcripts.parquet"}


@lru_cache(maxsize=4096)
def original_name(name: str) -> tuple[str, int]:
    """Return the file that `name` stands for, and the manifest generation that replaced it; 0 for the file itself."""
    match = _REPLACEMENT.fullmatch(name)
    return (f"{match[1]}{match[3]}", int(match[2])) if match else (name, 0)


def replacement_name(name: str, generation: int) -> str:
    """Return the name of the file that replaces `name` in a manifest generation."""
    folder, slash, file = original_name(name)[0].rpartition("/")
    mark = "@" if folder == "tables" else "-"
    stem, dot, rest = file.partition(".") if folder != "tables" else _table_stem(file)
    return f"{folder}{slash}{stem}{mark}{generation:04d}{dot}{rest}"


def _table_stem(file: str) -> tuple[str, str, str]:
    """Return a further table's name and the ending of one of its files; the name itself may hold dots."""
    stem, dot, rest = re.fullmatch(r"(.+?)(\.)(parquet|json|source(?:\..*)?)", file).groups()  # type: ignore[union-attr]
    return stem, dot, rest


def first_name(table: str, generation: int = 1) -> str:
    """Return the file of a stored table, before any replacement; of one with a file a generation, that generation's."""
    if table == "grades":
        return f"grades/g{generation:04d}.parquet"
    if table in BY_GENERATION:
        return f"rows/{table}-{generation:04d}.parquet"
    return _PLACES.get(table, f"rows/{table}.parquet")


def generation_of(name: str) -> int | None:
    """Return the generation whose rows a file of grades, voids or backfills holds (of baselines, too); None for any other file."""
    match = _OF_GENERATION.fullmatch(original_name(name)[0])
    return int(match[1]) if match else None


def later_generation(name: str) -> int | None:
    """Return the manifest generation that a file's name says it came with; None for a name that says none."""
    first, replaced = original_name(name)
    if replaced:
        return replaced
    return None if first.startswith("grades/") else generation_of(first)


def is_ours(name: str) -> bool:
    """Return whether a name is one that only a manifest generation brings: a table, a grading, evidence, a replacement."""
    return name.startswith(_FOLDERS) or bool(original_name(name)[1])


class Source(Protocol):
    """Where the files of a run come from that are not in its folder yet; `remote.RemoteStore` is one."""

    @property
    def place(self) -> str:
        """Return its URL."""

    def bring(self, path: Path, name: str, wanted: FileEntry) -> None:
        """See to it that the file is there with these bytes, or raise what is in the way."""

    def refuse_writing(self, what: str) -> None:
        """Raise StoreReadOnlyError."""


def names_of_table(files: Collection[str], table: str) -> list[str]:
    """Return the files of a table among `files`, oldest generation first, each as the newest that stands for it."""
    wanted: dict[str, tuple[int, str]] = {}
    for name in files:
        first, at = original_name(name)
        number = generation_of(name)
        own = first == first_name(table, number or 1) and (number is not None) == (table in BY_GENERATION)
        if own and at >= wanted.get(first, (0, ""))[0]:
            wanted[first] = (at, name)
    ordered = sorted(wanted, key=lambda first: generation_of(first) or 1)
    return [wanted[first][1] for first in ordered]


@dataclass(frozen=True, slots=True)
class RunLayout:
    """The paths of one run; `folder` is `<store>/runs/<run-id>`, or its copy where the run is behind a URL.

    Of such a run `source` brings what is missing; `trust.trusted` asks it, and everybody asks that.
    """

    folder: Path
    source: Source | None = field(default=None, compare=False, repr=False)

    def refuse_remote(self) -> None:
        """Raise StoreReadOnlyError for a run that is behind a URL: its copy here is not to be written to."""
        if self.source is not None:
            self.source.refuse_writing(f"run {self.folder.name}")

    def present(self, name: str) -> Path:
        """Return the path of a file or, where that is gone, of the newest one that replaced it."""
        path = self.folder / name
        if not os.path.lexists(path) and path.parent.is_dir():
            parent = name.rpartition("/")[0]
            inside = (f"{parent}/{each}" if parent else each for each in os.listdir(path.parent))  # noqa: PTH208 - names are wanted
            found = [each for each in inside if each != name and original_name(each)[0] == name]
            path = self.folder / max(found, key=lambda each: original_name(each)[1], default=name)
        return path

    @property
    def shown(self) -> str:
        """Return the run's folder as a person would name it: of a run behind a URL, its URL."""
        return f"{self.source.place}/runs/{self.folder.name}" if self.source else str(self.folder)

    @property
    def record(self) -> Path:
        """Return the path of the run record."""
        return self.present(RECORD)

    @property
    def suite(self) -> Path:
        """Return the path of the suite's copy."""
        return self.present("evidence/suite.toml")

    @property
    def gold(self) -> Path:
        """Return the path of the answer key."""
        return self.present("evidence/gold.json")

    @property
    def unstarted(self) -> Path:
        """Return the path of the list of cells that a run was closed without."""
        return self.present("evidence/unstarted.json")

    @property
    def journal(self) -> Path:
        """Return the folder of the journals, which exists from before `run.json` until after the manifest."""
        return self.folder / JOURNAL

    @property
    def lock(self) -> Path:
        """Return the path of the run's lock."""
        return self.journal / "lock"

    @property
    def turn(self) -> Path:
        """Return the path of the lock that those who share a run hold one after the other."""
        return self.journal / "turn"

    @property
    def addition(self) -> Path:
        """Return the path of the note of what is being added to a closed run."""
        return self.journal / "addition.json"

    def table(self, name: str) -> Path:
        """Return the first file of a table, grades by the first generation; `Manifest.file_of` says what it is now."""
        return self.folder / first_name(name)

    def manifest(self, generation: int = 1) -> Path:
        """Return the path of a manifest generation, from 1."""
        return self.folder / ("manifest.json" if generation == 1 else f"manifest-{generation:04d}.json")

    def generations(self) -> tuple[int, ...]:
        """Return the manifest generations that exist, ascending; empty for an open run or no run."""
        try:
            names = os.listdir(self.folder)  # noqa: PTH208 - a thousand runs are looked at so
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                raise
            return ()
        found = (_MANIFEST.fullmatch(name) for name in names if name.startswith("manifest"))
        return tuple(sorted(int(match[1] or 1) for match in found if match))
