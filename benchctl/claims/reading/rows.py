"""The cells of one line of a pipe table, by place."""

from __future__ import annotations

import re
from itertools import pairwise

from benchctl.claims.reading.layout import Cell, Row

__all__ = ["row_at"]

_PIPE = re.compile(r"\\.|\|", re.DOTALL)


def row_at(text: str, start: int, end: int) -> Row:
    """Return the cells of a line, parted by unescaped pipes; the outer pipes are optional."""
    begin, stop = start, end
    while begin < stop and text[begin] in " \t>":
        begin += 1
    while stop > begin and text[stop - 1] in " \t\r":
        stop -= 1
    pipes = [match.start() for match in _PIPE.finditer(text, begin, stop) if match[0] == "|"]
    if pipes and pipes[0] == begin:
        begin, pipes = begin + 1, pipes[1:]
    if pipes and pipes[-1] == stop - 1:
        stop, pipes = stop - 1, pipes[:-1]
    edges = [begin - 1, *pipes, stop]
    cells = tuple(_cell(text, left + 1, right) for left, right in pairwise(edges))
    return Row(start, end, cells)


def _cell(text: str, start: int, end: int) -> Cell:
    while start < end and text[start] in " \t":
        start += 1
    while end > start and text[end - 1] in " \t":
        end -= 1
    return Cell(start, end)
