"""Two neighbouring numbers in each other's place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from benchctl.claims.mutation.claimed import literal_of, true_of, with_entry
from benchctl.claims.mutation.figures import Figures
from benchctl.claims.mutation.literals import Literal
from benchctl.claims.mutation.mutant import Edit, Mutant, Place
from benchctl.claims.mutation.places import Places
from benchctl.claims.mutation.truth import Printed
from benchctl.claims.sheet import Judged, Sheet

__all__ = ["swapped"]


def swapped(sheet: Sheet, places: Places) -> Iterator[Mutant]:
    """Yield each two bound numbers of a scope that stand next to each other and are written in figures, swapped.

    The figures change places, units and words stay.
    """
    judged = sorted((item for item in sheet.judged if item.claim.atom), key=lambda item: item.claim.start)
    for left, right in pairwise(judged):
        if left.claim.scope == right.claim.scope and (found := _swap(sheet, places, left, right)):
            yield found


def _swap(sheet: Sheet, places: Places, left: Judged, right: Judged) -> Mutant | None:
    if left.claim.atom is None or right.claim.atom is None:
        return None
    one, two = literal_of(sheet, left.claim.atom), literal_of(sheet, right.claim.atom)
    first, second = one.figures, two.figures
    if first is None or second is None or _sign_is_lent(first) or _sign_is_lent(second):
        return None
    text = sheet.page.text
    texts = text[first.start : first.end], text[second.start : second.end]
    if texts[0] == texts[1]:
        return None
    true = true_of(sheet, left, _says(one, first, second)), true_of(sheet, right, _says(two, second, first))
    where = places.of_claim(left.claim), places.of_claim(right.claim)
    return Mutant(
        kind="swap",
        start=left.claim.start,
        end=left.claim.end,
        literal=f"{texts[0]} \u2026 {texts[1]}",
        changed_to=f"{texts[1]} \u2026 {texts[0]}",
        place=Place(
            (*where[0].region, *where[1].region),
            (*where[0].block, *where[1].block),
            where[0].keys | where[1].keys,
        ),
        edits=(
            *with_entry(sheet, left, Edit(first.start, first.end, texts[1])),
            *with_entry(sheet, right, Edit(second.start, second.end, texts[0])),
        ),
        claim=left.claim.expression.text,
        equivalent=true[0] if all(true) else "",
    )


def _sign_is_lent(figures: Figures) -> bool:
    return figures.negative and not figures.sign


def _says(literal: Literal, own: Figures, other: Figures) -> Printed:
    """Return what a number says with another's figures before its own multiplier and unit."""
    unit = own.place * Fraction(10) ** own.decimals  # what a 1 before the multiplier is worth
    last = Fraction(1, 10**other.decimals)
    value = other.count * last * unit
    return replace(literal.says, value=-value if other.negative else value, place=last * unit)
