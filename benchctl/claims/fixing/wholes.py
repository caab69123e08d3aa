"""A count and what it is of, side by side: `23 of 24`. Some that would become all says another thing."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from decimal import Decimal

from benchctl.claims.fixing.change import Change
from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Sheet
from benchctl.quantities.units import normalise_unit

__all__ = ["OF", "parts_of", "some_become_all"]

_MARKS = r"[*_~`]*"
OF = re.compile(rf"{_MARKS}\s*(?:/|(?:out\s+)?of(?:\s+(?:its|the|their|all|our|these|those))*)\s*{_MARKS}")
"""What parts a count from its whole."""

Parts = tuple[tuple[Decimal, Decimal], tuple[Decimal, Decimal]]
"""(count, whole) before and after."""


def parts_of(sheet: Sheet, change: Change, others: Sequence[Change]) -> Parts | None:
    """Return a changed count with its whole, or the whole with its count, before and after; None where it is neither."""
    atom = change.item.claim.atom
    pair = _pair(sheet, atom) if atom else None
    if pair is None:
        return None
    known = {other.item.claim.start: (other.old, other.new) for other in (*others, change)}
    (some, some_after), (whole, whole_after) = (
        known.get(each.start, (each.token.value or Decimal(0),) * 2) for each in pair
    )
    return (some, whole), (some_after, whole_after)


def some_become_all(sheet: Sheet, change: Change, others: Sequence[Change]) -> bool:
    """Whether a number says all, or a part, and would say the other; a cell of a table says no sentence."""
    atom = change.item.claim.atom
    if atom is None or sheet.page.cell_at(atom.start):
        return False
    parts = parts_of(sheet, change, others)
    if parts:
        (some, whole), (after, whole_after) = parts
        return (some == whole) != (after == whole_after)
    unit = normalise_unit(atom.token.unit)
    shares = change.item.claim.expression.nature.unit == "fraction"
    full = Decimal(100) if unit == "%" else Decimal(1) if shares and not unit else None
    return full is not None and (change.old == full) != (change.new == full)


def _pair(sheet: Sheet, atom: Atom) -> tuple[Atom, Atom] | None:
    atoms = sheet.numbers.atoms
    at = bisect_left(atoms, atom.start, key=lambda other: other.start)
    for first in (at, at - 1):
        pair = atoms[first : first + 2] if first >= 0 else []
        if len(pair) > 1 and OF.fullmatch(sheet.page.visible[pair[0].token.end : pair[1].token.start]):
            return pair[0], pair[1]
    return None
