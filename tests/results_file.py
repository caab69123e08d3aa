"""A results file of somebody's as an imported run: what shows a run is tested without an importer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchctl.schema.canonical import sha256_hex
from benchctl.schema.imported import ForeignColumn, ImportRecord
from benchctl.schema.result import TABLES
from benchctl.store.writing.imported import import_record, write_import

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchctl.store.reader import Store, StoredRun

__all__ = ["AT", "imported_run", "make_import", "plain"]

AT = "2026-11-30T08:00:00Z"
_TYPES = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}
_MAPPED = {"agent": "tool", "question": "task", "wall_s": "seconds"}


def plain(count: int, **more: Any) -> list[dict[str, Any]]:
    """Return rows of a small results file: who, what, seconds, a number of its own, a text of its own."""
    return [
        {
            "tool": ("rg", "ag")[number % 2],
            "task": f"t{number // 2 + 1}",
            "seconds": 0.5 + number,
            "hits": None if number == 3 else number * 10,
            "remark": "<b>fast</b>" if number == 0 else None,
            **more,
        }
        for number in range(count)
    ]


def make_import(
    store: Store,
    run: str = "imp",
    rows: Sequence[dict[str, Any]] | None = None,
    mapped: dict[str, str] | None = None,
    key: Sequence[str] = ("tool", "task"),
    **more: Any,
) -> None:
    """Write a closed run that was imported. Every column stays under its own name; a mapped `score` becomes its grades."""
    rows = plain(6) if rows is None else rows
    mapped = _MAPPED if mapped is None else mapped
    names = ["/".join(str(row[each]) for each in key) or str(number) for number, row in enumerate(rows)]
    if len(set(names)) < len(names):
        names = [str(number) for number in range(len(rows))]
    named = list(zip(names, rows, strict=True))
    cells = [
        _row(
            "cells",
            cell=name,
            order=order,
            **{to: row[source] for to, source in mapped.items() if to != "score"},
        )
        for order, (name, row) in enumerate(named)
    ]
    grades = [
        _row("grades", cell=name, generation=1, grader="imported", score=row[mapped["score"]])
        for name, row in named
        if mapped.get("score")
    ]
    own = {name: (_type(name, rows), [row[name] for row in rows]) for name in rows[0]}
    said = {
        "content": repr(rows).encode(),
        "key": tuple(key),
        "mapped": mapped,
        "null_texts": ("", "n/a"),
        "notes": ("a BOM was left out",),
    }
    _write(store, run, own, {"cells": cells, "grades": grades}, {**said, **more})


def imported_run(
    store: Store,
    run: str,
    own: dict[str, tuple[str, list[Any]]],
    standard: dict[str, list[Any]] | None = None,
    grades: dict[str, list[Any]] | None = None,
) -> StoredRun:
    """Write a run whose own columns are `own` (name -> type, values); `standard` and `grades` fill standard columns."""
    standard = standard or {}
    count = len(next(iter([values for _, values in own.values()] or standard.values())))
    names = [f"row-{number}" for number in range(count)]

    def rows(table: str, given: dict[str, Any], **same: Any) -> list[dict[str, Any]]:
        return [
            _row(table, cell=name, **same, **{column: values[n] for column, values in given.items()})
            for n, name in enumerate(names)
        ]

    cells = rows("cells", {"order": range(count), **standard})
    graded = rows("grades", grades, generation=1, grader="imported") if grades else []
    said = {"content": run.encode(), "key": ("row",), "mapped": {}, "null_texts": (), "notes": ()}
    _write(store, run, own, {"cells": cells, "grades": graded}, said)
    return store.run(run)


def _write(
    store: Store,
    run: str,
    own: dict[str, tuple[str, list[Any]]],
    tables: dict[str, list[dict[str, Any]]],
    said: dict[str, Any],
) -> None:
    content = said.pop("content")
    names = [row["cell"] for row in tables["cells"]]
    source = store.path / f"{run}.csv"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_bytes(content)
    fields: dict[str, Any] = {
        "format": "csv",
        "file": "results.csv",
        "kept": "evidence/source.csv",
        "sha256": sha256_hex(content),
        "bytes": len(content),
        "rows": len(names),
        "encoding": "utf-8",
        "foreign": tuple(
            ForeignColumn(name=name, type=type_, source=name, null=values.count(None))
            for name, (type_, values) in own.items()
        ),
        **said,
    }
    foreign = [
        {"cell": cell, **{name: values[n] for name, (_, values) in own.items()}}
        for n, cell in enumerate(names)
    ]
    write_import(
        store, import_record(run, ImportRecord(**fields), AT), {**tables, "foreign": foreign}, source
    )
    source.unlink()


def _type(name: str, rows: Sequence[dict[str, Any]]) -> str:
    values = [row[name] for row in rows]
    return next((_TYPES[type(value)] for value in values if value is not None), "VARCHAR")


def _row(table: str, **values: Any) -> dict[str, Any]:
    return {column.name: values.get(column.name) for column in TABLES[table] if column.name != "row_digest"}
