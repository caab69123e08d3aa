"""What is called: the functions of numbers, the comparisons of two levels, and their arguments."""

from __future__ import annotations

import re
from typing import Final, get_args

from benchctl.expressions.cursor import Cursor
from benchctl.expressions.reference import parse_name, parse_value, show_name, show_reference, show_value
from benchctl.expressions.tree import Contrast, Probe, Scope

__all__ = [
    "COMPARISONS",
    "FUNCTIONS",
    "parse_contrast",
    "parse_words",
    "sees_level",
    "show_contrast",
]

FUNCTIONS: Final[dict[str, tuple[int, int | None]]] = {
    "abs": (1, 1),
    "min": (2, None),
    "max": (2, None),
    "round": (1, 2),
    "ratio": (2, 2),
    "speedup": (2, 2),
    "change_pct": (2, 2),
    "reduction_pct": (2, 2),
    "delta": (2, 2),
}
"""Functions of numbers: the least and the most arguments; None is any number."""

COMPARISONS: Final = frozenset({"delta", "paired_ratio", "mcnemar_p"})
"""Comparisons of two levels of a column, paired by question."""

_LEVEL = re.compile(r"""(?:[^\W\d]\w*|"(?:[^"]|"")*")\s*=""")
_SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)


def sees_level(cursor: Cursor) -> bool:
    """Return whether `column=` stands here."""
    return cursor.sees(_LEVEL)


def _parse_pair(cursor: Cursor) -> tuple[str, str]:
    name = parse_name(cursor)
    if name is None:
        cursor.fail("column=level, as in arm=grep")
    cursor.need("=", "= and a level, as in arm=grep")
    return name, parse_value(cursor, brackets=False)


def parse_contrast(cursor: Cursor, function: str, measure: Probe) -> Probe:
    """Return the comparison, the cursor standing at the first `column=level`."""
    start = cursor.position
    pairs = [_parse_pair(cursor)]
    while cursor.take(","):
        pairs.append(_parse_pair(cursor))
    scope = _scope(cursor, [value for name, value in pairs if name == "scope"], start)
    levels = [pair for pair in pairs if pair[0] != "scope"]
    if len(levels) != 2 or levels[0][0] != levels[1][0] or levels[0] == levels[1]:
        cursor.fail(
            "two different levels of one column, as in arm=graphify, arm=grep",
            what=f"{function} compares two levels",
            at=start,
        )
    cursor.need(")", "a comma or )")
    (column, a), (_, b) = levels
    return Probe(
        measure.name,
        measure.filters,
        measure.run,
        measure.table,
        contrast=Contrast(function, column, a, b, scope),
    )


def _scope(cursor: Cursor, written: list[str], start: int) -> Scope | None:
    for scope in _SCOPES:
        if written == [scope]:
            return scope
    if written:
        cursor.fail(f"one of {', '.join(_SCOPES)}", what=f"no scope `{', '.join(written)}`", at=start)
    return None


def show_contrast(probe: Probe, contrast: Contrast) -> str:
    """Return the comparison as `parse` reads it."""
    column = show_name(contrast.column)
    levels = f"{column}={show_value(contrast.a)}, {column}={show_value(contrast.b)}"
    scope = f", scope={contrast.scope}" if contrast.scope else ""
    return f"{contrast.function}({show_reference(probe)}, {levels}{scope})"


def parse_words(cursor: Cursor) -> tuple[str, ...]:
    """Return the arguments of a named value, the cursor standing behind the opening parenthesis."""
    if cursor.take(")"):
        return ()
    words = [parse_value(cursor, brackets=False)]
    while cursor.take(","):
        words.append(parse_value(cursor, brackets=False))
    cursor.need(")", "a comma or ); the arguments of a named value are words, numbers or texts")
    return tuple(words)
