"""Results that others collected, read strictly and with every doubt printed: one file a format.

An importer reads; what its values are and which columns they fill is decided once, in
`inference` and `mapping`. Knows neither the store nor the runner.
"""

from __future__ import annotations

from benchctl.importers import csv, jsonl, parquet
from benchctl.importers import json as json
from benchctl.importers.base import Importer

__all__ = ["IMPORTERS"]

IMPORTERS: dict[str, Importer] = {"csv": csv, "jsonl": jsonl, "json": json, "parquet": parquet}
"""Every format by the name that `benchctl import` knows it by."""
