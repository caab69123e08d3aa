"""Bindings in prose to the numbers they stand behind: inline, listed, exempt, retracted, asserted."""

from __future__ import annotations

import re
from itertools import islice, zip_longest

from benchctl.claims.attaching.headers import scale_at, scaled
from benchctl.claims.attaching.pairing import claim_each
from benchctl.claims.attaching.tabular import bind_table
from benchctl.claims.markers.nouns import (
    Assertion,
    Binding,
    Exemption,
    Inline,
    Listed,
    ListItem,
    Retraction,
    TableBinding,
)
from benchctl.claims.markers.scope import Scope
from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Asserted, Claim, Retracted, Sheet

__all__ = ["attach_all"]

_SPACES = re.compile(r"\s+")


def attach_all(sheet: Sheet) -> None:
    """Let every binding of the page claim its numbers; what finds none is a finding.

    Inline bindings go first, so that a cell with its own comment is left to it.
    """
    in_prose = [item for item in sheet.bindings if isinstance(item, Inline | Exemption | Retraction)]
    sheet.numbers.wall(item.start for item in in_prose)
    for marker in in_prose:
        known = len(sheet.standing)
        _behind(sheet, marker)
        _unless_accepted(sheet, marker, known)
    for binding in sheet.bindings:
        scope = sheet.scopes.at(binding.start)
        if scope is None or isinstance(binding, Inline):
            continue
        known = len(sheet.standing)
        match binding:
            case Assertion():
                expression = sheet.read(binding.expression, scope)
                if expression:
                    sheet.assertions.append(Asserted(expression, scope, binding.start, binding.end))
            case Listed():
                _paragraph(sheet, binding, scope)
            case TableBinding():
                bind_table(sheet, binding, scope)
        _unless_accepted(sheet, binding, known)


def _unless_accepted(sheet: Sheet, binding: Binding, known: int) -> None:
    """Find a draft; the numbers that it named, those behind the `known` first, are not bound by it."""
    if not isinstance(binding, Inline | Assertion | Listed | TableBinding) or not binding.draft:
        return
    for start in list(islice(sheet.standing, known, None)):
        sheet.standing[start] = "draft"
    sheet.record.find("binding-draft", binding.start, binding.end, "nobody has accepted this draft yet")


def _behind(sheet: Sheet, binding: Inline | Exemption | Retraction) -> None:
    scope = sheet.scopes.at(binding.start)
    last = sheet.numbers.before(binding.start)
    if scope is None:
        return
    if last and isinstance(binding, Inline):
        last = sheet.numbers.promote(last)
    group = sheet.numbers.group(last) if last and last.is_claim else []
    if not group:
        _detached(sheet, binding, last)
        return
    match binding:
        case Exemption():
            for atom in group:
                sheet.stand(atom, "exempt")
        case Retraction():
            _retract(sheet, binding, group, scope)
        case Inline():
            _inline(sheet, binding, group, scope)


def _detached(sheet: Sheet, binding: Inline | Exemption | Retraction, last: Atom | None) -> None:
    what = f"{last.literal} is no claim but {last.token.kind}" if last else "no number stands right before it"
    slug = "exemption-dead" if isinstance(binding, Exemption) else "binding-detached"
    sheet.record.find(slug, binding.start, binding.end, what)


def _retract(sheet: Sheet, binding: Retraction, group: list[Atom], scope: Scope) -> None:
    expression = sheet.read(binding.expression, scope) if binding.expression else None
    headed = scaled(group, scale_at(sheet.page, group[0].start), [expression] * len(group))
    for atom in headed:
        if sheet.stand(atom, "bound") and (expression or not binding.expression):
            sheet.retractions.append(Retracted(atom, expression, scope))


def _inline(sheet: Sheet, binding: Inline, group: list[Atom], scope: Scope) -> None:
    for atom in group:
        sheet.stand(atom, "bound")
    problem = claim_each(sheet, group, binding.expressions, scope)
    if problem:
        sheet.record.find("group-count", binding.start, binding.end, problem)


def _paragraph(sheet: Sheet, binding: Listed, scope: Scope) -> None:
    """Bind every number of the next paragraph, in order; the list must name each as it is printed."""
    block = sheet.page.block_at(sheet.page.below(binding.end))
    if block is None:
        sheet.record.find(
            "paragraph-differs", binding.start, binding.end, "no paragraph stands below this list"
        )
        return
    atoms = [
        atom for atom in sheet.numbers.between(block.start, block.end) if atom.start not in sheet.standing
    ]
    items = list(binding.items)
    atoms = [atom for atom in atoms if not atom.optional or any(_names(item, atom) for item in items)]
    for item, atom in zip_longest(items, atoms):
        if atom:
            # The list has claimed the paragraph, so that one wrong entry is one finding.
            sheet.stand(atom, "bound" if item is None or item.expression else "exempt")
    for item, atom in zip(items, atoms, strict=False):
        if not _names(item, atom):
            message = f"the list says `{item.literal.text}` where the paragraph prints `{atom.literal}`"
            sheet.record.find("paragraph-differs", atom.start, atom.end, message)
            return
    if len(items) != len(atoms):
        message = f"the list names {len(items)} numbers, the paragraph prints {len(atoms)}"
        sheet.record.find("paragraph-differs", binding.start, binding.end, message)
        return
    for item, atom in zip(items, _with_units(sheet, atoms), strict=True):
        expression = sheet.read(item.expression, scope) if item.expression else None
        if expression:
            listed = item.literal if item.literal.text != "_" else None
            sheet.claims.append(Claim(atom, expression, scope, atom.start, atom.end, listed=listed))


def _names(item: ListItem, atom: Atom) -> bool:
    """Whether the list's entry prints the number: with its unit or without."""
    return item.literal.text == "_" or _bare(item.literal.text) in (_bare(atom.literal), atom.figures)


def _bare(literal: str) -> str:
    return _SPACES.sub(" ", literal).strip()


def _with_units(sheet: Sheet, atoms: list[Atom]) -> list[Atom]:
    """Return the atoms, those of a range with the unit that their group shares."""
    return sheet.numbers.shared(atoms)
