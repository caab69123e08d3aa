"""The tables of a closed run: which files hold them, in which columns, and what a manifest has to say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.store.disk.entries import IN_DATA, WHERE_PRESENT, TableEntry
from benchctl.store.disk.layout import first_name, names_of_table
from benchctl.store.disk.parquet import sealed
from benchctl.store.disk.scan import Scan, newest_entry, stored_columns, stored_entry
from benchctl.store.disk.verified_file import trusted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    import duckdb

    from benchctl.schema.result import Column
    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest

__all__ = ["entries_after", "own_columns", "places", "table_entries"]


def own_columns(layout: RunLayout, table: str) -> tuple[Column, ...]:
    """Return the columns of an imported run's table `foreign`; empty for a table that the schema describes."""
    from benchctl.schema.imported import foreign_columns
    from benchctl.store.disk.record import read_record

    imported = read_record(layout).imported if table == "foreign" else None
    return foreign_columns(imported) if imported else ()


def places(connection: duckdb.DuckDBPyConnection, cells: Path) -> dict[str, int]:
    """Return cell -> its place in the recorded order, from 0 and without gaps. Raises StoreDamagedError."""
    with sealed(cells):
        rows = connection.execute(
            'SELECT cell FROM read_parquet(?) ORDER BY "order", cell', [str(cells)]
        ).fetchall()
    return {str(cell): nth for nth, (cell,) in reversed(list(enumerate(rows)))}


def _entry(
    connection: duckdb.DuckDBPyConnection,
    layout: RunLayout,
    table: str,
    paths: Sequence[Path],
    place: Mapping[str, int],
) -> TableEntry:
    own = own_columns(layout, table)
    scans = [Scan(path, stored_columns(connection, path, table, own)) for path in paths]
    if table == "transcripts":  # which are in no data digest
        return stored_entry(connection, scans[0].path, scans[0].columns)
    return newest_entry(connection, scans, place, ("cell", "attempt") if table == "attempts" else ("cell",))


def table_entries(
    layout: RunLayout, manifest: Manifest, tables: Sequence[str] = (*IN_DATA, *WHERE_PRESENT)
) -> dict[str, TableEntry]:
    """Return the entry of each of these tables that the run has, read anew in the recorded order.

    However the rows are stored and compressed, the same rows give the same entries.
    """
    return _entries(layout, frozenset(manifest.files), {}, tables)


def _entries(
    layout: RunLayout, files: Collection[str], ready: Mapping[str, Path], tables: Sequence[str]
) -> dict[str, TableEntry]:
    """Return the entries over `files`; `ready` says where those are that have no name yet."""
    import duckdb

    def path(name: str) -> Path:
        return ready.get(name, layout.folder / name)

    with duckdb.connect(config={"threads": 1}) as connection:
        (cells,) = names_of_table(files, "cells") or [first_name("cells")]
        place = places(connection, path(cells))
        found = {table: [path(name) for name in names_of_table(files, table)] for table in tables}
        return {
            table: _entry(connection, layout, table, paths, place) for table, paths in found.items() if paths
        }


def entries_after(
    layout: RunLayout, newest: Manifest, files: Collection[str], ready: Mapping[str, Path]
) -> dict[str, TableEntry]:
    """Return the entries of the next generation: anew where a table's files change, else as they were said.

    `files` is what the next generation lists, `ready` the new ones among them. Files that are read and are
    not new have to be what the manifest says: raises StoreDamagedError.
    """
    known = {*IN_DATA, *WHERE_PRESENT, "transcripts"}
    changed = [
        table
        for table in sorted(known)
        if names_of_table(files, table) != names_of_table(newest.files, table)
    ]
    for table in {*changed, "cells"} if changed else ():
        for name in names_of_table(files, table):
            if name not in ready:
                trusted(layout, newest, name)
    dropped = {table for table in changed if not names_of_table(files, table)}
    gone = {
        name
        for name in newest.tables
        if name.startswith("tables/") and newest.current(f"{name}.parquet") not in files
    }
    kept = {name: entry for name, entry in newest.tables.items() if name not in dropped | gone}
    return kept | _entries(layout, files, ready, [table for table in changed if table not in dropped])
