"""Every byte of a run against its manifest, and its rows against the digest that pages pin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchctl.errors import BenchctlError, StoreDamagedError
from benchctl.store.history import read_history, refuse_damage
from benchctl.store.layout import JOURNAL, RunLayout
from benchctl.store.manifest import (
    IN_DATA,
    TableEntry,
    data_digest,
    entry_of,
    file_entry,
    files_of,
    newest_manifest,
)
from benchctl.store.parquet import read_rows
from benchctl.store.rows import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchctl.store.manifest import Manifest

__all__ = ["Damage", "table_entries", "verify_run"]

_PLACE = "ORDER BY (SELECT nth FROM place WHERE place.cell = source.cell)"
_ORDER = {"cells": 'ORDER BY "order"', "attempts": f"{_PLACE}, attempt", "grades": _PLACE}


@dataclass(frozen=True, slots=True)
class Damage:
    """One file that is not as it must be; `path` is inside the run's folder."""

    path: str
    what: str
    expected: str | None = None

    def __str__(self) -> str:
        """Return one line."""
        return f"{self.path}: {self.what}" + (f"; expected {self.expected}" if self.expected else "")


def verify_run(folder: Path) -> list[Damage]:
    """Return everything that is wrong with a run's folder; empty where all is sound.

    Of a closed run every file is hashed, missing and added ones are named, and the rows are digested
    anew. Of an open run the record and the journals are checked: a torn last line is no damage.
    Raises StoreNewerError for a run of a newer benchctl.
    """
    layout = RunLayout(folder)
    try:
        manifest = newest_manifest(layout)
    except StoreDamagedError as error:
        return [_from_error(layout, error)]
    if manifest is None:
        return list(_open_damage(layout))
    found = [*_file_damage(layout, manifest), *_litter(layout)]
    return found or list(_content_damage(layout, manifest))


def _from_error(layout: RunLayout, error: BenchctlError) -> Damage:
    path = str(error.where.file) if error.where else str(layout.folder)
    return Damage(path.removeprefix(f"{layout.folder}/"), error.what, error.expected)


def _open_damage(layout: RunLayout) -> Iterator[Damage]:
    from benchctl.store.reader import read_record

    if not layout.journal.is_dir():
        yield Damage("manifest.json", "missing", "a manifest, or the journals of an open run")
        return
    try:
        read_record(layout)
        refuse_damage(layout.journal)
    except StoreDamagedError as error:
        yield _from_error(layout, error)
        return
    said = read_history(layout.journal).record_digests
    actual = file_entry(layout.record).sha256
    if said - {actual}:
        yield Damage(
            "run.json", f"sha256 {actual}", f"sha256 {' or '.join(sorted(said))}, as the journals say"
        )


def _file_damage(layout: RunLayout, manifest: Manifest) -> Iterator[Damage]:
    present = files_of(layout, manifest.generation)
    for name, wanted in manifest.files.items():
        expected = f"{wanted.bytes} bytes, sha256 {wanted.sha256}"
        path = present.pop(name, None)
        if path is None:
            yield Damage(name, "missing", expected)
        elif path.is_symlink() or not path.is_file():
            yield Damage(name, "not a regular file", expected)
        elif (actual := file_entry(path)) != wanted:
            yield Damage(name, f"{actual.bytes} bytes, sha256 {actual.sha256}", expected)
    wanted_by_digest = {entry.sha256: name for name, entry in manifest.files.items()}
    for name, path in present.items():
        twin = (
            None if path.is_symlink() or not path.is_file() else wanted_by_digest.get(file_entry(path).sha256)
        )
        yield Damage(
            name, f"added; its bytes are those of {twin}" if twin else "added", "no file of that name"
        )


def _litter(layout: RunLayout) -> Iterator[Damage]:
    if layout.journal.is_dir():
        yield Damage(
            f"{JOURNAL}/",
            "left over by a writer that died while closing the run; resuming the run sweeps it",
            "no journals beside a manifest",
        )


def _content_damage(layout: RunLayout, manifest: Manifest) -> Iterator[Damage]:
    for name, actual in table_entries(layout, manifest).items():
        wanted = manifest.tables[name]
        if actual != wanted:
            path = layout.table(name).relative_to(layout.folder).as_posix()
            yield Damage(
                path,
                f"{actual.rows} rows, digest {actual.sha256}",
                f"{wanted.rows} rows, digest {wanted.sha256}",
            )
    if manifest.data != data_digest(manifest.tables):
        yield Damage(
            layout.manifest(manifest.generation).name,
            f"data digest {manifest.data}",
            data_digest(manifest.tables),
        )


def table_entries(layout: RunLayout, manifest: Manifest) -> dict[str, TableEntry]:
    """Return the rows and content digest of each table in the data digest, read anew in the recorded order.

    However the rows are stored and compressed, the same rows give the same entries.
    """
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(
            'CREATE TABLE place AS SELECT cell, "order" AS nth FROM read_parquet(?)',
            [str(layout.table("cells"))],
        )
        return {
            table: entry_of(
                read_rows(
                    connection, layout.table(table), columns_of(table, manifest.rows_schema), _ORDER[table]
                )
            )
            for table in IN_DATA
        }
