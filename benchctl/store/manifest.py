"""The manifest: every file of a closed run by size and sha256, and the one digest that a page pins.

Generation 1 is `manifest.json`, written when a run closes. What is added to a closed run
later (grades, voids) comes with a further generation, `manifest-0002.json`, that lists all
files anew and names the digest of the one before; none is ever rewritten.

The data digest is made of the canonical rows of cells, attempts and newest grades, not of
Parquet bytes: the same rows compressed anew have the same digest.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from benchctl.errors import StoreDamagedError, StoreNewerError, Where
from benchctl.schema.canonical import digest
from benchctl.schema.result import SCHEMA_VERSION
from benchctl.store.layout import JOURNAL, RunLayout
from benchctl.store.outside import parse_json, read_regular
from benchctl.store.rows import canonical_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from benchctl.store.rows import Row

__all__ = [
    "IN_DATA",
    "MANIFEST_SCHEMA",
    "FileEntry",
    "Manifest",
    "TableEntry",
    "data_digest",
    "entry_of",
    "file_entry",
    "files_of",
    "newest_manifest",
    "read_manifest",
]

MANIFEST_SCHEMA = "benchctl.manifest/1"
_FAMILY = "benchctl.manifest/"
_HEX = re.compile(r"[0-9a-f]{64}")
_NO_MANIFEST = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
IN_DATA = ("cells", "attempts", "grades")
"""The tables whose rows make the data digest; transcripts are covered by their file's sha256 alone."""


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file as it must be."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class TableEntry:
    """One table's content: its rows, and the sha256 of their canonical lines in stored order."""

    rows: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """One generation. `previous` is the digest of the generation before, None for the first.

    `rows_schema` is the schema version whose columns the table digests cover; `digest` is over
    everything else in this manifest.
    """

    run: str
    generation: int
    previous: str | None
    benchctl: str
    rows_schema: int
    data: str
    tables: Mapping[str, TableEntry]
    files: Mapping[str, FileEntry]

    def _content(self) -> dict[str, object]:
        return {"schema": MANIFEST_SCHEMA, **asdict(self)}

    @property
    def digest(self) -> str:
        """Return the manifest's own digest, `sha256:…`."""
        return digest(self._content())

    def to_bytes(self) -> bytes:
        """Return the file's bytes: the only ones that read as this manifest."""
        content = {**self._content(), "digest": self.digest}
        return (json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def entry_of(rows: Iterable[Row]) -> TableEntry:
    """Return the content entry of rows in their recorded order."""
    count, sha256 = 0, hashlib.sha256()
    for row in rows:
        sha256.update(canonical_row(row))
        count += 1
    return TableEntry(count, sha256.hexdigest())


def data_digest(tables: Mapping[str, TableEntry]) -> str:
    """Return the run's data digest from its tables' digests."""
    return digest({name: tables[name].sha256 for name in IN_DATA})


def _parse(content: bytes) -> Manifest:
    """Return the manifest of a file's bytes. Raises ValueError, KeyError, TypeError or AttributeError."""
    data = parse_json(content)
    manifest = Manifest(
        run=data["run"],
        generation=data["generation"],
        previous=data["previous"],
        benchctl=data["benchctl"],
        rows_schema=data["rows_schema"],
        data=data["data"],
        tables={name: TableEntry(**entry) for name, entry in data["tables"].items()},
        files={name: FileEntry(**entry) for name, entry in data["files"].items()},
    )
    if not _well_formed(manifest):
        raise ValueError("not a manifest")
    return manifest


def _well_formed(manifest: Manifest) -> bool:
    """Return whether every field is of its kind, every table of the data digest is there and no file is outside."""
    texts = (manifest.run, manifest.benchctl, manifest.data)
    counted = [(manifest.generation, "0" * 64), (manifest.rows_schema, "0" * 64)]
    counted += [(entry.rows, entry.sha256) for entry in manifest.tables.values()]
    counted += [(entry.bytes, entry.sha256) for entry in manifest.files.values()]
    return (
        all(isinstance(text, str) for text in texts)
        and isinstance(manifest.previous, str | None)
        and all(type(count) is int and count >= 0 and bool(_HEX.fullmatch(sha)) for count, sha in counted)
        and set(IN_DATA) <= set(manifest.tables)
        and all(_inside(name) for name in manifest.files)
    )


def _inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and path.as_posix() == name and not path.is_absolute() and ".." not in path.parts


def _refuse_newer(content: bytes, path: Path) -> None:
    """Raise StoreNewerError for a manifest that is sound but of a later schema."""
    try:
        data = parse_json(content)
        claimed = data.pop("digest")
        schema, rows = str(data["schema"]), int(data["rows_schema"])
        sound = digest(data) == claimed
    except _NO_MANIFEST:
        return
    if sound and schema.startswith(_FAMILY) and (schema != MANIFEST_SCHEMA or rows > SCHEMA_VERSION):
        raise StoreNewerError(
            f"the run was closed by a newer benchctl ({data.get('benchctl')}: {schema}, rows of schema {rows})",
            where=Where(str(path)),
            expected=f"{MANIFEST_SCHEMA} and rows of schema {SCHEMA_VERSION} or older",
            next_step="update benchctl; nothing has been changed",
        )


def read_manifest(layout: RunLayout, generation: int) -> Manifest:
    """Return one generation.

    Raises StoreDamagedError where a single byte differs from what its own digest says or it is not
    about this run and generation, StoreNewerError where a newer benchctl wrote it.
    """
    path = layout.manifest(generation)
    if path.is_symlink():
        raise StoreDamagedError("not a regular file", where=Where(str(path)))
    try:
        content = read_regular(path)
    except OSError as error:
        raise StoreDamagedError(f"cannot be read: {error.strerror}", where=Where(str(path))) from error
    _refuse_newer(content, path)
    try:
        manifest = _parse(content)
        sound = manifest.to_bytes() == content
    except _NO_MANIFEST:
        sound = False
    if not sound:
        raise StoreDamagedError(
            "the manifest is not what its own digest says",
            where=Where(str(path)),
            next_step="restore the file from a copy; `benchctl verify-store` checks every file",
        )
    if (manifest.run, manifest.generation) != (layout.folder.name, generation):
        raise StoreDamagedError(
            f"the manifest is generation {manifest.generation} of run {manifest.run!r}",
            where=Where(str(path)),
            expected=f"generation {generation} of run {layout.folder.name!r}",
        )
    return manifest


def newest_manifest(layout: RunLayout) -> Manifest | None:
    """Return the newest generation, its chain checked back to the first; None for an open run.

    Raises StoreDamagedError where a generation is missing, damaged or not the one that the next names.
    """
    found = layout.generations()
    newest: Manifest | None = None
    for number, generation in enumerate(found, start=1):
        if number != generation:
            raise StoreDamagedError(
                "a manifest generation is missing",
                where=Where(str(layout.manifest(number))),
                expected=f"generations 1 to {found[-1]}",
            )
        manifest = read_manifest(layout, generation)
        if manifest.previous != (newest.digest if newest else None):
            raise StoreDamagedError(
                f"the manifest follows {manifest.previous}",
                where=Where(str(layout.manifest(generation))),
                expected=f"{newest.digest if newest else None}, the digest of the generation before",
            )
        newest = manifest
    return newest


def file_entry(path: Path) -> FileEntry:
    """Return a file's size and sha256 as they are now."""
    with path.open("rb") as file:
        return FileEntry(os.fstat(file.fileno()).st_size, hashlib.file_digest(file, "sha256").hexdigest())


def files_of(layout: RunLayout, generation: int) -> dict[str, Path]:
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
