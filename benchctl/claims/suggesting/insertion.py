"""Drafts written into a page: each comment right behind its number, and the page reads as it did before."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchctl.claims.markers.nouns import Inline, TableBinding
from benchctl.claims.reading.page import Page
from benchctl.claims.sheet import Sheet
from benchctl.claims.suggesting.suggestion import Candidate, Suggestion, TableSuggestion
from benchctl.claims.suggesting.table_binding import FORBIDDEN

__all__ = ["Insertion", "insertions_of", "place_behind", "written"]

_LEAST_SCORE = 3.5
"""What speaks for a draft must be worth that much before it is written into a page."""

_INDENT = re.compile(r"[ \t>]*")
_CLOSING = re.compile(r"[*_~]+")
_MOST_TRIALS = 6


@dataclass(frozen=True, slots=True)
class Insertion:
    """A comment and the raw offset at which it is put; `numbers` says how many it drafts."""

    at: int
    text: str
    numbers: int


def insertions_of(
    page: Page, tables: Sequence[TableSuggestion], found: Sequence[Suggestion]
) -> list[Insertion]:
    """Return the best draft of every table and of every number for which enough speaks, where it can stand."""
    result = [_above(page, table) for table in tables]
    for item in found:
        best = item.candidates[0] if item.candidates else None
        at = place_behind(page, item.atoms[-1].end) if best and _is_writable(best) else None
        if best and at is not None:
            result.append(Insertion(at, best.binding, len(item.atoms)))
    return sorted(result, key=lambda insertion: insertion.at)


def _is_writable(candidate: Candidate) -> bool:
    return candidate.score >= _LEAST_SCORE and not any(mark in candidate.binding[4:-3] for mark in FORBIDDEN)


def place_behind(page: Page, end: int) -> int | None:
    """Return where a comment behind a number that ends at a raw offset stands; None in front matter.

    Behind the closing backtick of a code span, behind the marks that close bold.
    """
    if end <= page.front.end:
        return None
    index = bisect_right(page.regions, end - 1, key=lambda region: region.start) - 1
    inside = page.regions[index] if index >= 0 else None
    if inside and inside.kind == "code" and inside.start < end <= inside.end:
        end = inside.end
    marks = _CLOSING.match(page.text, end)
    if marks and page.seen(marks.end()) == page.seen(end):
        end = marks.end()
    return end


def _above(page: Page, table: TableSuggestion) -> Insertion:
    """Return a table's comment on a line of its own, a blank one between them: mkdocs wants that."""
    start = page.text.rfind("\n", 0, table.start) + 1
    indent = _INDENT.match(page.text, start)
    lead = indent[0] if indent else ""
    line_end = "\r\n" if page.text[max(0, start - 2) : start] == "\r\n" else "\n"
    above = page.text[page.text.rfind("\n", 0, max(0, start - 1)) + 1 : start].strip(" \t>\r\n")
    apart = f"{lead.rstrip()}{line_end}" if above else ""
    text = f"{apart}{lead}{table.binding}{line_end}{lead.rstrip()}{line_end}"
    return Insertion(start, text, table.cells)


def written(
    sheet: Sheet, insertions: Sequence[Insertion], read: Callable[[str], Sheet]
) -> tuple[str, list[Insertion]]:
    """Return the page with the drafts in it, and those that are in: what would show or bind otherwise is left out."""
    kept = list(insertions)
    for _ in range(_MOST_TRIALS):
        text = _inserted(sheet.page.text, kept)
        bad = _misplaced(sheet, read(text), kept)
        if not bad:
            return text, kept
        kept = [insertion for insertion in kept if insertion not in bad]
    return sheet.page.text, []


def _inserted(text: str, kept: Sequence[Insertion]) -> str:
    parts: list[str] = []
    position = 0
    for insertion in kept:
        parts += [text[position : insertion.at], insertion.text]
        position = insertion.at
    return "".join([*parts, text[position:]])


def _misplaced(before: Sheet, after: Sheet, kept: Sequence[Insertion]) -> list[Insertion]:
    """Return the drafts that are no draft where they stand, or, where the page reads otherwise, all that could be why."""
    drafts = {
        binding.start: binding
        for binding in after.bindings
        if isinstance(binding, Inline | TableBinding) and binding.draft
    }
    wrong: list[Insertion] = []
    shift = 0
    for insertion in kept:
        start = insertion.at + shift + insertion.text.index("<!--")
        shift += len(insertion.text)
        if start not in drafts:
            wrong.append(insertion)
    if wrong or _plain(before.page) == _plain(after.page):
        return wrong
    return [insertion for insertion in kept if _reads_otherwise(before, insertion)] or list(kept)


def _reads_otherwise(before: Sheet, insertion: Insertion) -> bool:
    alone = Page(before.page.path, _inserted(before.page.text, [insertion]))
    return _plain(alone) != _plain(before.page)


def _plain(page: Page) -> str:
    return "".join(page.visible.split())
