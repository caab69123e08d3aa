"""Functions that make much of little, and how much a statement may make with them.

DuckDB's memory limit does not hold inside of one function (measured: `repeat` and `lpad` took
2 GiB under a limit of 1 GB), so what they make must be known before: from constants. Behind
FROM, `range` and `generate_series` give rows one after the other, and the time limit is enough.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MOST", "amplified", "function_of"]

MOST: Final = 1_000_000
"""The most that all of them may make together: characters of one text, or items of one list."""

_PADS: Final = frozenset({"repeat", "lpad", "rpad"})
_FORMATS: Final = frozenset({"printf", "format"})
_LISTS: Final = frozenset({"range", "generate_series"})
_TOO_WIDE: Final = re.compile(r"[0-9]{4}|\*|\{[^}]*\{")

Node = dict[str, Any]


def function_of(node: Node) -> str:
    """Return the lower-case name of the function of a TABLE_FUNCTION node."""
    return str((node.get("function") or {}).get("function_name", "")).lower()


def amplified(nodes: Sequence[Node]) -> str | None:
    """Return why a statement may make too much, None where it may not.

    The amounts are multiplied: one function may stand inside of another, or in a subquery of it.
    """
    rows = {id(node["function"]) for node in nodes if node.get("type") == "TABLE_FUNCTION"}
    total = 1
    for node in nodes:
        name = str(node.get("function_name", "")).lower()
        if name not in _PADS | _FORMATS | _LISTS or (name in _LISTS and id(node) in rows):
            continue
        amount = _amount(name, [argument["expression"] for argument in node.get("arguments", ())])
        if amount is None:
            return f"how much `{name}` makes must be known: its {_WHAT[name]} must be constant here"
        total *= max(amount, 1)
    return f"more than {MOST:,} characters or items could be made" if total > MOST else None


_WHAT: Final = {
    **dict.fromkeys(_PADS, "length"),
    **dict.fromkeys(_FORMATS, "format, with widths of at most three digits,"),
    **dict.fromkeys(_LISTS, "ends, whole numbers,"),
}


def _amount(name: str, arguments: Sequence[Node]) -> int | None:
    if name in _FORMATS:
        text = _constant(arguments[0], "STRING") if arguments else None
        return None if text is None or _TOO_WIDE.search(text) else 1
    numbers = [_whole(argument) for argument in (arguments[1:2] if name in _PADS else arguments)]
    if not numbers or None in numbers:
        return None
    known = [number for number in numbers if number is not None]
    if name in _PADS:
        return known[0]
    start, stop = (0, known[0]) if len(known) == 1 else known[:2]
    return abs(stop - start) // abs(known[2] if len(known) > 2 and known[2] else 1) + 1


def _constant(node: Node, kind: str) -> str | None:
    literal = node.get("literal") or {}
    return str(literal["text"]) if literal.get("kind") == kind else None


def _whole(node: Node) -> int | None:
    text = _constant(node, "INTEGER")
    return int(text) if text is not None and re.fullmatch(r"-?[0-9]{1,18}", text) else None
