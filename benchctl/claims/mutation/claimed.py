"""A judged claim as mutation sees it: how it is written, what may be said of it, where it is written twice."""

from __future__ import annotations

from fractions import Fraction

from benchctl.claims.mutation.lending import lent_to
from benchctl.claims.mutation.literals import Literal
from benchctl.claims.mutation.mutant import Edit
from benchctl.claims.mutation.truth import Printed, why_true
from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Judged, Sheet

__all__ = ["literal_of", "true_of", "with_entry"]

_AS_BOUND = "the word before it is read as one, write *across* or *in* for the preposition"


def literal_of(sheet: Sheet, atom: Atom) -> Literal:
    """Return how a claim's number is written and meant, and the unit that its neighbour would lend it."""
    return Literal.of(sheet.page, atom, lent_to(sheet, atom))


def true_of(sheet: Sheet, item: Judged, says: Printed) -> str:
    """Return in which way a claim would be true if it said something else; "" where it would be false."""
    if item.answer.value is None:
        return ""
    why = why_true(says, item.answer.value, item.claim.expression.nature, Fraction(sheet.about))
    return f"{why}: {_AS_BOUND}" if why and says.cmp != "=" and item.judgement.word == "end" else why


def with_entry(sheet: Sheet, item: Judged, edit: Edit) -> tuple[Edit, ...]:
    """Return an edit of a claim's number, and the same of its entry in a paragraph's list, where one names it."""
    listed, old = item.claim.listed, sheet.page.text[edit.start : edit.end]
    at = listed.text.find(old) if listed and old else -1
    if listed is None or at < 0:
        return (edit,)
    start = listed.start + at
    return edit, Edit(start, start + len(old), edit.text)
