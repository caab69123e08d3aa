"""The numbers of a page, one by one and in groups, each with its place on the raw page.

A number is an atom of the scanner; what belongs together (`18 of its 48`, `[0.1%, 3.0%]`,
`0.977 → 0.948`) is found here, from the right: a binding takes the longest group that ends
before it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from benchctl.claims.reading.page import Page
from benchctl.quantities.fold import WALL
from benchctl.quantities.numerals import CLAIM_KINDS, Token, scan
from benchctl.quantities.units import family, normalise_unit

__all__ = ["Atom", "Numbers"]

_MARKS = r"[*_~`]*"
_OF = re.compile(rf"{_MARKS}\s+(?:out\s+)?of\s+(?:(?:its|the|their|all|our|these|those)\s+)*{_MARKS}")
_SLASH = re.compile(rf"{_MARKS}\s*/\s*{_MARKS}")
_RANGE = re.compile(r"[*_]*(?:\s?[\u2010-\u2013]\s?|-|\.\.\.?|…|\s+to\s+)[*_]*")
_AND = re.compile(r"\s+and\s+")
_ARROW = re.compile(rf"{_MARKS}\s*(?:→|⟶|->|=>|&rarr;)\s*{_MARKS}")
_PLUS_MINUS = re.compile(r"\s*(?:±|\+/[-\u2212]|&plusmn;)\s*")
_COMMA = re.compile(r"\s*[,;]\s*")
_PAREN = re.compile(rf"{_MARKS}\s*\({_MARKS}")
_BRACKET = re.compile(rf"{_MARKS}\s*\[\s*")
_BETWEEN = re.compile(r"\bbetween\s+$", re.IGNORECASE)
_CLOSERS = re.compile(r"[*_~`)\]]*+")
_GLYPH = re.compile(r"[^\d]*")
_WIDEST_JOINT = 40
_ONE = "word-one"
_READ = CLAIM_KINDS | {_ONE}


@dataclass(frozen=True, slots=True)
class Atom:
    """One claim on the page. `start` and `end` are raw offsets, `token` has the offsets of the visible text.

    `end` lies before a comment that stands inside the literal; `literal` is the whole of it, as it reads.
    """

    token: Token
    start: int
    end: int
    literal: str

    @property
    def is_claim(self) -> bool:
        """Whether it is a number at all, and no date, version or the like."""
        return self.token.kind in _READ

    @property
    def optional(self) -> bool:
        """Whether it may stand unbound: the word `one`."""
        return self.token.kind == _ONE


def _printed_end(page: Page, token: Token) -> int:
    """Return the raw end of a token, or where a comment inside it begins (`2.0<!--= x --> tokens`)."""
    start, end = page.raw(token.start), page.behind(token.end)
    index = bisect_right(page.comments, start, key=lambda comment: comment.start)
    return min(end, page.comments[index].start) if index < len(page.comments) else end


class Numbers:
    """Every number token of a page, and how numbers group."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.atoms: list[Atom] = []
        self.unreadable: list[Atom] = []
        self.others: list[Atom] = []
        for token in scan(page.visible):
            start, end = page.raw(token.start), _printed_end(page, token)
            atom = Atom(token, start, end, page.visible[token.start : token.end])
            if token.kind in _READ and token.value is not None:
                self.atoms.append(atom)
            else:
                (self.unreadable if token.kind == "unreadable" else self.others).append(atom)
        self._walls: list[int] = []

    def kinds(self) -> dict[str, int]:
        """Return the not-claims by kind, sorted."""
        counts = Counter(atom.token.kind for atom in self.others) + Counter(self.page.skipped)
        return dict(sorted(counts.items()))

    def wall(self, offsets: Iterable[int]) -> None:
        """Tell at which raw offsets bindings begin: no group reaches across one."""
        self._walls = sorted(self.page.seen(offset) for offset in offsets)

    def others_between(self, start: int, end: int) -> list[Atom]:
        """Return the not-claims with a value that lie in a raw stretch."""
        return [
            atom
            for atom in self.others
            if start <= atom.start and atom.end <= end and atom.token.value is not None
        ]

    def between(self, start: int, end: int) -> list[Atom]:
        """Return the claims that lie in a raw stretch."""
        first = bisect_left(self.atoms, start, key=lambda atom: atom.start)
        last = bisect_right(self.atoms, end, key=lambda atom: atom.end)
        return self.atoms[first:last]

    def promote(self, atom: Atom) -> Atom:
        """Make a claim of a not-claim that a binding names (`n=48<!--= count -->`), if it has a value."""
        if atom.is_claim or atom.token.value is None:
            return atom
        self.others.remove(atom)
        named = replace(atom, token=replace(atom.token, kind="number"))
        insort(self.atoms, named, key=lambda item: item.start)
        return named

    def before(self, offset: int) -> Atom | None:
        """Return the token of any kind that ends right before a comment at raw `offset`, closing marks allowed.

        The comment may stand between a number and its unit glyph, never between two digits.
        """
        seen = self.page.seen(offset)
        for atoms in (self.atoms, self.others, self.unreadable):
            index = bisect_right(atoms, seen - 1, key=lambda atom: atom.token.start) - 1
            if index >= 0 and self._ends_at(atoms[index], seen):
                return atoms[index]
        return None

    def _ends_at(self, atom: Atom, seen: int) -> bool:
        if seen <= atom.token.end:
            return _GLYPH.fullmatch(self.page.visible, seen, atom.token.end) is not None
        return _CLOSERS.fullmatch(self.page.visible, atom.token.end, seen) is not None

    def group(self, last: Atom) -> list[Atom]:
        """Return the longest group that `last` ends, in page order, units shared where a range shares them."""
        index = bisect_right(self.atoms, last.token.start, key=lambda atom: atom.token.start) - 1
        first = index
        closed = self._closing(last)
        while first > 0 and not self._walled(self.atoms[first - 1], self.atoms[first]):
            kind = self._joint(self.atoms[first - 1], self.atoms[first], index - first, closed)
            if not kind:
                break
            first -= 1
            if kind == "once":
                break
        return self._shared(self.atoms[first : index + 1])

    def _closing(self, atom: Atom) -> str:
        found = re.compile(r"\s*[*_]*([)\]])").match(self.page.visible, atom.token.end)
        return found[1] if found else ""

    def _walled(self, left: Atom, right: Atom) -> bool:
        """Whether a binding of `left` stands between the two."""
        index = bisect_right(self._walls, left.token.start)
        return index < len(self._walls) and self._walls[index] <= right.token.start

    def _joint(self, left: Atom, right: Atom, joined: int, closed: str) -> str:
        """Return how two neighbours hang together: "" (not), "on", or "once" (nothing joins further left)."""
        visible = self.page.visible
        start, end = left.token.end, right.token.start
        if WALL in visible[start : min(end, start + _WIDEST_JOINT)]:
            return ""
        kind = "" if end - start > _WIDEST_JOINT else self._pair(left, right, start, end)
        if kind:
            return kind
        if (
            joined == 0
            and closed == ")"
            and right.token.unit == "%"
            and _PAREN.fullmatch(visible, start, end)
        ):
            return "on"
        if joined == 0 and closed and _COMMA.fullmatch(visible, start, end):
            opener = {"]": "[", ")": "("}[closed]
            return "on" if visible[: left.token.start].rstrip(" *_").endswith(opener) else ""
        return "once" if joined == 1 and closed == "]" and _BRACKET.fullmatch(visible, start, end) else ""

    def _pair(self, left: Atom, right: Atom, start: int, end: int) -> str:
        visible = self.page.visible
        if any(joint.fullmatch(visible, start, end) for joint in (_OF, _SLASH, _ARROW, _PLUS_MINUS)):
            return "on"
        if _RANGE.fullmatch(visible, start, end) and _alike(left.token.unit, right.token.unit):
            return "on"
        between = _AND.fullmatch(visible, start, end) and _BETWEEN.search(visible[: left.token.start][-20:])
        return "once" if between else ""

    def _shared(self, atoms: list[Atom]) -> list[Atom]:
        """Give a range's, interval's or arrow's last unit, and a range's first `~`, to the numbers beside it."""
        result = list(atoms)
        for index in range(len(atoms) - 2, -1, -1):
            left, right = result[index].token, result[index + 1].token
            joint = self.page.visible[left.end : right.start]
            if (
                not left.unit
                and right.unit
                and not any(mark.fullmatch(joint) for mark in (_OF, _SLASH, _PAREN))
            ):
                result[index] = replace(result[index], token=replace(left, unit=right.unit))
        for index in range(1, len(result)):
            left, right = result[index - 1].token, result[index].token
            if (
                left.cmp == "~"
                and right.cmp == "="
                and _RANGE.fullmatch(self.page.visible, left.end, right.start)
            ):
                result[index] = replace(result[index], token=replace(right, cmp="~"))
        return result


def _alike(left: str, right: str) -> bool:
    return not left or normalise_unit(left) == normalise_unit(right) or (family(left) or "") == family(right)
