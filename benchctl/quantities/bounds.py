"""How a literal is meant: the comparator before it, with the negations around it put in."""

from __future__ import annotations

import re
from typing import NamedTuple

from benchctl.quantities.comparators import comparator_before, phrase_before
from benchctl.quantities.fold import HARD_SPACE
from benchctl.quantities.negation import TURNED, negated, negated_behind, negated_han
from benchctl.quantities.units import family

__all__ = ["EXACT", "Bound", "bound_before"]

_PREPOSITIONS = frozenset(["over", "under", "above", "below"])
_LESS_IS_BETTER = frozenset(["time", "size", "money", "euro", "pound", "yen", "tokens"])
_OTHER_WAY = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
_FIRST_HAN = "\u2e80"


_MORE = r"more|over|above|higher|longer|greater|larger|later|up(?:wards)?"
_LESS = r"less|fewer|under|below|lower|shorter|smaller"
_GAP = rf"[ \t\n{HARD_SPACE}]"
_OR = rf"or{_GAP}(?:(?P<more>{_MORE})|(?P<less>{_LESS}))(?!{_GAP}+than\b)"
_AND = rf"and{_GAP}(?:(?P<above>above|over|up)|(?:below|under))(?={_GAP}*(?:[.,;:)|]|\Z))"
_BOUND_BEHIND = re.compile(
    rf"[*_]{{0,3}}{_GAP}{{0,3}}(?:(?:[a-z]{{2,12}}{_GAP})?(?:{_OR}|{_AND})|at{_GAP}(?:(?P<least>least)|most))"
    rf"(?![\w-])(?![ \n{HARD_SPACE}*_]*[$\d~<>\u2264\u2265])",
    re.IGNORECASE,
)
"""What stands behind a number and bounds it: `90 or more`, `97 cells or fewer`, `43 s at most`; not what bounds the next."""


class Bound(NamedTuple):
    """A comparator, one of `= ~ > >= < <=`; `doubt` says what of it cannot be decided, "" for nothing.

    "negation" where it may stand under one, "preposition" where a negated "over" may be none, "better" where the way
    that is better decides.
    """

    cmp: str = "="
    doubt: str = ""


EXACT = Bound()


def bound_before(flat: str, span: tuple[int, int], unit: str, *, floor: int, tag_end: int) -> Bound:
    """Return how the literal that spans `span`, with its `unit`, is meant: "no cell took longer than" is `<=`."""
    start, end = span
    cmp = comparator_before(flat, start, floor, tag_end)
    if cmp == "=" and (behind := _behind(flat, end)):
        found = negated(flat, start, "more than")
        return Bound(behind, "negation") if found == "unclear" else Bound(TURNED[behind] if found else behind)
    if cmp not in TURNED:
        return Bound(cmp)
    first, last = phrase_before(flat, start)
    phrase = flat[first:last].lower()
    found = negated_han(flat, first) if phrase[-1] >= _FIRST_HAN else negated(flat, first, phrase)
    if found == "unclear" or negated_behind(flat, end):
        return Bound(cmp, "negation")
    cmp = TURNED[cmp] if found else cmp
    if phrase.startswith("better"):
        return Bound(_OTHER_WAY[cmp]) if family(unit) in _LESS_IS_BETTER else Bound(cmp, "better")
    return Bound(cmp, "preposition" if found and phrase in _PREPOSITIONS else "")


def _behind(flat: str, end: int) -> str:
    """Return the comparator that stands behind a number, "" for none."""
    found = _BOUND_BEHIND.match(flat, end, end + 48)
    if found is None:
        return ""
    return ">=" if found["more"] or found["above"] or found["least"] else "<="
