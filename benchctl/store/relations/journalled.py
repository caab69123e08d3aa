"""What the journals of open runs say, as tables of a schema of their own."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.schema.result import TABLES, VIEWS
from benchctl.store.disk.parquet import json_source, literal, quoted
from benchctl.store.disk.rows import canonical_row
from benchctl.store.relations.selects import OPEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import duckdb

    from benchctl.store.relations.loadable import Loadable

__all__ = ["load_journals"]


def load_journals(
    connection: duckdb.DuckDBPyConnection, runs: Sequence[Loadable], tables: Iterable[str], cell: str | None
) -> None:
    """Load these stored tables of open runs, of `cell` alone where it is named; nothing where no run is open."""
    open_runs = [run for run in runs if run.manifest is None]
    wanted = tuple(tables)
    if not open_runs or not wanted:
        return
    connection.execute(f"CREATE SCHEMA {OPEN}")
    for table in wanted:
        columns = (VIEWS["cells"][0], *TABLES[table])
        declared = ", ".join(f"{quoted(column.name)} {column.type}" for column in columns)
        connection.execute(f"CREATE TABLE {OPEN}.{quoted(table)} ({declared})")
    for run in open_runs:
        _load(connection, run, wanted, cell)


def _load(
    connection: duckdb.DuckDBPyConnection, run: Loadable, tables: Sequence[str], cell: str | None
) -> None:
    with tempfile.TemporaryDirectory(prefix="benchctl-") as folder:
        files = {table: (Path(folder) / f"{table}.jsonl").open("wb") for table in tables}
        longest = dict.fromkeys(tables, 0)
        try:
            for name, row in run.history().rows(run.record, closing=False, tables=tables, cell=cell):
                line = canonical_row(row)
                longest[name] = max(longest[name], len(line))
                files[name].write(line)
        finally:
            for file in files.values():
                file.close()
        for table in tables:
            if longest[table]:
                names = ", ".join(quoted(column.name) for column in TABLES[table])
                source = json_source(TABLES[table], longest[table])
                connection.execute(
                    f"INSERT INTO {OPEN}.{quoted(table)} SELECT {literal(run.id)}, {names} FROM {source}",  # noqa: S608 - names are ours
                    [files[table].name],
                )
