"""What a run's page offers for download: its rows, as other programs read them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from benchctl.report.records import rows_to_csv
from benchctl.report.shape import short_digest
from benchctl.store.disk.verified_file import trusted

if TYPE_CHECKING:
    from benchctl.publish.view import RunView

__all__ = ["CELLS_SCHEMA", "MOST_JSON_ROWS", "download_notes", "downloads"]

CELLS_SCHEMA = "benchctl.cells/1"
MOST_JSON_ROWS = 10_000
"""Of more rows the page offers CSV and Parquet alone; the same as JSON is five times as big."""

_STORED = (
    ("cells", "cells.parquet", "the stored rows, without grades"),
    ("foreign", "own-columns.parquet", "the import's own columns, by cell"),
)


def download_notes(view: RunView) -> list[tuple[str, str]]:
    """Return the name of each file that `downloads` gives, with what it is."""
    notes = [("cells.csv", "one row a cell")]
    notes += [("cells.json", "the same with types")] if len(view.cells) <= MOST_JSON_ROWS else []
    digest = short_digest(view.run.data_digest or "")
    return notes + [(name, f"{what}; data {digest}") for _, name, what in _stored(view)]


def downloads(view: RunView) -> dict[str, bytes]:
    """Return the files beside a run's page by name. An open run has no Parquet file yet.

    An imported run's have its own columns too. Raises StoreDamagedError where a stored file is not what the
    manifest says.
    """
    names = [column.name for column in view.columns]
    rows = [{name: row[name] for name in names} for row in view.shown.values()]
    files = {"cells.csv": rows_to_csv(rows, names).encode()}
    if len(rows) <= MOST_JSON_ROWS:
        data = {"schema": CELLS_SCHEMA, "run": view.id, "data": view.run.data_digest, "cells": rows}
        files["cells.json"] = (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()
    if manifest := view.run.manifest:
        for stored, name, _ in _stored(view):
            files[name] = trusted(view.run.layout, manifest, stored).read_bytes()
    return files


def _stored(view: RunView) -> list[tuple[str, str, str]]:
    """Return the files of the store that are offered as they are, as (path inside the run, name, note)."""
    if view.run.manifest is None:
        return []
    found = [(view.run.manifest.file_of(table), name, what) for table, name, what in _STORED]
    return [(path, name, what) for path, name, what in found if path]
