"""The stretch of a page that says one thing: a sentence, a list item, a heading, a table's cell."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from benchctl.claims.reading.page import Page
from benchctl.quantities.fold import WALL

__all__ = ["Sentences", "sentence_around", "sentence_at", "sentence_so_far"]

_SHORT = ("approx", "vs", "ca", "cf", r"et\sal", r"e\.g", r"i\.e")
"""Abbreviations that end no sentence."""
_SHORT_OF_NUMBERED = ("fig", "figs", "no", "nos", "eq", "sec", "vol", "ch", "pp")
"""Abbreviations that end none in front of a number: `no. 5`."""
_NUMBERED = "|".join(rf"(?<=\b(?i:{short})\.)" for short in _SHORT_OF_NUMBERED)
_PERIOD = "".join(
    (
        # One letter alone is an abbreviation, unless it is the unit of a number: `41.8 s. The next`.
        r"\.(?:(?<![.\s][a-z]\.)|(?<=\d\s[a-z]\.))",
        *(rf"(?<!\b(?i:{short})\.)" for short in _SHORT),
        rf"(?!(?:{_NUMBERED})\s+\d)",
    )
)
_END = re.compile(rf"(?:[!?]|{_PERIOD})[\"')\]*_\u201d]*(?=\s)|{WALL}|\n[ \t\r>]*\n")
"""Where a sentence ends; list items, headings and rows end at their walls."""
_END_OR_EDGE = re.compile(rf"{_END.pattern}|\|")
"""Where a sentence or a table's cell ends."""
_LONGEST = 600


def sentence_around(text: str, at: int, longest: int) -> tuple[int, int]:
    """Return the stretch of the sentence around an offset of a visible text, at most `longest` to either side."""
    left = max(0, at - longest)
    # One character more is looked at: what follows "no." decides whether it ends anything.
    begin = max(
        (found.end() for found in _END.finditer(text, left, at + 1) if found.end() <= at), default=left
    )
    found = _END.search(text, at, at + longest)
    return begin, found.end() if found else min(len(text), at + longest)


class Sentences:
    """Where the sentences of a text end, found once: `around` is `sentence_around` of one text that is asked often."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        spans = [found.span() for found in _END.finditer(text)]
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def around(self, at: int, longest: int) -> tuple[int, int]:
        """Return the stretch of the sentence around an offset, at most `longest` to either side."""
        left = max(0, at - longest)
        last = bisect_right(self._ends, at) - 1
        begin = self._ends[last] if last >= 0 and self._starts[last] >= left else left
        following = bisect_left(self._starts, at)
        if following < len(self._ends) and self._ends[following] <= at + longest:
            return begin, self._ends[following]
        return begin, min(self._length, at + longest)


def sentence_so_far(text: str, *, cells: bool = False) -> str:
    """Return what stands in a text since its last sentence has ended; with `cells`, since the last cell has."""
    ends = (_END_OR_EDGE if cells else _END).finditer(text)
    return text[max((found.end() for found in ends), default=0) :]


def sentence_at(page: Page, visible_offset: int) -> tuple[int, int]:
    """Return the visible stretch of the sentence around a visible offset; of a table's cell, the cell."""
    place = page.cell_at(page.raw(visible_offset))
    if place:
        cell = place[2]
        return page.seen(cell.start), page.seen(cell.end)
    return sentence_around(page.visible, visible_offset, _LONGEST)
