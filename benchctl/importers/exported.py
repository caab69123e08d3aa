"""What an export of ours says of itself: its columns' types, so that every value comes back as it was.

Parquet has it in its metadata; CSV and JSON Lines have it in a file beside them, which is believed only
where it names these very bytes.
"""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING, Any, Final

from benchctl.importers.reading import DEFAULT_NULL_TEXTS
from benchctl.schema.imported import EXPORTED_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from benchctl.schema.result import ColumnType

__all__ = ["exported_types", "null_texts_of"]

_TYPES: Final = ("VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN")
_LARGEST: Final = 16 << 20


def exported_types(path: Path, beside: Path, format_: str, sha256: str) -> dict[str, ColumnType]:
    """Return the type of each column of an export by its name; empty where the file is none.

    `path` is the copy that is read, `beside` where the file stood, `sha256` of its bytes.
    """
    said = (
        _metadata(path) if format_ == "parquet" else _sidecar(beside.with_name(f"{beside.name}.json"), sha256)
    )
    try:
        about = json.loads(said) if said else {}
        columns = about["columns"] if about.get("schema") == EXPORTED_SCHEMA else []
        if format_ != "parquet" and about.get("sha256") != sha256:
            return {}
        return {str(each["name"]): each["type"] for each in columns if each["type"] in _TYPES}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def null_texts_of(given: tuple[str, ...] | None, types: Mapping[str, ColumnType]) -> tuple[str, ...]:
    """Return what reads as null: what was asked for, else nothing in an export, else blank, `n/a` and `-`."""
    if given is not None:
        return given
    return () if types else DEFAULT_NULL_TEXTS


def _metadata(path: Path) -> str:
    import duckdb

    from benchctl.importers.parquet import connection

    try:
        with connection() as connected:
            found: Any = connected.execute(
                "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'benchctl.export'", [str(path)]
            ).fetchone()
    except duckdb.Error:
        return ""  # what is wrong with the file is said by who reads it
    return found[0].decode(errors="replace") if found else ""


def _sidecar(path: Path, sha256: str) -> str:
    """Return the text of the file that stands beside an export; empty where there is none, or not about these bytes."""
    try:
        known = path.stat()
        if not stat.S_ISREG(known.st_mode) or known.st_size > _LARGEST:
            return ""
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
    return text if sha256 in text else ""
