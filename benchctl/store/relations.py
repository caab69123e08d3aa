"""Runs as DuckDB tables in memory, loaded with an explicit schema and then locked in.

The connection that comes out can read nothing but its tables: no file, no network, no
variable of this process, and its settings cannot be changed back.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.errors import RunClosedError, StoreDamagedError, Where
from benchctl.schema.result import TABLES, VIEWS, Column
from benchctl.store.parquet import (
    json_source,
    literal,
    parquet_schema,
    quoted,
    refuse_columns,
    sealed,
)
from benchctl.store.rows import canonical_row
from benchctl.store.trust import trusted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from benchctl.store.loadable import Loadable
    from benchctl.store.manifest import Manifest
    from benchctl.store.rows import Row

__all__ = ["RUNS", "connect", "fetch", "refuse_changed"]

RUNS: tuple[Column, ...] = (
    Column("run", "VARCHAR", "The run's id."),
    Column("state", "VARCHAR", "`open` while it may grow, `closed` for good."),
    Column("suite", "VARCHAR", "The suite's name."),
    Column("suite_digest", "VARCHAR", "Digest of the suite file."),
    Column("created_at", "VARCHAR", "When it was started, UTC, ISO 8601."),
    Column("benchctl", "VARCHAR", "The version that started it."),
    Column("seed", "BIGINT", "The seed of the recorded order."),
    Column("reps", "BIGINT", "Repetitions of each cell."),
    Column("planned", "BIGINT", "Cells of the plan."),
    Column("refused", "BIGINT", "Refusals of the plan."),
    Column("sandbox", "VARCHAR", "The containment level it was started under."),
    Column("practice", "BOOLEAN", "Whether it asks practice questions, which never count."),
    Column("plan_digest", "VARCHAR", "Digest of the plan."),
    Column("data_digest", "VARCHAR", "Digest of its rows, which pages pin.", None, "the run is open"),
)
"""The columns of the view `runs`, one row a run."""

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1,  # measured: faster than two for tables of this size, and the order of sums is fixed
    "python_enable_replacements": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
}
_LOCK = (
    "SET temp_directory = ''",
    "SET disabled_filesystems = 'LocalFileSystem'",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)


_STORED: dict[str, tuple[str, ...]] = {"cells": ("cells", "grades"), "runs": ()}
"""View -> the stored tables that it is made of; every other view is one of its own name."""


def connect(
    runs: Sequence[Loadable],
    tables: Sequence[str] = ("cells",),
    *,
    cell: str | None = None,
    settings: Sequence[str] = (),
) -> duckdb.DuckDBPyConnection:
    """Return a locked connection that holds the given views of the given runs, `cell` alone where it is named.

    `settings` are further SET statements, run before the lock. Raises StoreDamagedError where a file is
    not what its manifest says, before DuckDB sees it.
    """
    for _ in runs:
        try:
            return _connect(runs, tables, cell, settings)
        except (
            RunClosedError,
            FileNotFoundError,
        ):  # an open run was closed while it was read: once a run at most
            runs = [run.current() for run in runs]
    return _connect(runs, tables, cell, settings)


def _connect(
    runs: Sequence[Loadable], tables: Sequence[str], cell: str | None, settings: Sequence[str]
) -> duckdb.DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(config=_CONFIG)
    try:
        for table in tables:
            _load(connection, runs, table, cell)
        for statement in (*settings, *_LOCK):
            connection.execute(statement)
    except BaseException:
        connection.close()
        raise
    return connection


def fetch(
    connection: duckdb.DuckDBPyConnection, table: str, tail: str = "", parameters: Sequence[object] = ()
) -> list[Row]:
    """Return rows of a loaded view as dictionaries; `tail` is our own SQL."""
    cursor = connection.execute(f"SELECT * FROM {quoted(table)} {tail}", list(parameters))  # noqa: S608 - names are ours
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]


def _load(
    connection: duckdb.DuckDBPyConnection, runs: Sequence[Loadable], view: str, cell: str | None
) -> None:
    if view == "runs":
        _load_runs(connection, runs)
    elif view == "cells":
        _load_table(connection, runs, "cells", "_cells", cell)
        _load_table(connection, runs, "grades", "_grades", cell)
        _join_newest_grades(connection)
    else:
        _load_table(connection, runs, view, view, cell)


def refuse_changed(runs: Sequence[Loadable], tables: Sequence[str]) -> None:
    """Raise StoreDamagedError where a file that these views of closed runs are made of is not what its manifest says."""
    for run in runs:
        if run.manifest:
            for view in tables:
                _ = run.record if view == "runs" else None
                for table in _STORED.get(view, (view,)):
                    _files(run, table)


def _create(connection: duckdb.DuckDBPyConnection, name: str, columns: Sequence[Column]) -> None:
    declared = ", ".join(f"{quoted(column.name)} {column.type}" for column in columns)
    connection.execute(f"CREATE TABLE {quoted(name)} ({declared})")


def _load_runs(connection: duckdb.DuckDBPyConnection, runs: Sequence[Loadable]) -> None:
    _create(connection, "runs", RUNS)
    for run in runs:
        record = run.record
        own = {
            "state": "closed" if run.manifest else "open",
            "planned": len(record.cells),
            "refused": len(record.refusals),
            "data_digest": run.manifest.data if run.manifest else None,
        }
        values = [own[c.name] if c.name in own else getattr(record, c.name) for c in RUNS]
        connection.execute(f"INSERT INTO runs VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608 - placeholders


def _load_table(
    connection: duckdb.DuckDBPyConnection, runs: Sequence[Loadable], table: str, name: str, cell: str | None
) -> None:
    """Fill one table: closed runs from their files, open ones from their journals."""
    columns = TABLES[table]
    _create(connection, name, (VIEWS[table][0], *columns))
    names = ", ".join(quoted(column.name) for column in columns)
    which, wanted = ("WHERE cell = ?", [cell]) if cell is not None else ("", [])
    source = f"read_parquet(?, schema={parquet_schema(columns)})"
    for run in runs:
        insert = f"INSERT INTO {quoted(name)} SELECT {literal(run.id)}, {names}"
        for path in _files(run, table):
            refuse_columns(connection, path, table)
            with sealed(path):
                loaded = connection.execute(
                    f"{insert} FROM {source} {which}", [str(path), *wanted]
                ).fetchall()
            if run.manifest and cell is None and path == run.layout.table(table):
                _refuse_count(run.manifest, table, path, loaded[0][0])
        if run.manifest is None:
            _load_journals(connection, run, table, insert, cell)


def _refuse_count(manifest: Manifest, table: str, path: Path, rows: int) -> None:
    wanted = manifest.tables[table].rows if table in manifest.tables else rows
    if rows != wanted:
        raise StoreDamagedError(
            f"{rows} rows", where=Where(str(path)), expected=f"{wanted} rows, as the manifest says"
        )


def _files(run: Loadable, table: str) -> list[Path]:
    """Return a closed run's verified files of a table; every generation of grades, nothing where it has no such table."""
    if run.manifest is None:
        return []
    if table == "grades":
        names = [
            name for name in run.manifest.files if name.startswith("grades/") and name.endswith(".parquet")
        ]
    else:
        names = [run.layout.table(table).relative_to(run.layout.folder).as_posix()]
    required = table in run.manifest.tables
    return [
        trusted(run.layout, run.manifest, name) for name in names if required or name in run.manifest.files
    ]


def _load_journals(
    connection: duckdb.DuckDBPyConnection, run: Loadable, table: str, insert: str, cell: str | None
) -> None:
    longest = 0
    with tempfile.TemporaryDirectory(prefix="benchctl-") as folder:
        spool = Path(folder) / "rows.jsonl"
        with spool.open("wb") as file:
            for name, row in run.history().rows(run.record, closing=False):
                if name == table and cell in (None, row["cell"]):
                    line = canonical_row(row)
                    longest = max(longest, len(line))
                    file.write(line)
        if longest:
            connection.execute(f"{insert} FROM {json_source(TABLES[table], longest)}", [str(spool)])


def _join_newest_grades(connection: duckdb.DuckDBPyConnection) -> None:
    of_cells = {column.name for column in TABLES["cells"]} | {"run"}
    chosen = ", ".join(
        f"{'c' if column.name in of_cells else 'g'}.{quoted(column.name)}" for column in VIEWS["cells"]
    )
    connection.execute(
        f"CREATE TABLE cells AS SELECT {chosen} FROM _cells c LEFT JOIN ("  # noqa: S608 - names are ours
        " SELECT * FROM _grades QUALIFY row_number() OVER (PARTITION BY run, cell ORDER BY generation DESC) = 1"
        ') g ON c.run = g.run AND c.cell = g.cell ORDER BY c.run, c."order"'
    )
    connection.execute("DROP TABLE _cells")
    connection.execute("DROP TABLE _grades")
