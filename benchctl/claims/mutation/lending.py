"""Where a number that loses its unit keeps it all the same: a range's unit stands at its end. Pure text."""

from __future__ import annotations

import re
from bisect import bisect_right

from benchctl.claims.numbers import Atom
from benchctl.claims.reading.page import Page
from benchctl.claims.sheet import Sheet

__all__ = ["lent_to"]

_ALWAYS = re.compile(r"[*_`]*(?:\s?(?:\u00b1|\+/[-\u2212]|[\u2010-\u2015\u2212-])\s?|\s+to\s+)[*_`]*")
"""Between two numbers of one thing, wherever they are bound."""
_BETWEEN = re.compile(r"\bbetween\s+[*_`$]*$", re.IGNORECASE)
_IN_A_GROUP = re.compile(
    r"[*_`]*\s*(?:[~\u301c\uff5e]|\.{2,3}|\u2026|\u2192|\u27f6|\u21d2|\u2794|\u279c|->|=>)\s*[*_`]*"
)
"""Between two numbers that one comment binds."""
_LISTED = re.compile(r"\s*[,;]\s*")
_CLOSES = re.compile(r"[^()\[\]\n]{0,60}[)\]]")
_NEAR, _WIDEST = 20, 16


def lent_to(sheet: Sheet, atom: Atom) -> str:
    """Return the unit that the next number lends to one without its own: `39 to 75 %` is in percent; else ""."""
    atoms = sheet.numbers.atoms
    index = bisect_right(atoms, atom.start, key=lambda other: other.start)
    if index == len(atoms) or not atoms[index].token.unit:
        return ""
    return atoms[index].token.unit if _joined(sheet.page, atom, atoms[index]) else ""


def _joined(page: Page, left: Atom, right: Atom) -> bool:
    visible, start, end = page.visible, left.token.end, right.token.start
    if not 0 < end - start <= _WIDEST:
        return False
    if _ALWAYS.fullmatch(visible, start, end):
        return True
    if "<!--" in page.text[left.start : right.start]:
        return False
    before = visible[max(0, left.token.start - _NEAR) : left.token.start]
    if visible[start:end].strip() == "and":
        return _BETWEEN.search(before) is not None
    listed = _LISTED.fullmatch(visible, start, end) and _CLOSES.match(visible, right.token.end)
    return bool(listed) or _IN_A_GROUP.fullmatch(visible, start, end) is not None
