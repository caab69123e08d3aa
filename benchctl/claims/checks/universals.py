"""All, none, never, only and the superlatives: what the table beside a sentence denies, and what nothing checks.

"Grep is the fastest" beside a wall column with another minimum, "all four arms answered every question" beside 44
of 48. Only where subject and column leave no doubt; a sentence that says on what, when or how often is passed by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.topics import words_of
from benchctl.claims.wording.clauses import clause_around, clauses
from benchctl.claims.wording.masked import THINGS
from benchctl.claims.wording.neighbourhood import Neighbourhood, neighbourhood
from benchctl.claims.wording.outcome import Outcome, of_extreme, of_quantified
from benchctl.claims.wording.passages import Passage, asserted, passages
from benchctl.claims.wording.quantifiers import Quantified, quantified
from benchctl.claims.wording.superlatives import Extreme, extremes
from benchctl.claims.wording.triggers import Triggers
from benchctl.claims.wording.vocabulary import COMPARING, SUPERLATIVE, SUPERLATIVES

__all__ = ["check"]

_QUANTIFIERS = ("all", "each", "both", "no", "never", "neither", "always", "only", "wins", "won", "every")
_UNIVERSAL = Triggers(
    re.compile(
        rf"\b(?:all|every|everything|each|both|no|none|neither|nothing|never|always|only|wins|won)\b|{SUPERLATIVE.pattern}",
        re.IGNORECASE,
    ),
    (*_QUANTIFIERS, *SUPERLATIVES),
)
"""Words that say all, none, only or a superlative; `no` begins `none` and `nothing`, too."""
_ASKED = r"questions?|cells?|trials?|attempts?|answers?|tasks?|repos?|repositor(?:y|ies)"
_ARMS = r"arms?|set-?ups?"
_THINGS = "|".join(sorted(THINGS))
_OF_THINGS = re.compile(
    rf"\b(?:all|every|none\s+of|neither|both)\s+(?:of\s+)?(?:the\s+|its\s+|our\s+|these\s+)?(?:[a-z]+\s+)?(?:{_ASKED}|{_THINGS})\b"
    rf"|\bno\s+(?:{_ASKED}|{_ARMS})\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    rf"{COMPARING.pattern}|{SUPERLATIVE.pattern}|\b(?:above|below|over|under|exceed(?:s|ed)?|at\s+(?:least|most)|within)\b",
    re.IGNORECASE,
)
_IDIOM = re.compile(
    r"\b(?:in|at|after|above|not|for|with|over)\s+all\b|\ball\s+(?:told|in\s+all|but|of\s+this|this)\b|\bat\s+(?:best|worst|most|least)\b"
    r"|\bno\s+(?:more|less|fewer|longer|matter)\b|\bnot\s+(?:every|only)\b|\ball\s+(?:the\s+)?\d",
    re.IGNORECASE,
)


def check(sheet: Sheet) -> None:
    """Find what a table denies, and note what nothing checks."""
    around = neighbourhood(sheet)
    for passage in passages(sheet, _UNIVERSAL):
        if asserted(sheet, passage) or passage.is_question or not _is_of_run(sheet, around, passage):
            continue
        outcomes = list(_outcomes(sheet, around, passage))
        for said, found in outcomes:
            if found and not any(holds for holds, _ in found):
                message = f"`{said.word}` is said{_of(said)}, and {found[0][1]}"
                sheet.record.find("universal-denied", *said.place, message)
        if not any(found for _, found in outcomes):
            _note(sheet, around, passage, [said for said, _ in outcomes])


def _is_of_run(sheet: Sheet, around: Neighbourhood, passage: Passage) -> bool:
    """Whether a passage may speak of the run's things: beside a table, of somebody by name, or with a number of the run."""
    return bool(
        around.grids(passage)
        or around.names(passage).find(passage.text)
        or _bound_in(sheet, passage.start, passage.end)
    )


def _of(said: Extreme | Quantified) -> str:
    return f" of {said.name}" if said.name else ""


def _outcomes(
    sheet: Sheet, around: Neighbourhood, passage: Passage
) -> Iterator[tuple[Extreme | Quantified, list[Outcome]]]:
    grids = around.grids(passage)
    keys = frozenset(word for grid in grids for header in grid.key_headers for word in words_of(header))
    names = around.names(passage)
    for extreme in extremes(passage, names, keys):
        yield (
            extreme,
            [outcome for grid in grids for outcome in of_extreme(around, grid, extreme, passage.words)],
        )
    atoms = sheet.numbers.between(passage.start, passage.end)
    for said in quantified(passage, names, keys, atoms):
        # What is said of all is said of the rows of the nearest table that speaks of it.
        each = (list(of_quantified(around, grid, said, passage.words)) for grid in grids)
        yield said, next((found for found in each if found), [])


def _note(sheet: Sheet, around: Neighbourhood, passage: Passage, said: list[Extreme | Quantified]) -> None:
    """Note what is said of all arms or questions in comparison with something, or of one as the extreme of all.

    Only beside a name or a number of the run, and where no number is bound in its clause: that says how much, and
    is held against the run.
    """
    people = [name.name for name in around.names(passage).find(passage.text) if name.name in around.people]
    if not people and not _bound_in(sheet, passage.start, passage.end):
        return
    words = _IDIOM.sub(lambda idiom: " " * len(idiom[0]), passage.text)
    for match in _OF_THINGS.finditer(words):
        begin, end = clause_around(passage.text, match.start())
        compared = _COMPARED.search(words, begin, end)
        if compared and not _bound_in(sheet, *passage.place(begin, end)):
            place = passage.place(*match.span())
            sheet.record.find(
                "universal-unasserted", *place, f"nothing checks `{' '.join(match[0].split())}`"
            )
            return
    extreme = next((item for item in said if isinstance(item, Extreme) and item.name in around.people), None)
    if extreme and not _bound_in(sheet, *_clause(passage, extreme.place[0])):
        sheet.record.find("universal-unasserted", *extreme.place, f"nothing checks `{extreme.word}`")


def _clause(passage: Passage, raw: int) -> tuple[int, int]:
    """Return the raw bounds of the clause that a raw offset lies in."""
    places = (passage.place(begin, end) for begin, end in clauses(passage.text) if begin < end)
    return next((place for place in places if raw < place[1]), (passage.start, passage.end))


def _bound_in(sheet: Sheet, start: int, end: int) -> list[Atom]:
    """Return the bound numbers that stand in a raw stretch."""
    return [atom for atom in sheet.numbers.between(start, end) if sheet.standing.get(atom.start) == "bound"]
