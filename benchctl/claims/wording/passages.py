"""The sentences and headings of a page that hold one of some words, as a reader sees them, code spans included."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from benchctl.claims.reading.layout import Heading
from benchctl.claims.reading.page import Page
from benchctl.claims.reading.sentences import sentence_around
from benchctl.claims.reading.visible import OBJECT
from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.topics import words_of
from benchctl.claims.wording.triggers import Triggers
from benchctl.quantities.fold import WALL

__all__ = ["Passage", "asserted", "passage_at", "passages"]

_SPACE = re.compile(rf"[\s>{WALL}]")
_OBJECTS = re.compile(f"({OBJECT})")
_COMMENT = re.compile(r"\s*<!--(?:(?!-->).)*+-->", re.DOTALL)
_CODE = re.compile(r"`+([^`\n]{1,80})`+")
_LEAD = re.compile(r"(?:#{1,6}|[-*+]|\d+[.)])\s+")
_LONGEST = 400
_FAR = 1000
_QUOTED = re.compile(r"[\"\u201c\u201e\u00ab][^\"\u201c\u201d\u00ab\u00bb]{0,200}[\"\u201d\u00bb]")


@dataclass(frozen=True)
class Passage:
    """A sentence or heading from raw `start` to `end`. `text` is one line of it, quotations blanked, code spelt out.

    `shifts` are offsets of the text, and where on the page as it reads each stands.
    """

    text: str
    page: Page
    shifts: tuple[tuple[int, int], ...]
    start: int
    end: int
    heading: Heading | None
    is_heading: bool

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return the raw stretch of a stretch of the text."""
        return self.page.raw(self._seen(start)), self.page.behind(self._seen(max(start, end - 1)) + 1)

    def _seen(self, offset: int) -> int:
        at, seen = self.shifts[bisect_right(self.shifts, offset, key=_first) - 1]
        following = next((later for later in self.shifts if later[0] > offset), None)
        return min(seen + offset - at, following[1] - 1) if following else seen + offset - at

    def offset(self, visible: int) -> int:
        """Return where in the text a position of the page as it reads stands."""
        at, seen = self.shifts[bisect_right(self.shifts, visible, key=_second) - 1]
        return at + visible - seen

    @cached_property
    def words(self) -> frozenset[str]:
        """Return its words, folded and in the singular."""
        return frozenset(words_of(self.text))

    @cached_property
    def is_question(self) -> bool:
        """Whether it asks instead of saying."""
        return self.text.rstrip(" *_\"'").endswith("?")


def _first(shift: tuple[int, int]) -> int:
    return shift[0]


def _second(shift: tuple[int, int]) -> int:
    return shift[1]


def passage_at(sheet: Sheet, visible: int) -> Passage:
    """Return the sentence or heading around a position of the page as it reads."""
    return _passage(sheet, *sentence_around(sheet.page.visible, visible, _LONGEST))


def passages(sheet: Sheet, words: Triggers) -> Iterator[Passage]:
    """Yield each sentence and heading that holds one of `words`, outside of tables and generated blocks, in order."""
    visible, page = sheet.page.visible, sheet.page
    done = 0
    for found in words.found(visible):
        if found.start() < done:
            continue
        begin, end = sentence_around(visible, found.start(), _LONGEST)
        done = max(end, found.end())
        raw = page.raw(found.start())
        table = page.table_at(raw)
        if (table and table.start <= raw < table.end) or _generated(sheet, raw):
            continue
        yield _passage(sheet, begin, end)


def _generated(sheet: Sheet, raw: int) -> bool:
    index = bisect_left(sheet.blocks, raw, key=lambda block: block.end)
    return index < len(sheet.blocks) and sheet.blocks[index].start <= raw


def _passage(sheet: Sheet, begin: int, end: int) -> Passage:
    page, visible = sheet.page, sheet.page.visible
    lead = _LEAD.match(visible, begin)
    start = lead.end() if lead and lead.end() < end else begin
    pieces: list[str] = []
    shifts: list[tuple[int, int]] = [(0, start)]
    position = length = 0
    for part in _OBJECTS.split(visible[start:end]):
        if part == OBJECT:
            at = start + position
            code = _CODE.fullmatch(page.text, page.raw(at), page.behind(at + 1))
            piece = code[1] if code else " "
            shifts += [(length, at), (length + len(piece), at + 1)]
        else:
            piece = part
        pieces.append(piece)
        position, length = position + len(part), length + len(piece)
    line = _SPACE.sub(" ", "".join(pieces))
    line = _QUOTED.sub(lambda quote: " " * len(quote[0]), line)
    first = page.raw(start)
    heading = page.heading_before(first)
    within = heading is not None and heading.start <= first < heading.end
    return Passage(
        line, page, tuple(shifts), page.raw(begin), page.behind(max(end, begin + 1)), heading, within
    )


def asserted(sheet: Sheet, passage: Passage) -> bool:
    """Say whether an assertion stands in a passage or right behind it, no other words between."""
    first = bisect_left(sheet.assertions, passage.start, key=lambda item: item.start)
    if first == len(sheet.assertions) or sheet.assertions[first].start > passage.end + _FAR:
        return False
    between = sheet.page.text[passage.end : sheet.assertions[first].start]
    return not _COMMENT.sub("", between).strip()
