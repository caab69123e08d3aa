"""Functions that make much of little, and how much a statement may make with them.

DuckDB's memory limit does not hold inside of one function (measured: `repeat` and `lpad` took
2 GiB under a limit of 1 GB, eight `replace` inside of one another ran for minutes), so what they make
must be known before: from constants. Behind FROM, `range` and `generate_series` give rows one after the
other, and the time limit is enough. What still grows, from one step of a statement to the next, meets the
limits of the process (`limits`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LONGEST", "MOST", "MOST_NODES", "amplified", "function_of"]

MOST: Final = 1_000_000
"""The most that all of them may make together: characters of one text, or items of one list."""

LONGEST: Final = 100_000
"""The most bytes of a statement."""

MOST_NODES: Final = 20_000
"""The most parts of a statement: DuckDB's planner takes a minute for a list of 200,000 columns."""

_PADS: Final = frozenset({"repeat", "lpad", "rpad"})
_FORMATS: Final = frozenset({"printf", "format"})
_LISTS: Final = frozenset({"range", "generate_series"})
_REPLACES: Final = {"replace": 2, "regexp_replace": 2, "translate": 2, "array_to_string": 1, "concat_ws": 0}
"""Functions that put a text in many places -> which argument it is."""
_TOO_WIDE: Final = re.compile(r"[0-9]{4}|\*|\{[^}]*\{")
_ANY_TEXT: Final = 100
"""What a text that is no constant counts as."""

_ANY_PARAMETER: Final = 1_000
"""The most characters that a parameter is bound to."""

Node = dict[str, Any]


def function_of(node: Node) -> str:
    """Return the lower-case name of the function of a TABLE_FUNCTION node."""
    return str((node.get("function") or {}).get("function_name", "")).lower()


def amplified(nodes: Sequence[Node]) -> str | None:
    """Return why a statement may make too much, None where it may not; its first node is the whole of it.

    The amounts are multiplied: one function may stand inside of another, or in a subquery of it. How much
    longer a replacement makes a text is multiplied only where one stands inside of the other.
    """
    rows = {id(node["function"]) for node in nodes if node.get("type") == "TABLE_FUNCTION"}
    total = 1
    for node in nodes:
        name = _name(node)
        if name not in _PADS | _FORMATS | _LISTS or (name in _LISTS and id(node) in rows):
            continue
        amount = _amount(name, _arguments(node))
        if amount is None:
            return f"how much `{name}` makes must be known: its {_WHAT[name]} must be constant here"
        total *= max(amount, 1)
    too_much = total * _growth(nodes[0]) > MOST
    return f"more than {MOST:,} characters or items could be made" if too_much else None


_WHAT: Final = {
    **dict.fromkeys(_PADS, "length"),
    **dict.fromkeys(_FORMATS, "format, with widths of at most three digits,"),
    **dict.fromkeys(_LISTS, "ends, whole numbers,"),
}


def _name(node: Node) -> str:
    return str(node.get("function_name", "")).lower()


def _arguments(node: Node) -> list[Node]:
    return [argument["expression"] for argument in node.get("arguments", ())]


def _growth(statement: Node) -> int:
    """Return how many times longer the replacements that stand inside of one another can make a text."""
    most, waiting = 1, [(statement, 1)]
    while waiting:
        node, grown = waiting.pop()
        if _name(node) in _REPLACES:
            grown *= _longer(node)
        most = max(most, grown)
        waiting += [(each, grown) for each in _below(node)]
    return most


def _below(node: Node) -> list[Node]:
    """Return the objects right under one."""
    found: list[Node] = []
    for value in node.values():
        items = value if isinstance(value, list) else [value]
        found += [item for item in items if isinstance(item, dict)]
    return found


def _longer(node: Node) -> int:
    place, arguments = _REPLACES[_name(node)], _arguments(node)
    if len(arguments) <= place:
        return 1
    if arguments[place].get("type") == "VALUE_PARAMETER":
        return _ANY_PARAMETER
    text = _constant(arguments[place], "STRING")
    return _ANY_TEXT if text is None else max(len(text), 1)


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
