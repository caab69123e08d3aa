"""claims.lock: which data each page was last read against, so that none moves under it unnoticed.

One JSON file beside benchctl.toml, sorted, so that a change is one line of a diff. Only
`verify-claims --accept` writes it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchctl.errors import LockInvalidError, Where

__all__ = ["LOCK_FILE", "Lock", "read_lock", "write_lock"]

LOCK_FILE = "claims.lock"
_SCHEMA = "benchctl.lock/1"


@dataclass(frozen=True, slots=True)
class Lock:
    """Page -> run -> data digest."""

    pages: Mapping[str, Mapping[str, str]]


def read_lock(root: Path) -> Lock | None:
    """Return the lock of a project; None where it has none. Raises LockInvalidError."""
    file = root / LOCK_FILE
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise _invalid(file, f"it cannot be read: {error}") from error
    pages = data.get("pages") if isinstance(data, dict) and data.get("schema") == _SCHEMA else None
    if not isinstance(pages, dict) or not all(
        isinstance(pins, dict) and all(isinstance(digest, str) for digest in pins.values())
        for pins in pages.values()
    ):
        raise _invalid(file, f"it is no `{_SCHEMA}`")
    return Lock(pages)


def _invalid(file: Path, what: str) -> LockInvalidError:
    return LockInvalidError(
        what,
        where=Where(str(file)),
        next_step="restore it, or write it anew with `benchctl verify-claims --accept`",
    )


def write_lock(root: Path, pages: Mapping[str, Mapping[str, str]]) -> None:
    """Pin the given pages; what the lock says of other pages stays."""
    old = read_lock(root)
    merged = {**(old.pages if old else {}), **pages}
    text = json.dumps({"schema": _SCHEMA, "pages": merged}, indent=1, sort_keys=True, ensure_ascii=False)
    file = root / LOCK_FILE
    draft = file.with_name(f".{LOCK_FILE}.{os.getpid()}")
    try:
        draft.write_text(text + "\n", encoding="utf-8")
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
