"""A percent beside its own counts (`44 of 48 (92 %)`): either all of it is rewritten, or nothing."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from decimal import Decimal

from benchctl.claims.fixing.change import Change
from benchctl.claims.fixing.wholes import OF
from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Sheet
from benchctl.quantities.rounding import agreement

__all__ = ["torn"]

_MARKS = r"[*_~`]*"
_OPENS = re.compile(rf"{_MARKS}[^\S\n]*[(,:\u2014\u2013=]\s*(?:or\s+|i\.e\.\s+|that is\s+)?{_MARKS}|\s+or\s+")
_NEIGHBOURS = 3


def torn(sheet: Sheet, change: Change, others: Sequence[Change]) -> bool:
    """Whether a percent agreed with the counts beside it before the change, and would not after it."""
    values = {
        other.item.claim.atom.start: (other.old, other.new)
        for other in (*others, change)
        if other.item.claim.atom
    }
    for count, whole, percent in _triples(sheet, change):
        before, after = (
            [values.get(atom.start, (atom.token.value, atom.token.value))[when] for atom in (count, whole)]
            + [values.get(percent.start, (percent.token.value, percent.token.value))[when]]
            for when in (0, 1)
        )
        if _agree(before, percent) and not _agree(after, percent):
            return True
    return False


def _agree(values: Sequence[Decimal | None], percent: Atom) -> bool:
    count, whole, printed = values
    if count is None or not whole or printed is None or percent.token.place is None:
        return False
    return agreement(100 * count / whole, printed, percent.token.place) != "false"


def _triples(sheet: Sheet, change: Change) -> Iterator[tuple[Atom, Atom, Atom]]:
    """Yield (count, whole, percent) of each such group that holds the changed number."""
    atom = change.item.claim.atom
    if atom is None:
        return
    atoms = sheet.numbers.atoms
    at = bisect_left(atoms, atom.start, key=lambda other: other.start)
    for first in range(max(0, at - _NEIGHBOURS + 1), min(at + 1, len(atoms) - _NEIGHBOURS + 1)):
        one, two, three = atoms[first : first + _NEIGHBOURS]
        gaps = [
            sheet.page.visible[left.token.end : right.token.start]
            for left, right in ((one, two), (two, three))
        ]
        if three.token.unit == "%" and OF.fullmatch(gaps[0]) and _OPENS.fullmatch(gaps[1]):
            yield one, two, three
        elif one.token.unit == "%" and _OPENS.fullmatch(gaps[0]) and OF.fullmatch(gaps[1]):
            yield two, three, one
