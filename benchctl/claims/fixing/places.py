"""Where on the raw page the figures of a number stand, and what the page would be with others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from benchctl.claims.fixing.reasons import Refused
from benchctl.claims.markers.grammar import Source
from benchctl.claims.reading.page import Page
from benchctl.quantities.numerals import Token

__all__ = ["Rewrite", "applied", "figures_place", "heading_note", "listed_place"]

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One literal to be written anew. `places` are the raw stretches of its figures, the paragraph's list included.

    `old` and `new` are the whole literal as it reads, `figures` what stands at each place instead. `actual` is the
    value in the printed unit. Lines and columns count from 1 on the page as it was read.
    """

    places: tuple[tuple[int, int], ...]
    figures: str
    old: str
    new: str
    claim: str
    actual: float
    n: int | None
    line: int
    column: int
    end_column: int
    note: str = ""


def figures_place(page: Page, token: Token) -> tuple[int, int] | Refused:
    """Return the raw stretch of a token's figures; Refused where it is not, character for character, what is read."""
    first, last = token.digits
    start, end = page.raw(first), page.behind(last)
    return (start, end) if page.text[start:end] == page.visible[first:last] else Refused("markup")


def listed_place(listed: Source, figures: str) -> tuple[int, int] | Refused:
    """Return the raw stretch of the same figures in the paragraph's list, spaces of any kind."""
    pattern = r"\s+".join(re.escape(piece) for piece in _SPACES.split(figures))
    found = list(re.finditer(rf"(?<![0-9]){pattern}(?![0-9])", listed.text))
    if len(found) != 1:
        return Refused("listed")
    return listed.start + found[0].start(), listed.start + found[0].end()


def applied(text: str, rewrites: Iterable[Rewrite]) -> str:
    """Return the page with every rewrite done; every other character stays."""
    edits = sorted((*place, rewrite.figures) for rewrite in rewrites for place in rewrite.places)
    parts: list[str] = []
    position = 0
    for start, end, figures in edits:
        parts += [text[position:start], figures]
        position = end
    return "".join([*parts, text[position:]])


def heading_note(page: Page, offset: int) -> str:
    """Return what must be said of a number in a heading: the heading's anchor is made of it; else ""."""
    heading = page.heading_before(offset)
    inside = heading is not None and heading.start <= offset < heading.end
    return "it stands in a heading, whose anchor changes with it" if inside else ""
