"""Every byte of a run against its manifest, and its rows against the digest that pages pin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.errors import StoreDamagedError
from benchctl.store.contents import contradictions, unlisted
from benchctl.store.damage import Damage, from_error
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
from benchctl.store.parquet import read_rows, sealed
from benchctl.store.rows import columns_of
from benchctl.store.state import standing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchctl.store.manifest import Manifest

__all__ = ["Damage", "table_entries", "verify_run"]

_PLACE = "ORDER BY (SELECT min(nth) FROM place WHERE place.cell = source.cell)"
_ORDER = {"cells": 'ORDER BY "order"', "attempts": f"{_PLACE}, attempt", "grades": _PLACE}


def verify_run(folder: Path) -> list[Damage]:
    """Return everything that is wrong with a run's folder; empty where all is sound.

    Of a closed run every file is hashed, missing and added ones are named, and the rows are digested
    anew; then what the run says twice is compared. Of an open run the record and the journals are checked: a torn last line is no damage.
    Raises StoreNewerError for a run of a newer benchctl.
    """
    from benchctl.store.reader import read_record

    layout = RunLayout(folder)
    try:
        manifest = newest_manifest(layout)
    except StoreDamagedError as error:
        return [from_error(layout, error)]
    if manifest is None:
        return list(_open_damage(layout))
    found = [*_file_damage(layout, manifest), *_litter(layout)]
    if found:
        return found
    try:
        record = read_record(layout)
        found = list(unlisted(manifest, record)) or list(contradictions(layout, manifest, record))
        return found or list(_content_damage(layout, manifest))
    except StoreDamagedError as error:
        return [from_error(layout, error)]


def _open_damage(layout: RunLayout) -> Iterator[Damage]:
    from benchctl.store.reader import read_record

    try:
        if standing(layout).state != "open":
            return
        read_record(layout)
        refuse_damage(layout.journal)
        said = read_history(layout.journal).record_digests
    except StoreDamagedError as error:
        yield from_error(layout, error)
        return
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
    for name, actual in (table_entries(layout, manifest) | _transcripts(layout, manifest)).items():
        wanted = manifest.tables.get(name, TableEntry(0, "of no rows"))
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


def _transcripts(layout: RunLayout, manifest: Manifest) -> dict[str, TableEntry]:
    """Return the entry of the transcripts, which are in no data digest, as they are stored."""
    import duckdb

    columns = columns_of("transcripts", manifest.rows_schema)
    with duckdb.connect(config={"threads": 1}) as connection:
        return {"transcripts": entry_of(read_rows(connection, layout.table("transcripts"), columns))}


def table_entries(layout: RunLayout, manifest: Manifest) -> dict[str, TableEntry]:
    """Return the rows and content digest of each table in the data digest, read anew in the recorded order.

    However the rows are stored and compressed, the same rows give the same entries.
    """
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        with sealed(layout.table("cells")):
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
