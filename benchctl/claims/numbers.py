"""The numbers of a page, one by one and in groups, each with its place on the raw page.

A number is an atom of the scanner; what belongs together (`18 of its 48`, `[0.1%, 3.0%]`,
`0.977 → 0.948`) is found here, from the right: a binding takes the longest group that ends
before it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from benchctl.claims.atom import READ, Atom
from benchctl.claims.grouping import closer_of, ends_at, is_opened, joint_of, scales, share_units
from benchctl.claims.reading.page import Page
from benchctl.quantities.fold import WALL
from benchctl.quantities.numerals import Token, scan

__all__ = ["Atom", "Numbers"]

_HIGH_NOTE = 3
"""Of how many digits the number of a note is none that is taken for one by its brackets alone."""
_NOTE = re.compile(r"\[\^?(\d{3,9})\]")
_NOTE_LISTED = re.compile(rf"^[ \t>*+-]*{_NOTE.pattern}", re.MULTILINE)
_LONGEST_GROUP = 64
"""No sentence has a longer one; a line of ten thousand slashes has."""


class Numbers:
    """Every number token of a page, and how numbers group.

    `atoms` are the claims, `others` the not-claims, `unreadable` what no rule reads, each in page order.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.atoms: list[Atom] = []
        self.unreadable: list[Atom] = []
        self.others: list[Atom] = []
        self._comments = [comment.start for comment in page.comments]
        for found in scan(page.visible):
            token = found if found.kind != "footnote" else self._unless_cited(found)
            atom = self._placed(token)
            if token.kind in READ and token.value is not None:
                self.atoms.append(atom)
            else:
                (self.unreadable if token.kind == "unreadable" else self.others).append(atom)
        self._walls: list[int] = []

    def _unless_cited(self, note: Token) -> Token:
        """Return a note in brackets as the number it is where it is a high one that the page lists nowhere."""
        if note.value is None or len(note.text) < _HIGH_NOTE or self._listed(note.text):
            return note
        bare = self.page.visible[note.start - 1 : note.start] == "["
        return replace(note, kind="number") if bare else note

    def _listed(self, number: str) -> bool:
        """Whether a line begins with a note of this number, and another place cites it or the next line goes on the list."""
        heads, cited = self._notes
        near = {str(int(number) - 1), str(int(number) + 1)} if number.isdecimal() else set()
        return number in heads and (cited[number] > 1 or bool(near & heads))

    @cached_property
    def _notes(self) -> tuple[frozenset[str], Counter[str]]:
        text = self.page.text
        return frozenset(_NOTE_LISTED.findall(text)), Counter(_NOTE.findall(text))

    def _placed(self, token: Token) -> Atom:
        """Return the token as an atom, which ends where a comment inside it begins (`2.0<!--= x --> tokens`)."""
        start, end = self.page.raw(token.start), self.page.behind(token.end)
        index = bisect_right(self._comments, start)
        if index < len(self._comments):
            end = min(end, self._comments[index])
        return Atom(token, start, end, self.page.visible[token.start : token.end])

    def kinds(self) -> dict[str, int]:
        """Return the not-claims by kind, sorted."""
        counts = Counter(atom.token.kind for atom in self.others) + Counter(self.page.skipped)
        return dict(sorted(counts.items()))

    def wall(self, offsets: Iterable[int]) -> None:
        """Tell at which raw offsets bindings begin: no group reaches across one."""
        self._walls = sorted(self.page.seen(offset) for offset in offsets)

    def others_between(self, start: int, end: int) -> list[Atom]:
        """Return the not-claims with a value that lie in a raw stretch."""
        return [atom for atom in _between(self.others, start, end) if atom.token.value is not None]

    def between(self, start: int, end: int) -> list[Atom]:
        """Return the claims that lie in a raw stretch."""
        return _between(self.atoms, start, end)

    def promote(self, atom: Atom) -> Atom:
        """Make a claim of a not-claim that a binding names (`n=48<!--= count -->`), if it has a value."""
        if atom.is_claim or atom.token.value is None:
            return atom
        place = bisect_left(self.others, atom.token.start, key=_seen)
        named = replace(atom, token=replace(atom.token, kind="number"))
        if place == len(self.others) or self.others[place] != atom:
            return named  # it has been named before
        del self.others[place]
        insort(self.atoms, named, key=_seen)
        return named

    def before(self, offset: int) -> Atom | None:
        """Return the token of any kind that ends right before a comment at raw `offset`, closing marks allowed.

        The comment may stand between a number and its unit glyph, never between two digits. Behind a power of
        ten that scales a bracket, it is the last number of the bracket.
        """
        seen = self.page.seen(offset)
        for atoms in (self.atoms, self.others, self.unreadable):
            index = bisect_right(atoms, seen - 1, key=_seen) - 1
            if index >= 0 and ends_at(self.page.visible, atoms[index], seen):
                return self._scaled_by(atoms[index]) or atoms[index]
        return None

    def _scaled_by(self, atom: Atom) -> Atom | None:
        if atom.token.kind != "expr":
            return None
        index = bisect_right(self.atoms, atom.token.start, key=_seen) - 1
        known = index >= 0 and scales(self.page.visible, atom, self.atoms[index])
        return self.atoms[index] if known else None

    def group(self, last: Atom) -> list[Atom]:
        """Return the longest group that `last` ends, in page order, units shared where a range shares them."""
        visible = self.page.visible
        index = bisect_right(self.atoms, last.token.start, key=_seen) - 1
        first = index
        closer = closer_of(visible, last)
        least = max(0, index - _LONGEST_GROUP)
        while first > least and not self._walled(self.atoms[first - 1], self.atoms[first]):
            kind = joint_of(visible, self.atoms[first - 1], self.atoms[first], index - first, closer)
            if kind == "tuple":
                opened = self._opening(index, least, closer) if first == index else None
                if opened is None:
                    break
                first = opened
                continue
            if not kind:
                break
            first -= 1
            if kind == "once":
                break
        return share_units(visible, self.atoms[first : index + 1])

    def _opening(self, index: int, least: int, closer: str) -> int | None:
        """Return the first number of the bracket that closes behind the one at `index`; None where others stand in it."""
        visible, first = self.page.visible, index
        while first > least and not self._walled(self.atoms[first - 1], self.atoms[first]):
            if joint_of(visible, self.atoms[first - 1], self.atoms[first], 0, closer) != "tuple":
                return None
            first -= 1
            if is_opened(visible, self.atoms[first], closer):
                return first
        return None

    def shared(self, atoms: Sequence[Atom]) -> list[Atom]:
        """Return the atoms, in page order, each with the unit that the longest group it lies in shares."""
        found: dict[int, Atom] = {}
        for atom in reversed(atoms):
            if atom.start not in found:
                for item in self.group(atom):
                    found.setdefault(item.start, item)
        return [found[atom.start] for atom in atoms]

    def neighbour(self, atom: Atom, reach: int) -> Atom | None:
        """Return the claim that stands in front of one in the same block, at most `reach` characters away, no binding between."""
        index = bisect_right(self.atoms, atom.token.start - 1, key=_seen) - 1
        if index < 0 or self._walled(self.atoms[index], atom):
            return None
        before = self.atoms[index]
        gap = self.page.visible[before.token.end : atom.token.start]
        return before if len(gap) <= reach and WALL not in gap and "|" not in gap else None

    def _walled(self, left: Atom, right: Atom) -> bool:
        """Whether a binding of `left` stands between the two."""
        index = bisect_right(self._walls, left.token.start)
        return index < len(self._walls) and self._walls[index] <= right.token.start


def _seen(atom: Atom) -> int:
    return atom.token.start


def _between(atoms: Sequence[Atom], start: int, end: int) -> list[Atom]:
    first = bisect_left(atoms, start, key=lambda atom: atom.start)
    last = bisect_right(atoms, end, key=lambda atom: atom.end)
    return list(atoms[first:last])
