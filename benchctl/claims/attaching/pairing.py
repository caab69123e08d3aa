"""Numbers to their expressions: one each, in the unit of their table's header, or one value between two ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from benchctl.claims.attaching.headers import scale_at, scaled
from benchctl.claims.markers.grammar import Source
from benchctl.claims.markers.scope import Scope
from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Claim, RowKey, Sheet
from benchctl.quantities.format import counted

__all__ = ["claim_each"]

_AND = re.compile(r"[*_~`]*\s+and\s+[*_~`]*")
_BETWEEN = re.compile(r"\bbetween\s+[*_~`]*$", re.IGNORECASE)
_REACH = 24


def claim_each(
    sheet: Sheet,
    atoms: Sequence[Atom],
    sources: Sequence[Source],
    scope: Scope,
    *,
    row: RowKey | None = None,
) -> str:
    """Make a claim of each number with its expression; return what is wrong where there are too many of either, else "".

    One expression behind `between 100 and 110` says that its value lies there; two are the ends themselves.
    """
    expressions = [sheet.read(source, scope, row) for source in sources]
    if len(sources) == 1 and _are_ends(sheet, atoms):
        atoms, expressions = _as_bounds(atoms), expressions * 2
    if len(atoms) != len(expressions):
        return _miscounted(sheet, atoms, len(sources), in_cell=row is not None)
    named = scaled(atoms, scale_at(sheet.page, atoms[0].start), expressions)
    for atom, expression in zip(named, expressions, strict=True):
        if expression:
            sheet.claims.append(Claim(atom, expression, scope, atom.start, atom.end, row))
    return ""


def _miscounted(sheet: Sheet, atoms: Sequence[Atom], given: int, *, in_cell: bool) -> str:
    """Return which numbers a group or a cell holds, and which one before it a reader may have counted."""
    held = ", ".join(f"`{atom.literal}`" for atom in atoms)
    alone = "alone" if len(atoms) == 1 else f"({counted(len(atoms), 'number')})"
    what = "the cell holds" if in_cell else "the group that ends here is"
    are_given = f"{counted(given, 'expression')} {'is' if given == 1 else 'are'} given"
    message = f"{what} {held} {alone}, and {are_given}"
    outside = None if in_cell or given < len(atoms) else sheet.numbers.neighbour(atoms[0], _REACH)
    if outside:
        gap = " ".join(sheet.page.visible[outside.token.end : atoms[0].token.start].split())
        message += f"; `{outside.literal}` stands outside of it, for `{gap}` joins no group"
    return message


def _are_ends(sheet: Sheet, atoms: Sequence[Atom]) -> bool:
    if len(atoms) != 2:
        return False
    left, right = (atom.token for atom in atoms)
    visible = sheet.page.visible
    before = visible[max(0, left.start - _REACH) : left.start]
    return bool(_AND.fullmatch(visible, left.end, right.start) and _BETWEEN.search(before))


def _as_bounds(atoms: Sequence[Atom]) -> list[Atom]:
    ends = zip(atoms, (">=", "<="), strict=True)
    return [replace(atom, token=replace(atom.token, cmp=cmp)) for atom, cmp in ends]
