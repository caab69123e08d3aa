"""What a run's page offers for download: its rows, as other programs read them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from benchctl.report.records import rows_to_csv
from benchctl.schema.result import VIEWS
from benchctl.store.trust import trusted

if TYPE_CHECKING:
    from benchctl.publish.view import RunView

__all__ = ["CELLS_SCHEMA", "downloads"]

CELLS_SCHEMA = "benchctl.cells/1"


def downloads(view: RunView) -> dict[str, bytes]:
    """Return the files beside a run's page by name. An open run has no Parquet file yet.

    Raises StoreDamagedError where the stored file is not what the manifest says.
    """
    rows = list(view.cells.values())
    columns = [column.name for column in VIEWS["cells"]]
    data = {"schema": CELLS_SCHEMA, "run": view.id, "data": view.run.data_digest, "cells": rows}
    files = {
        "cells.csv": rows_to_csv(rows, columns).encode(),
        "cells.json": (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode(),
    }
    if view.run.manifest is not None:
        files["cells.parquet"] = trusted(
            view.run.layout, view.run.manifest, "rows/cells.parquet"
        ).read_bytes()
    return files
