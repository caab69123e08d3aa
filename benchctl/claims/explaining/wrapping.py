"""A query over several lines, so that a person can read it: it stays the same query."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["wrapped"]

_WIDEST = 96
_WORD = re.compile(r"""(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|[^\s"'])+""")
_CLAUSES = frozenset({"FROM", "WHERE", "GROUP", "ORDER", "HAVING", "UNION", "QUALIFY"})


def wrapped(sql: str) -> list[str]:
    """Return the lines of a query: each clause begins one, and none breaks within quotes."""
    return [line for piece in sql.splitlines() for line in _lines(piece)]


def _lines(sql: str) -> Iterator[str]:
    line = ""
    depth = 0
    for match in _WORD.finditer(sql):
        word = match[0]
        begins = depth == 0 and word in _CLAUSES
        if line and (begins or len(line) + 1 + len(word) > _WIDEST):
            yield line
            line = word if begins else f"  {word}"
        else:
            line = f"{line} {word}" if line else word
        depth += word.count("(") + word.count("[") - word.count(")") - word.count("]")
    if line:
        yield line
