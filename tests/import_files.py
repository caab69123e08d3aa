"""Rows as files of every format, and a file read as a run without a store: the importers' tests share it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from benchctl.importers import IMPORTERS
from benchctl.importers.base import ReadOptions
from benchctl.importers.imported import Imported, Source, Terms, read_run

Row = dict[str, Any]


def read_file(path: Path, kind: str, terms: dict[str, Any] | None = None, **options: Any) -> Imported:
    """Return the file as it would be imported."""
    given = {"mapped": {}, **(terms or {})}
    kept = f"evidence/source.{IMPORTERS[kind].SUFFIX}"
    return read_run(
        Source(path, "0" * 64, path.stat().st_size),
        kept,
        Terms(format=kind, **given),
        ReadOptions(name=path.name, **options),
    )


def rows_of(found: Imported, table: str = "foreign") -> list[Row]:
    return list(found.tables()[table])


def own(found: Imported) -> list[Row]:
    """Return the own columns of every row, in the file's order."""
    return [{name: value for name, value in row.items() if name != "cell"} for row in rows_of(found)]


def csv_bytes(rows: list[Row], columns: list[str]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_csv_value(row[name]) for name in columns])
    return text.getvalue().encode()


def _csv_value(value: Any) -> Any:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value


def jsonl_bytes(rows: list[Row], columns: list[str]) -> bytes:
    return b"".join(json.dumps({name: row[name] for name in columns}).encode() + b"\n" for row in rows)


def json_bytes(rows: list[Row], columns: list[str]) -> bytes:
    return json.dumps([{name: row[name] for name in columns} for row in rows], indent=1).encode()


def write_parquet(path: Path, rows: list[Row], columns: list[str], types: dict[str, str]) -> None:
    import duckdb

    with duckdb.connect() as connection:
        quoted = {name: '"' + name.replace('"', '""') + '"' for name in columns}
        declared = ", ".join(f"{quoted[name]} {types[name]}" for name in columns)
        connection.execute(f"CREATE TABLE t ({declared})")
        if rows:
            marks = ", ".join("?" * len(columns))
            connection.executemany(
                f"INSERT INTO t VALUES ({marks})", [[row[name] for name in columns] for row in rows]
            )
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")


def write_file(path: Path, kind: str, rows: list[Row], columns: list[str], types: dict[str, str]) -> Path:
    if kind == "parquet":
        write_parquet(path, rows, columns, types)
    else:
        make = {"csv": csv_bytes, "jsonl": jsonl_bytes, "json": json_bytes}[kind]
        path.write_bytes(make(rows, columns))
    return path
