"""The columns that a run has of its own: what was imported with its cells, and its further tables.

They are read from the verified Parquet files themselves, whose types are their schema; the record says
where each came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from benchctl.errors import StoreDamagedError, TableUnknownError, Where
from benchctl.schema.result import VIEWS, Column, ColumnType
from benchctl.store.disk.parquet import parquet_source, quoted
from benchctl.store.relations.file_content import contents, reading
from benchctl.store.relations.files import FURTHER, VerifiedFile, files_of, further_tables
from benchctl.store.relations.views import sayable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

    from benchctl.store.relations.file_content import Content
    from benchctl.store.relations.loadable import Loadable

__all__ = [
    "OWN_FILES",
    "further_of",
    "inexact_as_floats",
    "own_columns",
    "own_columns_of",
    "read_own",
    "spelling",
]

OWN_FILES: Final = {"cells": "foreign"}
"""View -> the stored table with the own columns of its rows."""

_LOST: Final = "{0}::DOUBLE::HUGEINT <> {0}"
_TYPES: Final = get_args(ColumnType)


def further_of(runs: Sequence[Loadable]) -> dict[str, str]:
    """Return the further tables of all these runs: lower-case name -> the name as the first run has it."""
    found: dict[str, str] = {}
    for run in runs:
        found = further_tables(run.manifest) | found
    return found


def own_columns(runs: Sequence[Loadable], table: str) -> dict[str, tuple[Column, ...]]:
    """Return run -> its own columns in `cells` or in a further table; a run without such a file is left out.

    Raises StoreDamagedError where the file is not what the manifest says.
    """
    stored = OWN_FILES.get(table, table)
    if stored == table and not table.startswith(FURTHER):
        return {}
    files = {run.id: file for run in runs for file in files_of(run, stored).values()}
    if not files:
        return {}
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        found = contents(connection, list(files.values()))
    return {
        run: tuple(read_own(file, content, table).values())
        for (run, file), content in zip(files.items(), found, strict=True)
    }


def own_columns_of(run: Loadable, view: str) -> tuple[Column, ...]:
    """Return the own columns of one run in a view or in a further table, however spelt. Raises TableUnknownError."""
    further = further_of((run,))
    if view not in VIEWS and view.lower() not in further:
        raise TableUnknownError(
            f"no table {view!r} in run {run.id}", expected=", ".join((*VIEWS, *further.values()))
        )
    stored = view if view in VIEWS else f"{FURTHER}{view.lower()}"
    return own_columns((run,), stored).get(run.id, ())


def inexact_as_floats(
    runs: Sequence[Loadable], table: str, own: Mapping[str, tuple[Column, ...]]
) -> frozenset[str]:
    """Return the own columns, lower-case, that are BIGINT here and DOUBLE there, with a number that no DOUBLE is."""
    whole = _named_by_type(own, "BIGINT")
    clashing = whole & _named_by_type(own, "DOUBLE")
    if not clashing:
        return frozenset()
    import duckdb

    found: set[str] = set()
    stored = OWN_FILES.get(table, table)
    with duckdb.connect(config={"threads": 1}) as connection:
        for file in (file for run in runs if run.id in own for file in files_of(run, stored).values()):
            (content,) = contents(connection, [file])
            names = spelling(file, content, table)
            for lower in clashing & names.keys() - found:
                name, type_ = names[lower]
                if type_ == "BIGINT" and _is_inexact(connection, file, name):
                    found.add(lower)
    return frozenset(found)


def _named_by_type(own: Mapping[str, tuple[Column, ...]], type_: str) -> set[str]:
    return {column.name.lower() for columns in own.values() for column in columns if column.type == type_}


def _is_inexact(connection: duckdb.DuckDBPyConnection, file: VerifiedFile, name: str) -> bool:
    source = parquet_source([file.path], [Column(name, "BIGINT", "")])
    with reading(connection, [file.path]):
        found = connection.execute(f"SELECT bool_or({_LOST.format(quoted(name))}) FROM {source}").fetchone()  # noqa: S608 - names are quoted
    return bool(found and found[0])


def read_own(file: VerifiedFile, content: Content, table: str) -> dict[str, Column]:
    """Return the column of each name in a file, by that name. `run`, and `cell` of `cells`, are never its own.

    Raises StoreDamagedError for a type that the store does not know.
    """
    taken = {"run", "cell"} if table == "cells" else {"run"}
    columns: dict[str, Column] = {}
    for name, type_ in content.columns:
        kind = next((known for known in _TYPES if known == type_), None)
        if kind is None:
            raise StoreDamagedError(
                f"the column `{name}` is of type {type_}",
                where=Where(str(file.path)),
                expected=", ".join(_TYPES),
            )
        if table == "cells" and name == "cell":
            continue
        shown = sayable(f"source_{name}" if name.lower() in taken else name, taken)
        taken.add(shown.lower())
        columns[name] = Column(shown, kind, "As it was imported.", None, "no value")
    return columns


def spelling(file: VerifiedFile, content: Content, table: str) -> dict[str, tuple[str, str]]:
    """Return what the file calls each own column: lower-case name -> (name in the file, type)."""
    return {
        column.name.lower(): (name, column.type) for name, column in read_own(file, content, table).items()
    }
