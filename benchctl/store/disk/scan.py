r"""A stored table read once for all that is checked of it: its columns, each row's own digest, the digest of the whole.

DuckDB writes the canonical lines, which is several times faster than a Python object a value;
a law holds them to `rows.canonical_row` byte for byte. What it writes otherwise (the case of
`\u001b`) is put right here.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from benchctl.errors import StoreDamagedError, Where
from benchctl.schema.result import TABLES
from benchctl.store.disk.entries import TableEntry
from benchctl.store.disk.parquet import (
    batches,
    columns_in,
    literal,
    parquet_schema,
    quoted,
    refuse_found,
    sealed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import duckdb

    from benchctl.schema.result import Column

__all__ = ["Line", "Scan", "canonical_lines", "newest_entry", "stored_columns", "stored_entry"]

_BATCH = 2048
_SIGNED = "row_digest"
_ESCAPE = re.compile(r"\\(?:u00[0-9A-F]{2}|.)")


class Line(NamedTuple):
    """One row: its canonical line, whether it is what its own digest says, and the kept values."""

    text: bytes
    sound: bool
    kept: list[Any]


@dataclass(slots=True)
class Scan:
    """One file's rows: the columns that were asked for, and the cells whose rows are not what their digests say."""

    path: Path
    columns: tuple[Column, ...]
    kept: list[dict[str, Any]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def stored_columns(
    connection: duckdb.DuckDBPyConnection, path: Path, table: str, own: Sequence[Column] = ()
) -> tuple[Column, ...]:
    """Return the columns that a file has: those of its table in some version of the schema, or exactly `own`.

    Raises StoreDamagedError for any others.
    """
    found = columns_in(connection, path)
    if not own:
        refuse_found(found, path, table)
    elif found != tuple((column.name, column.type) for column in own):
        raise StoreDamagedError(
            "the columns are not those that the run says it has",
            where=Where(str(path)),
            expected=", ".join(f"{column.name} {column.type}" for column in own),
        )
    names = {name for name, _ in found}
    return tuple(own) or tuple(column for column in TABLES[table] if column.name in names)


def _json(column: Column) -> str:
    """Return a column's value as canonical JSON, in SQL. DuckDB's shortest form of a DOUBLE is Python's."""
    name = f"source.{quoted(column.name)}"
    text = f"to_json({name})" if column.type == "VARCHAR" else name
    return f"coalesce(CAST({text} AS VARCHAR), 'null')"


def _members(columns: Sequence[Column]) -> list[str]:
    """Return each column's name and value as a member of a JSON object, in SQL."""
    keys = (literal(json.dumps(column.name, ensure_ascii=False) + ":") for column in columns)
    return [f"{key} || {_json(column)}" for key, column in zip(keys, columns, strict=True)]


def _pieces(columns: Sequence[Column]) -> tuple[str, str, str]:
    """Return a row in SQL as what stands before `row_digest`, that, and what stands behind it.

    The first ends, or the last begins, where the comma has to be; without such a column all is the first.
    """
    ordered = sorted(columns, key=lambda column: column.name)
    at = next((n for n, column in enumerate(ordered) if column.name == _SIGNED), None)
    if at is None:
        return _joined(_members(ordered)), "NULL", "NULL"
    head = _joined([*_members(ordered[:at]), "''"])
    tail = _joined(["''", *_members(ordered[at + 1 :])])
    return head, f"source.{_SIGNED}", tail


def _joined(texts: Sequence[str]) -> str:
    """Return texts in SQL with commas between them. One call: a chain of `||` is as deep as there are columns."""
    return f"concat_ws(',', {', '.join(texts)})" if texts else "''"


def _canonical(text: str) -> bytes:
    r"""Return DuckDB's line as Python writes it: hexadecimal digits of an escape in lower case."""
    if "\\u00" in text:
        text = _ESCAPE.sub(lambda match: match[0].lower() if match[0][1] == "u" else match[0], text)
    return text.encode()


def canonical_lines(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    columns: tuple[Column, ...],
    kept: Sequence[str] = (),
    order: str = "",
) -> Iterator[Line]:
    """Yield a Parquet file's rows as stored, or as `order` (an ORDER BY clause over `source`) says.

    A row without a column `row_digest` is sound. Raises StoreDamagedError.
    """
    for batch in _batches(connection, path, columns, kept, order):
        for head, said, tail, *values in batch:
            before = _canonical(head)
            if tail is None:
                yield Line(b"{%b}\n" % before, True, values)  # noqa: FBT003
                continue
            after = _canonical(tail)
            body = b"{%b}" % (before + after[1:] if after else before[:-1])
            told = _told(said)
            yield Line(
                b'{%b"row_digest":%b%b}\n' % (before, told, after),
                said == "sha256:" + hashlib.sha256(body).hexdigest(),
                values,
            )


def stored_entry(
    connection: duckdb.DuckDBPyConnection, path: Path, columns: tuple[Column, ...]
) -> TableEntry:
    """Return the entry of one file's rows, as they are stored. Raises StoreDamagedError."""
    count, sha256 = 0, hashlib.sha256()
    for line in canonical_lines(connection, path, columns):
        sha256.update(line.text)
        count += 1
    return TableEntry(count, sha256.hexdigest())


def _told(said: str | None) -> bytes:
    return json.dumps(said, ensure_ascii=False).encode()


def _batches(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    columns: tuple[Column, ...],
    kept: Sequence[str],
    order: str,
) -> Iterator[list[Any]]:
    """Yield batches of (before the row's digest, the digest, behind it, *kept)."""
    pieces = ", ".join((*_pieces(columns), *(f"source.{quoted(name)}" for name in kept)))
    source = f"read_parquet(?, schema={parquet_schema(columns)})"
    select = f"SELECT {pieces} FROM {source} AS source {order}"  # noqa: S608 - names are quoted
    yield from batches(connection, path, select, _BATCH)


def _placed(
    connection: duckdb.DuckDBPyConnection, scan: Scan, names: Sequence[str], place: Mapping[str, int]
) -> Iterator[tuple[tuple[int, int], str, bytes]]:
    """Yield ((place of the cell, attempt), cell, line) in that order, filling in the scan on the way."""
    last, within = len(place), "attempt" if "attempt" in names else None
    order = "" if _in_order(connection, scan, within, place) else _ordering(connection, within, place)
    for text, sound, kept in canonical_lines(connection, scan.path, scan.columns, names, order):
        row = dict(zip(names, kept, strict=True))
        cell = row["cell"] = str(row["cell"])
        scan.kept.append(row)
        if not sound:
            scan.wrong.append(cell)
        yield (place.get(cell, last), (row["attempt"] or 0) if within else 0), cell, text


def _in_order(
    connection: duckdb.DuckDBPyConnection, scan: Scan, within: str | None, place: Mapping[str, int]
) -> bool:
    """Return whether a file's rows stand in the recorded order already, as every writer of ours leaves them."""
    second = "coalesce(attempt, 0)" if within else "0"
    with sealed(scan.path):
        rows = connection.execute(
            f"SELECT cell, {second} FROM read_parquet(?)",  # noqa: S608 - a column of ours
            [str(scan.path)],
        ).fetchall()
    keys = [(place.get(cell, len(place)), attempt) for cell, attempt in rows]
    return all(one <= other for one, other in pairwise(keys))


def _ordering(connection: duckdb.DuckDBPyConnection, within: str | None, place: Mapping[str, int]) -> str:
    """Return the ORDER BY clause of the recorded order, its table of places filled in."""
    connection.execute("CREATE TABLE IF NOT EXISTS place (cell VARCHAR PRIMARY KEY, nth BIGINT)")
    connection.execute(
        "INSERT OR IGNORE INTO place SELECT unnest(?), unnest(?)", [list(place), list(place.values())]
    )
    return f"LEFT JOIN place ON place.cell = source.cell ORDER BY coalesce(nth, {len(place)})" + (
        ", coalesce(source.attempt, 0)" if within else ""
    )


def _numbered(
    nth: int, lines: Iterator[tuple[tuple[int, int], str, bytes]]
) -> Iterator[tuple[tuple[int, int], int, str, bytes]]:
    """Yield a file's lines with its number. A function, for what is written in place would see the last number."""
    for key, cell, text in lines:
        yield key, nth, cell, text


def newest_entry(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[Scan],
    place: Mapping[str, int],
    kept: Sequence[str] = ("cell",),
) -> TableEntry:
    """Return a table's entry over its files, oldest first: the newest row of each cell, in the recorded order.

    Of a table of one file every row counts. `kept`, whose first is `cell`, says what the scans keep of every
    row; `place` is cell -> its place. Raises StoreDamagedError.
    """
    newest: dict[str, int] = {}
    for nth, scan in enumerate(files if len(files) > 1 else ()):
        with sealed(scan.path):
            rows = connection.execute("SELECT cell FROM read_parquet(?)", [str(scan.path)]).fetchall()
        newest |= dict.fromkeys((str(cell) for (cell,) in rows), nth)
    streams = [_numbered(nth, _placed(connection, scan, kept, place)) for nth, scan in enumerate(files)]
    count, sha256 = 0, hashlib.sha256()
    for _, nth, cell, text in streams[0] if len(streams) == 1 else heapq.merge(*streams):
        if newest.get(cell, nth) == nth:
            sha256.update(text)
            count += 1
    return TableEntry(count, sha256.hexdigest())
