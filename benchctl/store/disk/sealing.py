"""Rows become a Parquet file for good: spooled, compressed, flushed, read back, and only then given their name.

A file that stands under its final name therefore says exactly the rows that were handed in. Until
then there are only temporary files in a scratch folder, which whoever comes next sweeps.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
from contextlib import closing
from typing import TYPE_CHECKING, Final

from benchctl.errors import StoreDamagedError, Where
from benchctl.store.disk.durable import (
    TEMPORARY,
    fsync_file,
    link_once,
    make_folder,
    removed_after,
    unwritable,
)
from benchctl.store.disk.manifest import TableEntry, entry_of
from benchctl.store.disk.parquet import read_rows, write_parquet
from benchctl.store.disk.rows import canonical_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import duckdb

    from benchctl.schema.result import Column
    from benchctl.store.disk.rows import Row

__all__ = ["Spool", "seal", "seal_table"]

_INTEGERS: Final = range(-(2**63), 2**63)


class Spool:
    """One table's rows on their way to Parquet: canonical lines on disk, and their digest."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = self.longest = 0
        self._sha256 = hashlib.sha256()
        with unwritable(path):
            self._file = path.open("wb")

    def add(self, row: Row) -> None:
        """Take one more row, typed as its table's columns say. Raises StoreUnwritableError."""
        line = canonical_row(row)
        with unwritable(self.path):
            self._file.write(line)
        self._sha256.update(line)
        self.rows += 1
        self.longest = max(self.longest, len(line))

    def close(self) -> None:
        """End the spool: the rows can be sealed then. Raises StoreUnwritableError."""
        with unwritable(self.path):
            self._file.close()

    @property
    def entry(self) -> TableEntry:
        """Return the content entry of the rows taken so far."""
        return TableEntry(self.rows, self._sha256.hexdigest())


def seal_table(
    rows: Iterable[Row],
    columns: tuple[Column, ...],
    into: Path,
    *,
    scratch: Path,
    metadata: Mapping[str, str],
) -> TableEntry:
    """Write rows, in their order, as a new Parquet file with exactly these columns; return its content entry.

    A row names every column, in any order; a value is None, or a str, int, float (or int) or bool as the
    column's type says. `scratch` is a folder on the same disk, and what is left there after a death ends in
    `.tmp`. Raises ValueError for a row or a name that does not fit, StoreExistsError where `into` is taken,
    StoreUnwritableError, and StoreDamagedError where the file does not read back; whichever, `into` is not
    there.
    """
    import duckdb

    _refuse_names(columns)
    make_folder(scratch)
    spool = Spool(scratch / f"{into.name}.{os.getpid()}.jsonl{TEMPORARY}")
    with removed_after(spool.path):
        with closing(spool):
            for number, row in enumerate(rows, start=1):
                spool.add(_typed(row, columns, number))
        with duckdb.connect(config={"threads": 1}) as connection:
            return seal(connection, spool, columns, into, metadata=metadata)


def _system_error(error: Exception) -> OSError:
    """Return what the system refused; DuckDB says its number, where it says it, inside of a JSON text."""
    if number := re.search(r'"errno":"(\d+)"', str(error)):
        return OSError(int(number[1]), os.strerror(int(number[1])))
    return OSError(str(error).splitlines()[0])


def seal(
    connection: duckdb.DuckDBPyConnection,
    spool: Spool,
    columns: tuple[Column, ...],
    into: Path,
    *,
    metadata: Mapping[str, str],
) -> TableEntry:
    """Write a closed spool's rows as the new file `into` and return their entry; the spool stays.

    Raises StoreExistsError, StoreUnwritableError or StoreDamagedError, and then `into` is not there.
    """
    import duckdb

    temporary = spool.path.with_name(f"{spool.path.name.removesuffix(f'.jsonl{TEMPORARY}')}{TEMPORARY}")
    said = {**metadata, "benchctl.rows": f"{spool.rows} sha256:{spool.entry.sha256}"}
    with removed_after(temporary):
        with unwritable(temporary):
            try:
                write_parquet(
                    connection, spool.path, columns, temporary, metadata=said, longest=spool.longest
                )
            except duckdb.IOException as error:
                raise _system_error(error) from error
            fsync_file(temporary)
        if entry_of(read_rows(connection, temporary, columns)) != spool.entry:
            raise StoreDamagedError(
                "the sealed table does not read back as it was written",
                where=Where(str(temporary)),
                next_step="check the disk; nothing was changed, so the same command can be run again",
            )
        link_once(temporary, into)
    return spool.entry


def _refuse_names(columns: tuple[Column, ...]) -> None:
    """Raise ValueError for names that a table cannot have: DuckDB knows no case of ASCII, no empty name, no NUL."""
    known: set[bytes] = set()
    for column in columns:
        plain = column.name.encode().lower()
        if not plain or b"\0" in plain or plain in known:
            raise ValueError(f"{column.name!r} cannot be a column's name beside the others")
        known.add(plain)


def _typed(row: Row, columns: tuple[Column, ...], number: int) -> Row:
    """Return a row whose values are of their columns' types: a whole number in a DOUBLE is a float."""
    if len(row) != len(columns):
        raise ValueError(f"row {number} has not the columns of its table: {sorted(row)}")
    typed: Row = {}
    for column in columns:
        value = row.get(column.name, row)
        if not _fits(value, column):
            raise ValueError(f"row {number}, column {column.name!r}: {value!r} is no {column.type}")
        typed[column.name] = float(value) if column.type == "DOUBLE" and value is not None else value
    return typed


def _fits(value: object, column: Column) -> bool:
    match value:
        case None:
            return True
        case bool():
            return column.type == "BOOLEAN"
        case int():
            return column.type == "DOUBLE" or (column.type == "BIGINT" and value in _INTEGERS)
        case float():
            return column.type == "DOUBLE" and math.isfinite(value)
        case _:
            return column.type == "VARCHAR" and isinstance(value, str)
