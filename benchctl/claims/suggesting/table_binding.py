"""A table's draft as its comment: keys with their labels, headers with their expressions. Pure text."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["FORBIDDEN", "header_text", "table_binding"]

FORBIDDEN = ("|", "](", "--", "\n", "\r")
"""What a drafted comment may not hold: renderers read it as markup, or it parts what it stands in."""

_BARE = re.compile(r"[A-Za-z][\w.-]*")
_PLAIN = re.compile(r"[\w.-]+")
_BRACKETS = re.compile(r"\[[^\]]*\]|\([^()]*\)")
_RESERVED = frozenset({"by", "rows"})

Keys = Sequence[tuple[str, Sequence[tuple[str, str]]]]


def header_text(header: str) -> str:
    """Return a header with single spaces, as a binding compares it."""
    return " ".join(header.split())


def table_binding(keys: Keys, columns: Sequence[tuple[str, Sequence[str]]], *, subset: bool) -> str | None:
    """Return the comment that drafts a table; None where no column is left that it can write, or a label it cannot.

    `keys` are (column, (label, value)), `columns` (header, expressions).
    """
    by = [_key(column, labels) for column, labels in keys]
    parts = [f"{_header(header)}={_value(texts)}" for header, texts in columns if _header(header)]
    binding = f"<!--claims:table? by={','.join(filter(None, by))}{' rows=subset' if subset else ''} {' '.join(parts)} -->"
    forbidden = any(mark in binding[4:-3] for mark in FORBIDDEN)
    return None if not parts or None in by or forbidden else binding


def _header(header: str) -> str | None:
    name = header_text(header)
    if not name or '"' in name:
        return None
    return name if _BARE.fullmatch(name) and name not in _RESERVED else f'"{name}"'


def _value(texts: Sequence[str]) -> str:
    whole = " of ".join(texts)
    rest = _BRACKETS.sub("", _BRACKETS.sub("", whole))
    if " " not in rest:
        return whole
    return f"'{whole}'" if '"' in whole else f'"{whole}"'


def _key(column: str, labels: Sequence[tuple[str, str]]) -> str | None:
    mapped = [(label, value) for label, value in labels if header_text(label) != value]
    if any('"' in label or '"' in value for label, value in mapped):
        return None
    inside = ", ".join(
        f'"{label}"={value if _PLAIN.fullmatch(value) else chr(34) + value + chr(34)}'
        for label, value in mapped
    )
    return f"{column}{{{inside}}}" if inside else column
