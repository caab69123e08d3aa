"""A table as data: JSON in the promised shape, and CSV that a spreadsheet opens without running anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchctl.report.escaping import csv_text
from benchctl.report.shape import Table, TableCell

__all__ = ["TABLE_SCHEMA", "rows_to_csv", "to_csv", "to_json"]

TABLE_SCHEMA = "benchctl.table/1"


def to_json(table: Table) -> dict[str, Any]:
    """Return the table as JSON values; each row maps column titles to key texts and to cells."""
    return {
        "schema": TABLE_SCHEMA,
        "name": table.name,
        "title": table.title,
        "run": table.run,
        "data": table.data_digest,
        "columns": [
            {"title": column.title, "key": column.key, "unit": column.unit} for column in table.columns
        ],
        "rows": [
            {
                column.title: cell.text if column.key else cell.as_json()
                for column, cell in zip(table.columns, row, strict=True)
            }
            for row in table.rows
        ],
        "notes": list(table.notes),
    }


def to_csv(table: Table) -> str:
    """Return one line a row: keys, then for each figure its value and, where there is one, its interval and `of`.

    Values are unrounded; "no value" is an empty field.
    """
    parts = [_parts(table, index) for index in range(len(table.columns))]
    header = [name for index, names in enumerate(parts) for name in _names(table.columns[index].title, names)]
    lines = [
        [value for index, cell in enumerate(row) for value in _values(cell, parts[index])]
        for row in table.rows
    ]
    return _csv([header, *lines])


def rows_to_csv(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> str:
    """Return stored rows as CSV in the given column order; null is an empty field."""
    return _csv([list(columns), *([row.get(column) for column in columns] for row in rows)])


def _parts(table: Table, index: int) -> tuple[str, ...]:
    cells = [row[index] for row in table.rows]
    if table.columns[index].key:
        return ("value",)
    present = ["value"]
    present += [part for part in ("of", "lo", "hi") if any(getattr(cell, part) is not None for cell in cells)]
    return tuple(present)


def _names(title: str, parts: tuple[str, ...]) -> list[str]:
    return [title if part == "value" else f"{title} {part}" for part in parts]


def _values(cell: TableCell, parts: tuple[str, ...]) -> list[object]:
    return [getattr(cell, part) for part in parts]


def _csv(lines: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([_field(value) for value in line] for line in lines)
    return out.getvalue()


def _field(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return csv_text(value) if isinstance(value, str) else value
