"""Numbers that stand for no value of their own: labels of rows, retracted ones, those of generated blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from benchctl.claims.answers.nature import Nature
from benchctl.claims.mutation.claimed import literal_of, true_of
from benchctl.claims.mutation.elsewhere import with_value
from benchctl.claims.mutation.literals import Literal, Variant
from benchctl.claims.mutation.mutant import Kind, Mutant, Place
from benchctl.claims.mutation.places import Places
from benchctl.claims.mutation.truth import said_of, why_true
from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import RUN, Retracted, RowKey, Sheet
from benchctl.expressions import Value

__all__ = ["generated", "of_keys", "retracted"]


def of_keys(sheet: Sheet, places: Places) -> Iterator[Mutant]:
    """Yield the labels of bound tables' rows with a digit changed: no row of the run is called so, or it says otherwise."""
    claimed = {claim.start for claim in sheet.claims} | {item.atom.start for item in sheet.retractions}
    for atom in sheet.numbers.atoms:
        if sheet.standing.get(atom.start) == "bound" and atom.start not in claimed:
            place = places.of_key(atom.start) or places.of_group(atom.start, atom.end)
            for variant in Literal.of(sheet.page, atom).digits():
                found = _changed(sheet, "key", atom, variant, place)
                yield replace(found, equivalent=_says_the_same(sheet, found))


def _says_the_same(sheet: Sheet, mutant: Mutant) -> str:
    """Return why a row may be called otherwise: a table that shows some rows shows another one, which prints the same."""
    for table in sheet.tables:
        row = next((row for row in table.rows if row.start <= mutant.start < row.end), None)
        if row is None or not (table.subset or row.run):
            continue
        for column, value in row.values:
            other = value.replace(mutant.literal, mutant.changed_to, 1)
            if other != value and _true_of_row(sheet, row, column, value, other):
                return f"true of {column} {other}, too"
    return ""


def _true_of_row(sheet: Sheet, row: RowKey, column: str, value: str, other: str) -> bool:
    """Whether every number of a row is true of another value of its key."""
    judged = [item for item in sheet.judged if item.claim.row == row and item.claim.atom]
    for item in judged:
        claim = item.claim
        run = other if column == RUN else claim.scope.run
        swap = {probe: with_value(probe, column, value, other) for probe in claim.expression.probes}
        if not sheet.try_measure(claim.scope, swap.values(), run):
            return False
        answer = sheet.lookup.answer(claim.expression, run, swap)
        says = literal_of(sheet, claim.atom).says if claim.atom else None
        if says is None or not true_of(sheet, replace(item, answer=answer), says):
            return False
    return bool(judged)


def generated(sheet: Sheet, places: Places) -> Iterator[Mutant]:
    """Yield every number of every generated block with its last digit up and down."""
    for block in sheet.blocks:
        for atom in sheet.numbers.between(block.start, block.end):
            for variant in Literal.of(sheet.page, atom).digits():
                yield _changed(sheet, "generated", atom, variant, places.of_block_line(block, atom.start))


def retracted(sheet: Sheet, places: Places) -> Iterator[Mutant]:
    """Yield each retracted number as the number of today that it must not be."""
    for item in sheet.retractions:
        literal = Literal.of(sheet.page, item.atom)
        live = (_live(sheet, literal, value, nature) for value, nature in _todays(sheet, item))
        variant = next((found for found in live if found), None)
        if variant:
            yield _changed(
                sheet, "retraction", item.atom, variant, places.of_group(item.atom.start, item.atom.end)
            )


def _todays(sheet: Sheet, item: Retracted) -> Iterator[tuple[Value, Nature]]:
    """Yield what a retracted number must not be: the value of its expression, else every bound value."""
    if item.expression is None:
        for judged in sheet.judged:
            if judged.answer.value is not None:
                yield judged.answer.value, judged.claim.expression.nature
        return
    value = sheet.lookup.answer(item.expression, item.scope.run).value
    if value is not None:
        yield value, item.expression.nature


def _live(sheet: Sheet, literal: Literal, value: Value, nature: Nature) -> Variant | None:
    """Return the literal as today's value, if that is true in its form."""
    actual = said_of(value, literal.says.unit, nature)
    variant = None if actual is None else literal.showing("retraction", actual)
    return variant if variant and why_true(variant.says, value, nature, Fraction(sheet.about)) else None


def _changed(sheet: Sheet, kind: Kind, atom: Atom, variant: Variant, place: Place) -> Mutant:
    start, end, edit = atom.start, atom.end, variant.edit
    text = sheet.page.text
    changed = text[start : edit.start] + edit.text + text[edit.end : max(end, edit.end)]
    return Mutant(kind, start, end, atom.literal, changed, place, (edit,))
