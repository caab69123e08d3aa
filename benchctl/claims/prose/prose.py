"""The numbers of a page in reading order, with the words between them: what arithmetic in a text is read from."""

from __future__ import annotations

import re
from collections.abc import Collection
from decimal import Decimal
from functools import cached_property

from benchctl.claims.numbers import Atom, Numbers
from benchctl.claims.reading.page import Page
from benchctl.claims.reading.sentences import sentence_so_far
from benchctl.quantities.fold import WALL
from benchctl.quantities.span import Span
from benchctl.quantities.tokens import Token

__all__ = ["FAR", "Prose", "is_count", "is_signed", "may_say", "printed", "whole"]

FAR = "\0"
"""The gap between two numbers of different blocks, or too far apart to be of one statement."""
_WIDEST_GAP = 100
_COMPUTABLE = frozenset({"number", "word", "word-one", "param"})
_LARGEST_POWER = 40
_APART = re.compile(rf"{WALL}|\n[ \t\r>]*\n")
_OUTER = re.compile(rf"{WALL}|\n[ \t\r>]*\n|\|")
_SIGNS = "+-\u2212\u2013"


class Prose:
    """`items` are all number tokens in order, claims or not; `barred` are the raw starts that nobody computes with."""

    def __init__(self, page: Page, numbers: Numbers, barred: Collection[int]) -> None:
        self.page = page
        self.items: list[Atom] = sorted(
            [*numbers.atoms, *numbers.others, *numbers.unreadable], key=lambda atom: atom.token.start
        )
        self._barred = barred
        self._visible = page.visible

    @cached_property
    def gaps(self) -> list[str]:
        """Return what stands before each item since the one before it; FAR where they do not belong together."""
        gaps: list[str] = []
        position = 0
        for item in self.items:
            start = item.token.start
            gap = self._visible[position:start] if start - position <= _WIDEST_GAP else FAR
            gaps.append(FAR if _APART.search(gap) else gap)
            position = item.token.end
        return gaps

    def gap(self, index: int) -> str:
        """Return the gap before an item; FAR before the first and behind the last."""
        return self.gaps[index] if 0 < index < len(self.gaps) else FAR

    def usable(self, index: int) -> bool:
        """Whether there is such an item, and it is a number that may be computed with."""
        if not 0 <= index < len(self.items):
            return False
        item = self.items[index]
        token = item.token
        if token.kind not in _COMPUTABLE or token.value is None or self.is_barred(item):
            return False
        return abs(token.value.adjusted()) <= _LARGEST_POWER

    def is_barred(self, atom: Atom) -> bool:
        """Whether nobody computes with a number: it is generated, or retracted."""
        return atom.start in self._barred

    def token(self, index: int) -> Token:
        """Return an item's token."""
        return self.items[index].token

    def before(self, index: int, width: int = 80) -> str:
        """Return the text before an item, as far back as its sentence or cell goes, at most `width` characters."""
        start = self.items[index].token.start
        return sentence_so_far(self._visible[max(0, start - width) : start], cells=True)

    def after(self, index: int, width: int = 60) -> str:
        """Return the text behind an item as far as its block or cell goes, at most `width` characters."""
        end = self.items[index].token.end
        text = self._visible[end : end + width]
        found = _OUTER.search(text)
        return text[: found.start()] if found else text

    def header(self, index: int) -> str:
        """Return the header of the table cell that an item stands in, as it reads; "" outside of tables."""
        place = self.page.cell_at(self.items[index].start)
        headers = place[0].header.cells if place else ()
        if place is None or place[3] >= len(headers):
            return ""
        cell = headers[place[3]]
        return self.page.text[cell.start : cell.end]


def is_count(token: Token) -> bool:
    """Whether a number is a whole number of things, as far as its print tells."""
    return not token.unit and token.place == 1 and token.value is not None and token.value >= 0


def is_signed(token: Token) -> bool:
    """Whether a sign is printed before it."""
    return token.text[:1] in _SIGNS


def printed(token: Token) -> Span:
    """Return what a number stands for, rounded as it is printed."""
    return Span.printed(token.value or Decimal(0), token.place or Decimal(0))


def whole(token: Token) -> Span:
    """Return a whole number as itself, any other as it is rounded: a count has no rounding."""
    return Span.exact(token.value or 0) if token.place == 1 else printed(token)


def may_say(truth: Span, token: Token, about: Decimal, factor: int = 1) -> bool:
    """Whether a printed number may be said of some number in `truth`; `factor` is what the print's unit multiplies by.

    `about` is the share that `~` allows; a bound says what it says.
    """
    value = token.value or Decimal(0)
    said = truth.times(factor)
    match token.cmp:
        case ">" | ">=":
            return said.hi >= value
        case "<" | "<=":
            return said.lo <= value
        case "~":
            wide = max(token.place or Decimal(0), 2 * about * abs(value))
            return said.touches(Span.printed(value, wide))
        case _:
            return said.touches(printed(token))
