"""Every change of a page's text: what could stand in place of each number that is bound or generated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from benchctl.claims.mutation.claimed import literal_of, true_of, with_entry
from benchctl.claims.mutation.elsewhere import values_elsewhere
from benchctl.claims.mutation.headers import of_headers
from benchctl.claims.mutation.labels import generated, of_keys, retracted
from benchctl.claims.mutation.literals import Literal, Variant
from benchctl.claims.mutation.mutant import Edit, Mutant
from benchctl.claims.mutation.places import Places
from benchctl.claims.mutation.swaps import swapped
from benchctl.claims.mutation.truth import said_of
from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Judged, Sheet

__all__ = ["mutants_of", "without_unit"]


def mutants_of(sheet: Sheet) -> list[Mutant]:
    """Return the changes of a true page's text, each once."""
    places = Places(sheet)
    found = [
        *_of_claims(sheet, places),
        *swapped(sheet, places),
        *of_headers(sheet, places),
        *of_keys(sheet, places),
        *retracted(sheet, places),
        *generated(sheet, places),
    ]
    return list({(item.kind == "list", item.edits): item for item in reversed(found)}.values())[::-1]


def without_unit(sheet: Sheet) -> list[Atom]:
    """Return the bound numbers with a unit that nothing checks: their value has none."""
    return [
        item.claim.atom
        for item in sheet.judged
        if item.claim.atom
        and not item.claim.expression.nature.unit
        and not item.claim.expression.nature.plain
        and literal_of(sheet, item.claim.atom).unit_span()
    ]


def _of_claims(sheet: Sheet, places: Places) -> Iterator[Mutant]:
    elsewhere = {id(sheet.claims[index]): values for index, values in values_elsewhere(sheet).items()}
    for item in sheet.judged:
        atom = item.claim.atom
        if atom is None:
            continue
        literal = literal_of(sheet, atom)
        variants = [
            variant
            for other in elsewhere.get(id(item.claim), ())
            if (value := said_of(other.value, literal.says.unit, item.claim.expression.nature)) is not None
            and (variant := literal.showing("run" if other.run else "neighbour", value))
        ]
        beyond = literal.beyond(Fraction(item.judgement.actual or 0), Fraction(sheet.about))
        variants += [
            *literal.digits(),
            *literal.signs(),
            *_units(item, literal),
            *([beyond] if beyond else []),
        ]
        for variant in variants:
            yield _mutant(sheet, places, item, variant)
        if item.claim.listed is not None and variants:
            yield _unlisted(sheet, places, item, next(iter(literal.digits())))


def _units(item: Judged, literal: Literal) -> Iterable[Variant]:
    """Return the number in other units; where the value has none, only another multiplier is false of it."""
    known = item.claim.expression.nature.unit or item.claim.expression.nature.plain
    return [variant for variant in literal.units() if known or variant.says.unit == literal.says.unit]


def _mutant(sheet: Sheet, places: Places, item: Judged, variant: Variant) -> Mutant:
    claim = item.claim
    return Mutant(
        kind=variant.kind,
        start=claim.start,
        end=claim.end,
        literal=claim.atom.literal if claim.atom else "",
        changed_to=_changed(sheet.page.text, claim.start, claim.end, variant.edit),
        place=places.of_claim(claim),
        edits=with_entry(sheet, item, variant.edit),
        claim=claim.expression.text,
        equivalent=true_of(sheet, item, variant.says),
    )


def _unlisted(sheet: Sheet, places: Places, item: Judged, variant: Variant) -> Mutant:
    claim = item.claim
    changed = _changed(sheet.page.text, claim.start, claim.end, variant.edit)
    place = places.of_listed(claim, alone=True)
    literal = claim.atom.literal if claim.atom else ""
    return Mutant(
        "list", claim.start, claim.end, literal, changed, place, (variant.edit,), claim=claim.expression.text
    )


def _changed(text: str, start: int, end: int, edit: Edit) -> str:
    return text[start : edit.start] + edit.text + text[edit.end : max(end, edit.end)]
