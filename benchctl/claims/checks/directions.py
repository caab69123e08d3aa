"""Words that compare two things: "slower than grep", "twice the tokens", "grep beats graphify", in sentences and headings.

The two things are found by their names, the quantity by the word or its noun. What is bound there is asked first,
then what the tables of the section print, and the run itself only where neither says anything. One source that
agrees, or a tie, is enough for silence; a sentence that limits, doubts or denies is not read at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.figures import Figure
from benchctl.claims.tables.topics import is_general
from benchctl.claims.wording.bound import Asked
from benchctl.claims.wording.changes import change_at
from benchctl.claims.wording.neighbourhood import Neighbourhood, neighbourhood
from benchctl.claims.wording.passages import Passage, asserted, passages
from benchctl.claims.wording.statements import Statement, statements
from benchctl.claims.wording.vocabulary import DIRECTED
from benchctl.claims.wording.whole import whole_run

__all__ = ["check"]


def check(sheet: Sheet) -> None:
    """Find the comparisons in words that the page's bindings, its tables or its run deny."""
    around = neighbourhood(sheet)
    said = set(_against_signs(sheet))
    left = [
        (passage, statement)
        for passage in passages(sheet, DIRECTED)
        for statement in statements(passage, around.names(passage))
        if statement.place[0] not in said
        and not asserted(sheet, passage)
        and not _denied_nearby(sheet, around, passage, statement)
    ]
    for (_, statement), why in whole_run(sheet, around, left):
        _say(sheet, "direction-denied", statement, why)


def _against_signs(sheet: Sheet) -> Iterator[int]:
    """Report the numbers of a change whose word their sign denies; yield where on the page such a word begins."""
    for item in sheet.judged:
        found = change_at(sheet, item.claim) if item.judgement.holds else None
        if found is None or found.said * found.went >= 0:
            continue
        claim, (start, _) = item.claim, found.passage.place(found.word.start, found.word.end)
        word = " ".join(found.word.word.casefold().split())
        message = (
            f"`{word}` is said, and it is {'more' if found.went > 0 else 'less'}: {claim.expression.text}"
        )
        sheet.record.find("direction-false", claim.start, claim.end, message, claim=claim.expression.text)
        yield start


def _denied_nearby(sheet: Sheet, around: Neighbourhood, passage: Passage, statement: Statement) -> bool:
    """Report a statement that what is near it denies; return whether anything near it spoke of it at all."""
    bound = _bound(around, passage, statement)
    printed = list(_printed(around, passage, statement))
    signs = [*bound, *(sign for sign, _, _ in printed)]
    if signs and all(sign < 0 for sign in signs):
        surely = bool(bound) or any(held for _, held, _ in printed)
        why = next((why for _, _, why in printed if why), "the numbers bound here say the opposite")
        _say(sheet, "direction-false" if surely else "direction-denied", statement, why)
    return bool(signs)


def _bound(around: Neighbourhood, passage: Passage, statement: Statement) -> list[int]:
    """Return whether each bound comparison agrees (+1) or not (-1): those of the sentence, else of its section.

    What is bound elsewhere in the section to a part of the run denies nothing that is said of the whole.
    """
    own = _signs(around, passage, (passage.start, passage.end), statement)
    if own:
        return [sign for sign, _ in own]
    near = _signs(around, passage, around.stretch(passage), statement)
    # A question in which it is so bears out nothing that the comparison of the whole denies.
    return [sign for sign, plain in near if plain] or [sign for sign, _ in near if sign >= 0]


def _signs(
    around: Neighbourhood, passage: Passage, stretch: tuple[int, int], statement: Statement
) -> list[tuple[int, bool]]:
    subject, other = statement.subject, statement.object
    start, end = stretch
    if subject is None:
        subject = _implied(around, start, end, other)
    if subject is None:
        return []
    return [
        (sign * way, plain)
        for topic, way in statement.meanings
        if topic
        for sign, plain in around.bound.signs(
            start, end, Asked(subject, other, topic, statement.qualifiers, passage.words)
        )
    ]


def _implied(around: Neighbourhood, start: int, end: int, other: str | None) -> str | None:
    """Return who is compared with `other` by everything that is bound in a stretch: the subject of "fewer than grep"."""
    them = {
        item.a if item.b == other else item.b
        for item in around.bound.in_stretch(start, end)
        if other in (item.a, item.b)
    }
    return them.pop() if len(them) == 1 else None


def _printed(
    around: Neighbourhood, passage: Passage, statement: Statement
) -> Iterator[tuple[int, bool, str]]:
    """Yield of each line of a table near by whether it agrees, whether data stands behind it, and how it reads."""
    if statement.subject is None:
        return
    for grid in around.grids(passage):
        for line in around.lines(grid):
            ways = [way for topic, way in statement.meanings if topic == line.topic]
            if not ways or not statement.qualifiers <= set(line.words):
                continue
            things = [(around.meant.get(name, name), figure) for name, figure, _ in line.things]
            own = [figure for name, figure in things if name == statement.subject]
            others = [
                (name, figure)
                for name, figure in things
                if name != statement.subject and statement.object in (None, name)
            ]
            if len(own) == 1 and others:
                signs = {_sign(own[0], figure) * ways[0] for _, figure in others}
                held = own[0].measured and all(figure.measured for _, figure in others)
                name, figure = others[0]
                why = f"`{line.header}` is {own[0].shown} of {statement.subject} and {figure.shown} of {name}"
                sign = signs.pop() if len(signs) == 1 else 0
                if sign >= 0 or (around.is_whole(grid, line) and is_general(line.words, passage.words)):
                    yield sign, held, why


def _sign(a: Figure, b: Figure) -> int:
    """Return whether the first is surely more (+1) or less (-1) than the second, 0 where rounding leaves it open."""
    if a.unit != b.unit or a.span.touches(b.span):
        return 0
    return 1 if a.value > b.value else -1


def _say(sheet: Sheet, slug: str, statement: Statement, why: str) -> None:
    who = f" of {statement.subject}" if statement.subject else ""
    against = f" against {statement.object}" if statement.object else ""
    message = f"`{statement.word.strip()}` is said{who}{against}, and {why}"
    sheet.record.find(slug, *statement.place, message)
