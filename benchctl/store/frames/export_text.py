"""One row as a line of CSV or of JSON: every value exact, and null told from an empty text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchctl.store.disk.rows import Row

__all__ = ["csv_line", "json_line"]

_WANTS_QUOTES: Final = re.compile(r"""[",\r\n]|^\s|\s$|^$""")


def csv_line(names: Sequence[str], row: Row | None) -> str:
    """Return a row as CSV, or the header for None; null is an empty field, an empty text is `""`.

    A float is written so that it reads back as the same float, a truth as `true` or `false`.
    """
    return ",".join(_quoted(name) if row is None else _field(row[name]) for name in names)


def json_line(names: Sequence[str], row: Row | None) -> str:
    """Return a row as one line of JSON with these members; null is `null`."""
    return json.dumps({name: (row or {})[name] for name in names}, ensure_ascii=False, allow_nan=False)


def _field(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return _quoted(value)
        case _:
            return repr(value)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _WANTS_QUOTES.search(text) else text
