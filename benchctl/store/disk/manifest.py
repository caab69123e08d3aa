"""The manifest: every file of a closed run by size and sha256, and the one digest that a page pins.

Generation 1 is `manifest.json`, written when a run closes. What is added to a closed run
later (grades, voids) comes with a further generation, `manifest-0002.json`, that lists all
files anew and names the digest of the one before; none is ever rewritten.

The data digest is made of the canonical rows of cells, attempts and newest grades (and of what
the run has beside them), not of Parquet bytes: the same rows compressed anew have the same digest.

Schemas: `/1` is every manifest that lists files alone, byte for byte as the first version wrote
it; `/2` is one that also lists what was removed, so that an older program says that the store is
newer, and not that a file is missing.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from benchctl.errors import StoreDamagedError, StoreNewerError, Where
from benchctl.schema.canonical import digest
from benchctl.schema.result import SCHEMA_VERSION
from benchctl.store.disk.entries import (
    IN_DATA,
    WHERE_PRESENT,
    FileEntry,
    RemovedEntry,
    TableEntry,
    data_digest,
    entry_of,
    file_entry,
)
from benchctl.store.disk.layout import RECORD, RunLayout, generation_of, names_of_table, original_name
from benchctl.store.disk.untrusted import parse_json, read_regular
from benchctl.store.disk.well_formed import is_well_formed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = [
    "IN_DATA",
    "MANIFEST_SCHEMA",
    "WHERE_PRESENT",
    "FileEntry",
    "Manifest",
    "RemovedEntry",
    "TableEntry",
    "data_digest",
    "entry_of",
    "file_entry",
    "newest_manifest",
    "read_manifest",
]

MANIFEST_SCHEMA = "benchctl.manifest/1"
_WITH_REMOVED = "benchctl.manifest/2"
_FAMILY = "benchctl.manifest/"
_MOST_BYTES = 64 * 1024 * 1024
"""A thousand generations of a thousand files list less."""

_NO_MANIFEST = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One generation. `previous` is the digest of the generation before, None for the first.

    `rows_schema` is the newest schema version that any of its tables was written in; `removed` lists the
    files that earlier generations listed and that are gone; `digest` is over everything else.
    """

    run: str
    generation: int
    previous: str | None
    benchctl: str
    rows_schema: int
    data: str
    tables: Mapping[str, TableEntry]
    files: Mapping[str, FileEntry]
    removed: Mapping[str, RemovedEntry] = field(default_factory=dict)

    def _content(self) -> dict[str, object]:
        content: dict[str, object] = {
            "schema": MANIFEST_SCHEMA,
            **{name: getattr(self, name) for name in _PLAIN},
            "tables": {name: {"rows": e.rows, "sha256": e.sha256} for name, e in self.tables.items()},
            "files": {name: {"bytes": e.bytes, "sha256": e.sha256} for name, e in self.files.items()},
        }
        if self.removed:
            content["schema"] = _WITH_REMOVED
            content["removed"] = {
                name: {"bytes": e.bytes, "sha256": e.sha256, "why": e.why, "generation": e.generation}
                for name, e in self.removed.items()
            }
        return content

    @property
    def digest(self) -> str:
        """Return the manifest's own digest, `sha256:…`."""
        return digest(self._content())

    def to_bytes(self) -> bytes:
        """Return the file's bytes: the only ones that read as this manifest."""
        content = {**self._content(), "digest": self.digest}
        return (json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()

    @property
    def record(self) -> str:
        """Return the file of the run's record."""
        return self.current(RECORD) or RECORD

    def current(self, name: str) -> str | None:
        """Return the file that stands for `name` now: itself, or the newest that replaced it; None where it is gone."""
        found = ((original_name(each), each) for each in self.files)
        return max(((at, each) for (first, at), each in found if first == name), default=(0, None))[1]

    def file_of(self, table: str) -> str | None:
        """Return the file that holds a table now, None where the run has none or it was dropped.

        Of a table with a file a generation, the newest; `files_of_table` gives them all.
        """
        return next(iter(reversed(self.files_of_table(table).values())), None)

    def files_of_table(self, table: str) -> dict[int, str]:
        """Return a table's files by the generation whose rows they hold, ascending; {1: file} for a table of one file."""
        return {generation_of(name) or 1: name for name in names_of_table(self.files, table)}


_PLAIN = ("run", "generation", "previous", "benchctl", "rows_schema", "data")


def _parse(data: Mapping[str, Any]) -> Manifest:
    """Return the manifest that a file says. Raises ValueError, KeyError, TypeError or AttributeError."""
    manifest = Manifest(
        **{name: data[name] for name in _PLAIN},
        tables={name: TableEntry(**entry) for name, entry in data["tables"].items()},
        files={name: FileEntry(**entry) for name, entry in data["files"].items()},
        removed={name: RemovedEntry(**entry) for name, entry in data.get("removed", {}).items()},
    )
    if not is_well_formed(manifest):
        raise ValueError("not a manifest")
    return manifest


def _refuse_newer(data: dict[str, Any], path: Path) -> None:
    """Raise StoreNewerError for a manifest that is sound but of a later schema."""
    try:
        schema, rows = str(data["schema"]), int(data["rows_schema"])
        if not schema.startswith(_FAMILY) or (
            schema in (MANIFEST_SCHEMA, _WITH_REMOVED) and rows <= SCHEMA_VERSION
        ):
            return
        sound = digest({name: value for name, value in data.items() if name != "digest"}) == data["digest"]
    except _NO_MANIFEST:
        return
    if sound:
        raise StoreNewerError(
            f"the run was closed by a newer benchctl ({data.get('benchctl')}: {schema}, rows of schema {rows})",
            where=Where(str(path)),
            expected=f"{_WITH_REMOVED} and rows of schema {SCHEMA_VERSION}, or older",
            next_step="update benchctl; nothing has been changed",
        )


@lru_cache(maxsize=4096)
def _sound(content: bytes) -> Manifest | None:
    """Return the manifest of a file's bytes, None where they are not exactly what it would be written as."""
    try:
        data = parse_json(content)
        manifest = _parse(data)
        return manifest if manifest.rows_schema <= SCHEMA_VERSION and manifest.to_bytes() == content else None
    except _NO_MANIFEST:
        return None


def read_manifest(layout: RunLayout, generation: int) -> Manifest:
    """Return one generation.

    Raises StoreDamagedError where a single byte differs from what its own digest says or it is not
    about this run and generation, StoreNewerError where a newer benchctl wrote it.
    """
    path = layout.manifest(generation)
    try:
        content = read_regular(path, _MOST_BYTES)
    except OSError as error:
        irregular = path.is_symlink()
        raise StoreDamagedError(
            "not a regular file" if irregular else f"cannot be read: {error.strerror}", where=Where(str(path))
        ) from error
    manifest = _sound(content)
    if manifest is None:
        with suppress(*_NO_MANIFEST):
            _refuse_newer(parse_json(content), path)
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

    Raises StoreDamagedError where a generation is missing, damaged, not the one that the next names, or
    lets go of a file without saying so.
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
        _refuse_break(layout, newest, manifest)
        newest = manifest
    return newest


def _refuse_break(layout: RunLayout, before: Manifest | None, after: Manifest) -> None:
    where = Where(str(layout.manifest(after.generation)))
    if after.previous != (before.digest if before else None):
        raise StoreDamagedError(
            f"the manifest follows {after.previous}",
            where=where,
            expected=f"{before.digest if before else None}, the digest of the generation before",
        )
    if before is None:
        return
    for name, entry in before.files.items():
        gone: RemovedEntry | None = after.removed.get(name)
        if after.files.get(name) != entry and (
            gone is None or (gone.bytes, gone.sha256) != (entry.bytes, entry.sha256)
        ):
            raise StoreDamagedError(
                f"it neither keeps {name} nor says that it was removed",
                where=where,
                expected=f"sha256 {entry.sha256}",
            )
    for name, removed in before.removed.items():
        if after.removed.get(name) != removed:
            raise StoreDamagedError(f"it no longer says that {name} was removed", where=where)
