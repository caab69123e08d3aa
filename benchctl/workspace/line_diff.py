"""The difference of two texts line by line, as unified hunks.

Python's own difflib may take quadratic time and worse, and an agent chooses the texts: what differs over too
many lines is shown as one piece taken out and one put in, which is as true and costs nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Final

__all__ = ["hunks"]

_CONTEXT: Final = 3
_MOST_PAIRS: Final = 1_000_000
"""How many pairs of lines are compared at most, after what both texts begin and end with."""

_Piece = tuple[str, int, int, int, int]


def hunks(before: str, after: str) -> Iterator[str]:
    """Yield the lines of the hunks that turn `before` into `after`, each with its line break; nothing for equal texts.

    A last line without a line break is marked as git and diff mark it.
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    old, new = _at_newlines(before, old), _at_newlines(after, new)
    same = _shared(old, new)
    start = max(0, same - _CONTEXT)
    rest = _shared(old[same:][::-1], new[same:][::-1])
    ends = [max(0, rest - _CONTEXT)] * 2
    old, new = old[start : len(old) - ends[0]], new[start : len(new) - ends[1]]
    for group in _groups(old, new):
        yield _header(group, start)
        for kind, old_from, old_to, new_from, new_to in group:
            if kind == "equal":
                yield from _marked(" ", old[old_from:old_to])
            else:
                yield from _marked("-", old[old_from:old_to])
                yield from _marked("+", new[new_from:new_to])


def _at_newlines(text: str, lines: list[str]) -> list[str]:
    """Return the lines of a text that end at a newline; Python knows ten other line breaks, and diff knows none."""
    if len(lines) == text.count("\n") + (not text.endswith("\n") and bool(text)):
        return lines
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines two lists begin with in common."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _groups(old: list[str], new: list[str]) -> Iterator[list[_Piece]]:
    if old == new:
        return
    if len(old) * len(new) <= _MOST_PAIRS:
        yield from difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT)
        return
    head, tail = _shared(old, new), 0
    tail = _shared(old[head:][::-1], new[head:][::-1])
    ends = len(old) - tail, len(new) - tail
    yield [
        ("equal", 0, head, 0, head),
        ("replace", head, ends[0], head, ends[1]),
        ("equal", ends[0], len(old), ends[1], len(new)),
    ]


def _header(group: list[_Piece], start: int) -> str:
    old = _span(group[0][1] + start, group[-1][2] + start)
    new = _span(group[0][3] + start, group[-1][4] + start)
    return f"@@ -{old} +{new} @@\n"


def _span(first: int, end: int) -> str:
    """Return a range of lines as `first,count`; an empty one lies after the line before it."""
    return f"{first + (end > first)},{end - first}"


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"
