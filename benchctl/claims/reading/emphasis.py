"""Which characters of a run of text are emphasis, by the rules of CommonMark: what a reader does not see.

`**0.20** ms`, `_977_`, `**9**77` and `-**36**` read as numbers only once these are gone. Marks that
nothing closes are text. `~~` and `==` count where a pair of two stands around text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from benchctl.claims.reading.inline import Region

__all__ = ["emphasis_marks"]

_RUN = re.compile(r"\*+|_+|~+|=+")
_PAIRED_ONLY = frozenset("~=")
_NOT_IN_WORDS = frozenset("_=")


@dataclass(slots=True)
class _Delimiter:
    """A run of one mark; `start` and `count` shrink as pairs are taken from it."""

    mark: str
    start: int
    count: int
    opens: bool
    closes: bool
    whole: int


def emphasis_marks(text: str, start: int, end: int, hidden: Sequence[Region]) -> list[tuple[int, int]]:
    """Return the stretches of `text[start:end]`, one inline run, that mark emphasis; unsorted, none overlapping.

    `hidden` are the regions of the run (code, tags, comments, escapes) in order: no mark stands in one.
    """
    found: list[tuple[int, int]] = []
    openers: list[_Delimiter] = []
    bottoms: dict[tuple[str, bool, int], int] = {}
    for delimiter in _delimiters(text, start, end, hidden):
        while delimiter.closes and delimiter.count:
            key = (delimiter.mark, delimiter.opens, delimiter.whole % 3)
            index = _opener(openers, delimiter, bottoms.get(key, start))
            if index < 0:
                bottoms[key] = delimiter.start
                break
            opener = openers[index]
            del openers[index + 1 :]
            size = 2 if opener.count >= 2 and delimiter.count >= 2 else 1
            opener.count -= size
            found += [
                (opener.start + opener.count, opener.start + opener.count + size),
                (delimiter.start, delimiter.start + size),
            ]
            delimiter.start, delimiter.count = delimiter.start + size, delimiter.count - size
            if not opener.count:
                openers.pop()
        if delimiter.opens and delimiter.count:
            openers.append(delimiter)
    return found


def _opener(openers: list[_Delimiter], closer: _Delimiter, bottom: int) -> int:
    """Return the index of the nearest opener that `closer` may close, not before `bottom`; -1 for none."""
    for index in range(len(openers) - 1, -1, -1):
        opener = openers[index]
        if opener.start < bottom:
            break
        both = opener.closes or closer.opens
        odd = both and (opener.whole + closer.whole) % 3 == 0 and opener.whole % 3 != 0
        if opener.mark == closer.mark and not odd:
            return index
    return -1


def _delimiters(text: str, start: int, end: int, hidden: Sequence[Region]) -> list[_Delimiter]:
    found: list[_Delimiter] = []
    position = start
    for stop, behind in [*((region.start, region.end) for region in hidden), (end, end)]:
        for run in _RUN.finditer(text, position, max(position, min(stop, end))):
            delimiter = _delimiter(text, run, start, end)
            if delimiter.opens or delimiter.closes:
                found.append(delimiter)
        position = max(position, behind)
    return found


def _delimiter(text: str, run: re.Match[str], start: int, end: int) -> _Delimiter:
    mark, count = run[0][0], len(run[0])
    before = text[run.start() - 1] if run.start() > start else " "
    after = text[run.end()] if run.end() < end else " "
    left = not after.isspace() and (not _punctuates(after) or before.isspace() or _punctuates(before))
    right = not before.isspace() and (not _punctuates(before) or after.isspace() or _punctuates(after))
    if mark in _PAIRED_ONLY and count != 2:
        left = right = False
    opens, closes = left, right
    if mark in _NOT_IN_WORDS:
        opens = left and (not right or _punctuates(before))
        closes = right and (not left or _punctuates(after))
    return _Delimiter(mark, run.start(), count, opens, closes, count)


def _punctuates(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"
