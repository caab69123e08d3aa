"""Drafts for everything on a page that nothing binds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from benchctl.claims.attaching.attach import attach_all
from benchctl.claims.markers.scope import Scope
from benchctl.claims.numbers import Atom
from benchctl.claims.reading.sentences import sentence_at
from benchctl.claims.sheet import Sheet
from benchctl.claims.suggesting.answering import Answers
from benchctl.claims.suggesting.grouping import Group, candidates_of, texts_of
from benchctl.claims.suggesting.names import Names, names_of
from benchctl.claims.suggesting.outlines import Outline, outline_of
from benchctl.claims.suggesting.suggestion import Suggestion, Suggestions, TableSuggestion
from benchctl.claims.suggesting.surroundings import surroundings_of
from benchctl.claims.suggesting.tables import table_suggestion, wanted
from benchctl.expressions import Filter
from benchctl.expressions.reference import show_value

__all__ = ["suggest"]

_MOST_CALLS = 400


def suggest(sheet: Sheet) -> Suggestions:
    """Return the drafts for a page that was read and declares a run; its bindings are attached here.

    A number without evidence has no candidate; whether a value fits is asked last, and never alone.
    """
    for block in sheet.blocks:
        for atom in sheet.numbers.between(block.start, block.end):
            sheet.standing[atom.start] = "generated"
    attach_all(sheet)
    found: list[Suggestion] = []
    tables: list[TableSuggestion] = []
    numbers = 0
    for scope in sheet.scopes.all:
        atoms = [
            atom
            for atom in sheet.numbers.atoms
            if atom.start not in sheet.standing and not atom.optional and sheet.scopes.at(atom.start) == scope
        ]
        numbers += len(atoms)
        if atoms and scope.run in sheet.lookup.runs:
            of_tables, of_numbers = _in_scope(sheet, scope, atoms)
            tables += of_tables
            found += of_numbers
    run = sheet.scopes.page.run if sheet.scopes.page else ""
    found.sort(key=lambda item: (item.line, item.column))
    return Suggestions(sheet.page.path, run, numbers, tuple(tables), tuple(found))


def _in_scope(
    sheet: Sheet, scope: Scope, atoms: Sequence[Atom]
) -> tuple[list[TableSuggestion], list[Suggestion]]:
    names, answers = names_of(sheet, scope), Answers(sheet, scope)
    answers.learn(_calls(sheet, names))
    outlines = [
        outline
        for table in sheet.page.tables
        if sheet.scopes.at(table.start) == scope and (outline := outline_of(sheet, table, names))
    ]
    groups = [_group(sheet, group, names) for group in _groups(sheet, atoms)]
    answers.measure(_texts(sheet, outlines, groups, names))
    tables: list[TableSuggestion] = []
    bound: set[int] = set()
    for outline in outlines:
        drafted = table_suggestion(sheet, outline, names, answers)
        if drafted:
            tables.append(drafted[0])
            bound |= drafted[1]
    left = [group for group in groups if not any(atom.start in bound for atom in group.atoms)]
    return tables, _echoed(sheet, [_suggestion(sheet, group, answers) for group in left])


def _texts(
    sheet: Sheet, outlines: Sequence[Outline], groups: Sequence[Group], names: Names
) -> Iterator[tuple[str, tuple[Filter, ...]]]:
    for outline in outlines:
        yield from wanted(outline, names)
    for group in groups:
        yield from ((text, ()) for text in texts_of(group, sheet.page))


def _groups(sheet: Sheet, atoms: Sequence[Atom]) -> Iterator[list[Atom]]:
    """Yield the numbers in the groups that a comment behind each would bind, in page order."""
    found: list[list[Atom]] = []
    taken: set[int] = set()
    for atom in reversed(atoms):
        if atom.start not in taken:
            group = sheet.numbers.group(atom)
            if all(other.start not in sheet.standing for other in group):
                taken |= {other.start for other in group}
                found.append(group)
    yield from reversed(found)


def _group(sheet: Sheet, atoms: Sequence[Atom], names: Names) -> Group:
    around = (surroundings_of(sheet.page, atoms, names, at) for at in range(len(atoms)))
    return Group(tuple(atoms), tuple(around))


def _suggestion(sheet: Sheet, group: Group, answers: Answers) -> Suggestion:
    first, last = group.atoms[0], group.atoms[-1]
    line, column = sheet.page.place(first.start)
    candidates, conflict = candidates_of(group, sheet.page, answers)
    end_line, end_column = sheet.page.place(last.end)
    return Suggestion(
        atoms=group.atoms,
        literal=" ".join(sheet.page.visible[first.token.start : last.token.end].split()),
        line=line,
        column=column,
        end_column=end_column if end_line == line else column + 1,
        sentence=sheet.record.sentence(first.start),
        candidates=candidates,
        conflict=conflict,
    )


def _echoed(sheet: Sheet, found: Sequence[Suggestion]) -> list[Suggestion]:
    """Return the suggestions, a term of an equation like the number of its sentence that it repeats: `(4 × 12 = 48)`."""
    said: dict[tuple[object, ...], Suggestion] = {}
    for item in found:
        if len(item.atoms) == 1 and item.candidates:
            said.setdefault(_likeness(sheet, item), item)
    return [
        _like(item, said.get(_likeness(sheet, item))) if _is_term(sheet, item) else item for item in found
    ]


def _likeness(sheet: Sheet, item: Suggestion) -> tuple[object, ...]:
    token = item.atoms[0].token
    return (*sentence_at(sheet.page, token.start), token.value, token.unit)


def _is_term(sheet: Sheet, item: Suggestion) -> bool:
    token, visible = item.atoms[0].token, sheet.page.visible
    around = (visible[max(0, token.start - 3) : token.start], visible[token.end : token.end + 3])
    alone = len(item.atoms) == 1 and not item.candidates and not item.conflict
    return alone and any(sign in piece for piece in around for sign in "\u00d7*\u00b7=+")


def _like(item: Suggestion, other: Suggestion | None) -> Suggestion:
    if other is None:
        return item
    best = other.candidates[0]
    again = replace(best, evidence=(f'as "{other.literal}" of its sentence', *best.evidence))
    return replace(item, candidates=(again,))


def _calls(sheet: Sheet, names: Names) -> Iterator[str]:
    """Yield the calls of the project's named values, each parameter one of the names that the run knows."""
    values = [value for column in names.values for value in names.values[column]]
    left = _MOST_CALLS
    for name, definition in sheet.lookup.definitions.items():
        for chosen in product(values, repeat=len(definition.parameters)):
            if left == 0 or len(set(chosen)) < len(chosen):
                continue
            left -= 1
            yield f"{name}({', '.join(map(show_value, chosen))})" if chosen else name
