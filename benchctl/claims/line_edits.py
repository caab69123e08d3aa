"""Which lines of a text were changed, added or removed, told as a person would: a row that is gone changes no other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

__all__ = ["edits"]

_MOST = 400
"""Beyond so many lines on either side the comparison, which is quadratic, goes by the lines' numbers alone."""


def edits(page: Sequence[str], expected: Sequence[str]) -> Iterator[tuple[range, range]]:
    """Yield (lines of the page, lines of what is expected) of each edit, each of one line at most.

    An empty second range is a line that was added, an empty first one a line that was removed before that place.
    """
    if max(len(page), len(expected)) > _MOST:
        yield from _paired(page, expected, range(len(page)), range(len(expected)))
        return
    matcher = SequenceMatcher(None, page, expected, autojunk=False)
    for tag, i, k, j, m in matcher.get_opcodes():
        if tag != "equal":
            yield from _paired(page, expected, range(i, k), range(j, m))


def _paired(
    page: Sequence[str], expected: Sequence[str], here: range, there: range
) -> Iterator[tuple[range, range]]:
    """Pair the lines of one hunk: by their first word where their numbers differ, the rest in order."""
    if len(here) == len(there):
        pairs = dict(zip(here, there, strict=True))
    else:
        named = {_name(expected[line]): line for line in reversed(there)}
        pairs = {line: named.pop(name) for line in here if (name := _name(page[line])) in named}
    taken = set(pairs.values())
    left = [line for line in there if line not in taken]
    for line in here:
        if line not in pairs:
            yield range(line, line + 1), range(0)
        elif page[line] != expected[pairs[line]]:
            yield range(line, line + 1), range(pairs[line], pairs[line] + 1)
    for line in left:
        yield range(here.stop, here.stop), range(line, line + 1)


def _name(line: str) -> str:
    """Return what tells a line from its neighbours: the first cell of a row, else the whole line."""
    cells = line.split("|")
    return cells[1].strip() if line.startswith("|") and len(cells) > 1 else line
