"""What a closed run keeps beside its rows: the suite or the file it was imported from, and further tables.

A file that was erased or dropped is not missed where the manifest says so with its digest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from benchctl.errors import StoreDamagedError
from benchctl.schema.result import Column, ColumnType
from benchctl.store.checking.damage import Damage, from_error
from benchctl.store.checking.terms import SUITE
from benchctl.store.disk.entries import FileEntry, TableEntry
from benchctl.store.disk.layout import REQUIRED, original_name
from benchctl.store.disk.parquet import columns_in
from benchctl.store.disk.record import NO_SUITE
from benchctl.store.disk.scan import stored_entry
from benchctl.store.disk.untrusted import parse_json, read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from benchctl.schema.run import RunRecord
    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest

__all__ = ["keepsake_damage", "unlisted"]

_TYPES: Final[dict[object, ColumnType]] = {each: each for each in get_args(ColumnType)}


def unlisted(manifest: Manifest, record: RunRecord) -> Iterator[Damage]:
    """Yield each file that a run has to have and this manifest does not list, and a suite or source that is another."""
    removed = {original_name(name)[0] for name in manifest.removed}
    for name in REQUIRED:
        if manifest.current(name) is None and name not in removed:
            yield Damage(name, "not in the manifest", "a file that every closed run has")
    suite = _first(manifest, SUITE)
    if not record.imported or suite:
        said = f"sha256:{suite.sha256}" if suite else NO_SUITE
        if said != record.suite_digest:
            yield Damage(
                SUITE,
                said if suite else "not in the manifest",
                f"{record.suite_digest}, as run.json says",
            )
    if record.imported:
        wanted = FileEntry(record.imported.bytes, record.imported.sha256)
        source = _first(manifest, record.imported.kept)
        if source != wanted:
            yield Damage(
                record.imported.kept,
                f"{source.bytes} bytes, sha256 {source.sha256}" if source else "not in the manifest",
                f"{wanted.bytes} bytes, sha256 {wanted.sha256}, as run.json says",
            )


def _first(manifest: Manifest, name: str) -> FileEntry | None:
    """Return what a file was when the run was closed, though it may have been removed or replaced since."""
    if name in manifest.files:
        return manifest.files[name]
    gone = manifest.removed.get(name)
    return FileEntry(gone.bytes, gone.sha256) if gone else None


def keepsake_damage(layout: RunLayout, manifest: Manifest) -> Iterator[Damage]:
    """Yield what the further tables' Parquet files are not, of what their descriptions and the manifest say."""
    import duckdb

    names = {
        original_name(name)[0]
        for name in manifest.files
        if name.startswith("tables/") and ".source" not in name
    }
    stems = sorted({name.removesuffix(".parquet").removesuffix(".json") for name in names})
    with duckdb.connect(config={"threads": 1}) as connection:
        for stem in stems:
            rows, about = (manifest.current(f"{stem}{ending}") for ending in (".parquet", ".json"))
            if rows is None or about is None:
                yield Damage(rows or about or stem, "a further table's rows or their description is missing")
                continue
            try:
                yield from _Further(layout, manifest, stem, rows, about).damage(connection)
            except StoreDamagedError as error:
                yield from_error(layout, error)


@dataclass(frozen=True, slots=True)
class _Further:
    """One further table: `tables/<name>`, the file of its rows and the one that describes it."""

    layout: RunLayout
    manifest: Manifest
    stem: str
    rows: str
    about: str

    def damage(self, connection: duckdb.DuckDBPyConnection) -> Iterator[Damage]:
        """Yield where the rows, their description and the manifest differ."""
        try:
            said = parse_json(read_regular(self.layout.folder / self.about))
            own = tuple(Column(str(each["name"]), _TYPES[each["type"]], "") for each in said["columns"])
            source = FileEntry(int(said["bytes"]), str(said["sha256"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            yield Damage(self.about, f"not the description of a further table: {error}")
            return
        path = self.layout.folder / self.rows
        columns, wanted = columns_in(connection, path), tuple((each.name, each.type) for each in own)
        if columns != wanted:
            yield Damage(self.rows, f"columns {_listed(columns)}", f"{_listed(wanted)}, as {self.about} says")
            return
        actual = stored_entry(connection, path, own)
        if said.get("rows", actual.rows) != actual.rows:
            yield Damage(self.rows, f"{actual.rows} rows", f"{said['rows']}, as {self.about} says")
        entry = self.manifest.tables.get(self.stem, TableEntry(0, "of no rows"))
        if actual != entry:
            yield Damage(
                self.rows,
                f"{actual.rows} rows, digest {actual.sha256}",
                f"{entry.rows} rows, digest {entry.sha256}",
            )
        if not self._has_source(source):
            yield Damage(
                self.about, f"its source, sha256 {source.sha256}, is not in the run", f"{self.stem}.source…"
            )

    def _has_source(self, source: FileEntry) -> bool:
        """Return whether the file that the table was made of is in the run, or was and is said to be removed."""
        kept = {name: (each.bytes, each.sha256) for name, each in self.manifest.files.items()}
        kept |= {name: (each.bytes, each.sha256) for name, each in self.manifest.removed.items()}
        return any(
            each == (source.bytes, source.sha256) and name.startswith(f"{self.stem}.source")
            for name, each in kept.items()
        )


def _listed(columns: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} {type_}" for name, type_ in columns) or "none"
