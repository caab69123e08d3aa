"""Parquet through DuckDB: its numbers and truths as they are, everything else as a text that says the same."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from benchctl.errors import ImportUnreadableError
from benchctl.importers.arrow_schema import peculiar_columns
from benchctl.importers.base import WIDEST, Number, Sheet, too_wide
from benchctl.importers.columns import Expression, expressions, fields_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb

    from benchctl.importers.base import Raw, ReadOptions

__all__ = ["SUFFIX", "connection", "read"]

SUFFIX: Final = "parquet"
_BATCH: Final = 1024
_FILE: Final = "read_parquet(?, hive_partitioning = false)"
"""This file and no other column than its own, whatever the folders above it are called."""

_DESCRIBE: Final = f"DESCRIBE SELECT * FROM {_FILE}"  # noqa: S608 - our own words


def read(path: Path, options: ReadOptions) -> Sheet:
    """Return the file as a sheet, its structs flattened with dots. A row's place is its number, from 1.

    Parquet's own checksums are not verified: a byte that changed inside a page may be read as another value.
    """
    chosen = _chosen(path, options)
    if len(chosen) > WIDEST:
        raise too_wide(options, len(chosen))
    return Sheet(
        columns=tuple(each.name for each in chosen),
        bare=tuple(each.number for each in chosen),
        unit="row",
        rows=lambda: _rows(path, chosen, options),
        notes=tuple(f"{each.name}: {each.note}" for each in chosen if each.note),
    )


def _chosen(path: Path, options: ReadOptions) -> list[Expression]:
    import duckdb

    try:
        with connection() as connected:
            described = connected.execute(_DESCRIBE, [str(path)]).fetchall()
            schema = connected.execute(
                "SELECT name, num_children FROM parquet_schema(?)", [str(path)]
            ).fetchall()
            said = connected.execute(
                "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'ARROW:schema'", [str(path)]
            ).fetchone()
    except duckdb.Error as error:
        raise _unreadable(path, options, error) from error
    return expressions(
        [(str(row[0]), str(row[1])) for row in described],
        fields_of(schema),
        peculiar_columns(said[0]) if said else {},
    )


def connection() -> duckdb.DuckDBPyConnection:
    """Return a DuckDB that reads what it is told to and loads nothing."""
    import duckdb

    return duckdb.connect(
        config={
            "threads": 1,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
        }
    )


def _rows(
    path: Path, chosen: Sequence[Expression], options: ReadOptions
) -> Iterator[tuple[int, Sequence[Raw]]]:
    import duckdb

    place = 0
    with connection() as connected:
        try:
            connected.execute(
                f"SELECT {', '.join(each.sql for each in chosen)} FROM {_FILE}",  # noqa: S608 - names are quoted
                [str(path)],
            )
            while batch := connected.fetchmany(_BATCH):
                for values in batch:
                    place += 1
                    yield (
                        place,
                        [
                            _raw(value, each, options, place)
                            for value, each in zip(values, chosen, strict=True)
                        ],
                    )
        except duckdb.Error as error:
            raise _unreadable(path, options, error) from error


def _raw(value: Any, expression: Expression, options: ReadOptions, place: int) -> Raw:
    if expression.wide and value is not None:
        return Number(int.from_bytes(value, "little", signed=True))
    if isinstance(value, float) and not math.isfinite(value):
        return Number(str(value))
    if isinstance(value, str) and "\0" in value:
        raise ImportUnreadableError(
            f"the character NUL in column {expression.name!r}",
            where=options.where(place),
            next_step="write the file anew without it",
        )
    plain: Raw = value
    return plain


def _unreadable(path: Path, options: ReadOptions, error: Exception) -> ImportUnreadableError:
    said = str(error).strip().splitlines()[0].replace(str(path), options.name)
    return ImportUnreadableError(
        f"cannot be read as Parquet: {said}",
        where=options.where(),
        next_step="compare its sha256 with the original's; a copy that was cut short lacks its end",
    )
