"""What is known of a Parquet file's content: asked once, of many files at a time, and kept by sha256.

Content that has the same sha256 has the same columns and rows, whatever its path, so what was found
out is never stale. Asking each of a thousand files by itself took longer than reading them all.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchctl.errors import StoreDamagedError, Where
from benchctl.store.disk.parquet import sealed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

    from benchctl.store.relations.files import VerifiedFile

__all__ = ["Content", "aligned", "contents", "reading"]


@dataclass(frozen=True, slots=True)
class Content:
    """A file's columns, (name, type) in order, and how many rows it has."""

    columns: tuple[tuple[str, str], ...]
    rows: int


_CONTENTS: dict[str, Content] = {}
_ALIGNED: dict[tuple[str, str], bool] = {}

_COLUMNS = """
SELECT file_name, list(name), list(coalesce(duckdb_type, 'unknown')), count(num_children)
FROM parquet_schema($1) GROUP BY ALL
"""
_ROWS = "SELECT file_name, num_rows FROM parquet_file_metadata($1)"
_OUT_OF_STEP = """
SELECT c.filename, count(*) FILTER (c.cell IS DISTINCT FROM o.cell)
FROM read_parquet($1, filename = true) c POSITIONAL JOIN read_parquet($2) o GROUP BY 1
"""


def contents(connection: duckdb.DuckDBPyConnection, files: Sequence[VerifiedFile]) -> list[Content]:
    """Return what each file holds. Raises StoreDamagedError naming the file that is no flat table."""
    new = {str(file.path): file for file in files if file.sha256 not in _CONTENTS}
    if new:
        paths = list(new)
        schemas = _ask(connection, _COLUMNS, paths)
        rows = dict(_ask(connection, _ROWS, paths))
        for path, names, types, parents in schemas:
            if parents != 1:  # the root alone has children in a flat table
                raise StoreDamagedError("not a flat table", where=Where(path))
            columns = tuple(zip(names[1:], types[1:], strict=True))
            _CONTENTS[new[path].sha256] = Content(columns, rows[path])
    return [_CONTENTS[file.sha256] for file in files]


def aligned(
    connection: duckdb.DuckDBPyConnection, pairs: Sequence[tuple[VerifiedFile, VerifiedFile]]
) -> list[bool]:
    """Return whether the second of each pair has the cells of the first, all of them and in their order.

    Then the two are joined row by row: on a million rows that takes a quarter of what a join on the
    cells' names does.
    """
    first = contents(connection, [pair[0] for pair in pairs])
    second = contents(connection, [pair[1] for pair in pairs])
    new: dict[str, tuple[str, str]] = {}
    sides: tuple[list[str], list[str]] = ([], [])
    for pair, of_cells, of_others in zip(pairs, first, second, strict=True):
        key = (pair[0].sha256, pair[1].sha256)
        if of_cells.rows != of_others.rows:
            _ALIGNED[key] = False
        elif key not in _ALIGNED:
            new[str(pair[0].path)] = key
            for side, file in zip(sides, pair, strict=True):
                side.append(str(file.path))
    if new:
        with reading(connection, [Path(path) for side in sides for path in side]):
            found = dict(connection.execute(_OUT_OF_STEP, list(sides)).fetchall())
        for path, key in new.items():
            _ALIGNED[key] = not found.get(path, 0)  # of two files without rows nothing is heard
    return [_ALIGNED[pair[0].sha256, pair[1].sha256] for pair in pairs]


@contextmanager
def reading(connection: duckdb.DuckDBPyConnection, paths: Sequence[Path]) -> Iterator[None]:
    """Turn what DuckDB says inside of one of these files into StoreDamagedError naming the first that it cannot read."""
    import duckdb

    try:
        yield
    except (duckdb.OutOfMemoryException, duckdb.InterruptException):
        raise
    except duckdb.Error:
        for path in paths:
            with sealed(path):
                connection.execute("SELECT count(COLUMNS(*)) FROM read_parquet($1)", [str(path)]).fetchall()
        raise


def _ask(connection: duckdb.DuckDBPyConnection, sql: str, paths: list[str]) -> list[tuple[Any, ...]]:
    with reading(connection, [Path(path) for path in paths]):
        return connection.execute(sql, [paths]).fetchall()
