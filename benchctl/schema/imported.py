"""What is known of a run that was imported: the file it came from, how it was read, and which columns are its own.

Nothing is invented: a standard column that no source column was mapped to is null in every row.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from benchctl.schema.result import Column, ColumnType

__all__ = [
    "EXPORTED_SCHEMA",
    "FURTHER_TABLE_SCHEMA",
    "ForeignColumn",
    "ImportRecord",
    "TableRecord",
    "foreign_columns",
    "table_columns",
]

FURTHER_TABLE_SCHEMA: Final = "benchctl.further-table/1"
EXPORTED_SCHEMA: Final = "benchctl.exported/1"
"""What a file that `benchctl export` wrote says that it is."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class ForeignColumn(_Record):
    """A column of the source that is kept under its own name.

    `name` is what queries call it: the source's own name, unless that was taken; `source` the name in the
    file. `null` counts the rows without a value.
    """

    name: str
    type: ColumnType
    source: str
    null: int


class ImportRecord(_Record):
    """Where an imported run came from. `sha256` and `bytes` are those of the file, kept under `evidence/`.

    `kept` is the copy's path inside the run; `mapped` is standard column -> source column; `key` the source
    columns that name a row; `null_texts` what was read as null; `notes` every outcome that was printed;
    `options` the other terms of reading, such as the delimiter or the pointer.
    """

    format: str
    file: str
    kept: str
    sha256: str
    bytes: int
    rows: int
    encoding: str | None
    key: tuple[str, ...]
    mapped: dict[str, str]
    null_texts: tuple[str, ...]
    foreign: tuple[ForeignColumn, ...]
    notes: tuple[str, ...]
    dialect: Literal["", "codeaf"] = ""
    options: dict[str, str] = {}


class TableRecord(_Record):
    """Where a further table of a run came from: a file's columns under their own names, and no key.

    `sha256` and `bytes` are those of the file, kept beside the table under `kept`.
    """

    schema_name: Annotated[Literal["benchctl.further-table/1"], Field(alias="schema")] = FURTHER_TABLE_SCHEMA
    table: str
    format: str
    file: str
    kept: str
    sha256: str
    bytes: int
    rows: int
    encoding: str | None
    null_texts: tuple[str, ...]
    columns: tuple[ForeignColumn, ...]
    notes: tuple[str, ...]
    options: dict[str, str] = {}


def table_columns(table: TableRecord) -> tuple[Column, ...]:
    """Return the columns of a further table, in the file's order."""
    return tuple(
        Column(each.name, each.type, f"`{each.source}` of {table.file}, as imported.", None, "no value")
        for each in table.columns
    )


def foreign_columns(imported: ImportRecord) -> tuple[Column, ...]:
    """Return the columns of the run's table `foreign`: its cell, then its own columns in the file's order."""
    own = tuple(
        Column(each.name, each.type, f"`{each.source}` of {imported.file}, as imported.", None, "no value")
        for each in imported.foreign
    )
    return (Column("cell", "VARCHAR", "The cell's name inside its run."), *own)
