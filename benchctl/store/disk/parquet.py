"""Rows to Parquet and back through DuckDB, with every column's type and default said outright.

Nothing is inferred: a type that DuckDB guessed from one file would differ in the next.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from benchctl.errors import StoreDamagedError, Where
from benchctl.schema.result import SCHEMA_VERSION
from benchctl.store.disk.rows import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    import duckdb

    from benchctl.schema.result import Column
    from benchctl.store.disk.rows import Row

__all__ = [
    "batches",
    "columns_in",
    "json_source",
    "literal",
    "parquet_schema",
    "parquet_source",
    "quoted",
    "read_rows",
    "refuse_found",
    "sealed",
    "write_parquet",
]

_BATCH = 256
_JSON_OBJECT_BYTES = 1024 * 1024
"""DuckDB takes twice this for a buffer; its own default of 16 MiB would cost 32 for rows of a few hundred bytes."""


def quoted(name: str) -> str:
    """Return an identifier as SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as a SQL string."""
    return "'" + text.replace("'", "''") + "'"


def parquet_schema(columns: tuple[Column, ...]) -> str:
    """Return the `schema` argument of read_parquet: a column that a file lacks reads as its declared default."""
    entries = (
        f"{literal(c.name)}: {{name: {literal(c.name)}, type: {literal(c.type)},"
        f" default_value: CAST({c.default} AS VARCHAR)}}"
        for c in columns
    )
    return f"MAP {{{', '.join(entries)}}}"


def parquet_source(paths: Iterable[Path], columns: Iterable[Column], *extra: str) -> str:
    """Return a read_parquet call over exactly these files with exactly these columns; `extra` are further arguments."""
    files = ", ".join(literal(str(path)) for path in paths)
    arguments = (f"[{files}]", f"schema={parquet_schema(tuple(columns))}", *extra)
    return f"read_parquet({', '.join(arguments)})"


@contextmanager
def sealed(path: Path) -> Iterator[None]:
    """Turn what DuckDB says inside of a stored file into StoreDamagedError naming it; a lack of memory stays one."""
    import duckdb

    try:
        yield
    except (duckdb.OutOfMemoryException, duckdb.InterruptException):
        raise
    except duckdb.Error as error:
        raise StoreDamagedError(
            f"cannot be read as a table: {str(error).strip().splitlines()[0]}",
            where=Where(str(path)),
            next_step="restore the file from a copy; `benchctl verify-store` checks every file",
        ) from error


def columns_in(connection: duckdb.DuckDBPyConnection, path: Path) -> tuple[tuple[str, str], ...]:
    """Return a Parquet file's columns in its order: name and DuckDB type. Raises StoreDamagedError."""
    with sealed(path):
        cursor = connection.execute("SELECT * FROM read_parquet(?) LIMIT 0", [str(path)])
    return tuple((column[0], str(column[1])) for column in cursor.description or ())


def refuse_found(found: tuple[tuple[str, str], ...], path: Path, table: str) -> None:
    """Raise StoreDamagedError where these columns, (name, type) in order, are not those of a table in any version."""
    versions = _versions(table)
    if found in versions:
        return
    newest, types = dict(versions[-1]), dict(found)
    wrong = [name for name, type_ in newest.items() if types.get(name) != type_]
    wrong += [name for name in types if name not in newest]
    raise StoreDamagedError(
        f"the columns are not those of `{table}`: " + (", ".join(wrong) or "in another order"),
        where=Where(str(path)),
        expected="the columns and types of the schema, in its order",
        next_step="restore the file from a copy; `benchctl verify-store` checks every file",
    )


@cache
def _versions(table: str) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Return what a table's columns were in each version of the schema that has it."""
    every = (columns_of(table, version + 1) for version in range(SCHEMA_VERSION))
    return tuple(tuple((column.name, column.type) for column in columns) for columns in every if columns)


def json_source(columns: tuple[Column, ...], longest: int = 0) -> str:
    """Return a read_json call whose one parameter is the file; `longest` is its longest line in bytes."""
    types = ", ".join(f"{literal(column.name)}: {literal(column.type)}" for column in columns)
    size = max(_JSON_OBJECT_BYTES, longest + 1)
    return f"read_json(?, format='newline_delimited', maximum_object_size={size}, columns={{{types}}})"


def write_parquet(
    connection: duckdb.DuckDBPyConnection,
    rows: Path,
    columns: tuple[Column, ...],
    into: Path,
    *,
    metadata: Mapping[str, str],
    longest: int,
) -> None:
    """Write a file of canonical JSON rows with these columns as Parquet, in the same order; not fsynced.

    Row groups are bounded by bytes, so that one transcript is read without its neighbours
    (measured: 17 ms instead of 618 ms).
    """
    names = ", ".join(quoted(column.name) for column in columns)
    pairs = ", ".join(f"{quoted(key)}: {literal(value)}" for key, value in metadata.items())
    connection.execute(
        f"COPY (SELECT {names} FROM {json_source(columns, longest)}) TO {literal(str(into))} "  # noqa: S608 - names are ours
        "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 9, ROW_GROUP_SIZE_BYTES '8MB', "
        f"KV_METADATA {{{pairs}}})",
        [str(rows)],
    )


def read_rows(
    connection: duckdb.DuckDBPyConnection, path: Path, columns: tuple[Column, ...], order: str = ""
) -> Iterator[Row]:
    """Yield a Parquet file's rows with the given columns, as stored or as `order` (an ORDER BY clause) says."""
    names = [column.name for column in columns]
    source = f"read_parquet(?, schema={parquet_schema(columns)})"
    select = f"SELECT {', '.join(map(quoted, names))} FROM {source} AS source {order}"  # noqa: S608 - names are ours
    for batch in batches(connection, path, select, _BATCH):
        for values in batch:
            yield dict(zip(names, values, strict=True))


def batches(
    connection: duckdb.DuckDBPyConnection, path: Path, select: str, size: int
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield what a SELECT whose one parameter is this file gives, at most `size` rows at once."""
    with connection.cursor() as cursor:  # so that the connection can be used while the rows are taken
        with sealed(path):
            cursor.execute(select, [str(path)])
        while True:
            with sealed(path):
                batch = cursor.fetchmany(size)
            if not batch:
                return
            yield batch
