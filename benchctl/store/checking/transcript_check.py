"""The transcripts of a closed run against its attempts and its manifest.

Their texts are most of a run's bytes, and every byte of their file is covered by its sha256. So they
are digested anew only on demand, or where the file does not itself say which rows it was sealed with:
what that adds beside the file's sha256 is a guard against a manifest that somebody has made anew.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchctl.errors import StoreDamagedError
from benchctl.store.checking.damage import Damage, first_row, from_error
from benchctl.store.disk.entries import TableEntry
from benchctl.store.disk.parquet import read_rows, sealed
from benchctl.store.disk.scan import stored_columns, stored_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import duckdb

    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest

__all__ = ["sealed_entry", "transcript_damage"]

_KEPT = ("cell", "attempt", "stream", "sha256")


def transcript_damage(
    layout: RunLayout, manifest: Manifest, attempts: Iterable[dict[str, Any]], *, deep: bool
) -> Iterator[Damage]:
    """Yield what is wrong with the transcripts; nothing where they were dropped."""
    import duckdb

    name = manifest.file_of("transcripts")
    if name is None:
        return
    path, wanted = layout.folder / name, manifest.tables.get("transcripts", TableEntry(0, "of no rows"))
    with duckdb.connect(config={"threads": 1}) as connection:
        try:
            columns = stored_columns(connection, path, "transcripts")
            actual = None if deep else sealed_entry(connection, path)
            actual = actual or stored_entry(connection, path, columns)
            kept = tuple(column for column in columns if column.name in _KEPT)
            rows = [tuple(row.values()) for row in read_rows(connection, path, kept)]
        except StoreDamagedError as error:
            yield from_error(layout, error)
            return
    if actual.rows != len(rows) or actual != wanted:
        yield Damage(
            name,
            f"{len(rows)} rows, digest {actual.sha256}",
            f"{wanted.rows} rows, digest {wanted.sha256}",
        )
    yield from _not_of_the_attempts(name, rows, attempts)


def _not_of_the_attempts(
    name: str, rows: list[tuple[Any, ...]], attempts: Iterable[dict[str, Any]]
) -> Iterator[Damage]:
    streams = {
        (row["cell"], row["attempt"], stream): sha256
        for row in attempts
        for stream, sha256 in _streams(row).items()
    }
    said = {(str(cell), attempt, stream): sha256 for cell, attempt, stream, sha256 in rows}
    if said != streams or len(said) != len(rows):
        wrong = [key[0] for key in said.keys() | streams.keys() if said.get(key) != streams.get(key)]
        yield first_row(name, wrong or [key[0] for key in said], "not the streams of its attempts")


def _streams(attempt: dict[str, Any]) -> dict[str, str]:
    """Return the sha256 of each stream that an attempt's row says is kept of it, by name."""
    own = {stream: attempt[f"{stream}_sha256"] for stream in ("stdout", "stderr")}
    try:
        further = json.loads(attempt.get("kept") or "{}")
    except ValueError:
        further = {}
    return {stream: sha256 for stream, sha256 in {**further, **own}.items() if sha256 is not None}


def sealed_entry(connection: duckdb.DuckDBPyConnection, path: Path) -> TableEntry | None:
    """Return the entry that a table was sealed with, as its file says; None for a file that does not say."""
    with sealed(path):
        found = connection.execute(
            "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'benchctl.rows'::BLOB", [str(path)]
        ).fetchall()
    rows, _, sha256 = found[0][0].decode("utf-8", "replace").partition(" sha256:") if found else ("", "", "")
    return TableEntry(int(rows), sha256) if rows.isascii() and rows.isdigit() else None
