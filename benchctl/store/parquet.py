"""Rows to Parquet and back through DuckDB, with every column's type and default said outright.

Nothing is inferred: a type that DuckDB guessed from one file would differ in the next.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchctl.errors import StoreDamagedError, Where
from benchctl.schema.result import SCHEMA_VERSION
from benchctl.store.rows import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import duckdb

    from benchctl.schema.result import Column
    from benchctl.store.rows import Row

__all__ = [
    "json_source",
    "literal",
    "parquet_schema",
    "quoted",
    "read_rows",
    "refuse_columns",
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


def refuse_columns(connection: duckdb.DuckDBPyConnection, path: Path, table: str) -> None:
    """Raise StoreDamagedError where a file has not the columns and types of its table in any version of the schema."""
    with sealed(path):
        cursor = connection.execute("SELECT * FROM read_parquet(?) LIMIT 0", [str(path)])
    found = {column[0]: str(column[1]) for column in cursor.description or ()}
    versions = [
        {column.name: column.type for column in columns_of(table, version + 1)}
        for version in range(SCHEMA_VERSION)
    ]
    if list(found.items()) in [list(version.items()) for version in versions]:
        return
    wrong = [name for name, type_ in versions[-1].items() if found.get(name) != type_]
    wrong += [name for name in found if name not in versions[-1]]
    raise StoreDamagedError(
        f"the columns are not those of `{table}`: " + (", ".join(wrong) or "in another order"),
        where=Where(str(path)),
        expected="the columns and types of the schema, in its order",
        next_step="restore the file from a copy; `benchctl verify-store` checks every file",
    )


def json_source(columns: tuple[Column, ...], longest: int = 0) -> str:
    """Return a read_json call whose one parameter is the file; `longest` is its longest line in bytes."""
    types = ", ".join(f"{literal(column.name)}: {literal(column.type)}" for column in columns)
    size = max(_JSON_OBJECT_BYTES, longest + 1)
    return f"read_json(?, format='newline_delimited', maximum_object_size={size}, columns={{{types}}})"


def write_parquet(
    connection: duckdb.DuckDBPyConnection,
    rows: Path,
    table: str,
    into: Path,
    *,
    metadata: Mapping[str, str],
    longest: int,
) -> None:
    """Write a file of canonical JSON rows as Parquet, in the same order; not fsynced.

    Row groups are bounded by bytes, so that one transcript is read without its neighbours
    (measured: 17 ms instead of 618 ms).
    """
    columns = columns_of(table)
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
    with connection.cursor() as cursor:  # so that the connection can be used while the rows are taken
        with sealed(path):
            cursor.execute(select, [str(path)])
        while True:
            with sealed(path):
                batch = cursor.fetchmany(_BATCH)
            if not batch:
                return
            for values in batch:
                yield dict(zip(names, values, strict=True))
