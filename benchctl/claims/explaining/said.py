"""What a page claims, one by one, and which of it somebody means who names a claim."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchctl.claims.answers.lookup import Expression
from benchctl.claims.markers.scope import Scope
from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import RowKey, Sheet
from benchctl.errors import BenchctlError, ClaimUnknownError
from benchctl.expressions import Node, names_in, parse, show
from benchctl.quantities.numerals import scan

__all__ = ["Place", "Said", "all_said", "asked_of", "meant", "place_of"]

_PLACE = re.compile(r"(?P<path>.+?\.\w+):(?P<line>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?")
_NEAR = 3
_TYPED = str.maketrans({"\u00d7": "x", "\u2212": "-", "\u2010": "-", "\u2011": "-", "\u2013": "-"})
"""What a keyboard has in the place of a typographer's sign."""


@dataclass(frozen=True, slots=True)
class Place:
    """`page.md:LINE[:COLUMN]`, lines and columns from 1; `column` None is the whole line."""

    path: str
    line: int
    column: int | None


@dataclass(frozen=True, slots=True)
class Said:
    """One claim: the sheet that it is on, what it says, where from and to, and the number it prints.

    `text` is the expression as messages name it, the row's key written into it.
    """

    sheet: Sheet
    kind: str
    expression: Expression
    text: str
    scope: Scope
    start: int
    end: int
    atom: Atom | None = None
    row: RowKey | None = None

    @property
    def literal(self) -> str:
        """Return what is printed; of an assertion what it asserts."""
        return self.atom.literal if self.atom else self.expression.text


def place_of(claim: str) -> Place | None:
    """Return the place that a claim is named by; None where it is named otherwise."""
    match = _PLACE.fullmatch(claim.strip())
    if match is None:
        return None
    return Place(match["path"], int(match["line"]), int(match["column"]) if match["column"] else None)


def all_said(sheet: Sheet) -> list[Said]:
    """Return everything that a page binds, in its order."""
    found = [
        Said(
            sheet,
            "number" if claim.atom else "cell",
            claim.expression,
            claim.text,
            claim.scope,
            claim.start,
            claim.end,
            claim.atom,
            claim.row,
        )
        for claim in sheet.claims
    ]
    found += [
        Said(sheet, "assertion", item.expression, item.expression.text, item.scope, item.start, item.end)
        for item in sheet.assertions
    ]
    found += [
        Said(
            sheet,
            "retraction",
            item.expression,
            item.expression.text,
            item.scope,
            item.atom.start,
            item.atom.end,
            item.atom,
        )
        for item in sheet.retractions
        if item.expression
    ]
    return sorted(found, key=lambda said: said.start)


def asked_of(sheet: Sheet, claim: str) -> Said | None:
    """Return an expression that nothing binds as if the page's own scope said it, measured; None for what asks nothing."""
    scope = sheet.scopes.page
    if scope is None or scope.run in sheet.unusable or place_of(claim) is not None:
        return None
    try:
        expression = sheet.lookup.read(claim, scope.filters)
        if expression.probes:
            sheet.lookup.measure(scope.run, expression.probes, scope.declared - sheet.unusable)
    except BenchctlError:
        return None
    known = sheet.lookup.measured(scope.run)
    answered = any(known[probe].error is None for probe in expression.probes)
    place = (scope.place, scope.place_end)
    return Said(sheet, "expression", expression, claim, scope, *place) if answered else None


def meant(said: Sequence[Said], claim: str) -> list[Said]:
    """Return the claims that `claim` names: by place, by what is printed, as an expression, or as a named value.

    Raises ClaimUnknownError with near ones where there is none.
    """
    place = place_of(claim)
    if place is not None:
        found = _at(said, place)
        if found:
            return found
        raise ClaimUnknownError(f"nothing is bound at {claim}", expected=_lines(said, place), next_step=_ALL)
    written = _parsed(claim)
    for found in (_printed(said, claim), _expressed(said, written), _named(said, claim)):
        if found:
            return found
    known = dict.fromkeys(text for item in said for text in (item.literal, item.text, *_names(item)))
    like = difflib.get_close_matches(claim, list(known), n=_NEAR, cutoff=0.5)
    raise ClaimUnknownError(
        f"no page binds `{claim}`",
        expected=f"such as {', '.join(f'`{each}`' for each in like)}"
        if like
        else "page.md:LINE, a printed number, an expression or a named value",
        next_step=_ALL,
    )


_ALL = "`benchctl verify-claims --all` lists every claim with its place"


def _at(said: Iterable[Said], place: Place) -> list[Said]:
    found = []
    for item in said:
        line, column = item.sheet.page.place(item.start)
        _, end = item.sheet.page.place(item.end)
        inside = place.column is None or column <= place.column < max(end, column + 1)
        if line == place.line and inside:
            found.append(item)
    return found


def _lines(said: Sequence[Said], place: Place) -> str | None:
    """Return the nearest places where something is bound."""
    places = sorted(
        {item.sheet.page.place(item.start) for item in said}, key=lambda at: (abs(at[0] - place.line), at)
    )
    return ", ".join(f"{place.path}:{line}:{column}" for line, column in places[:_NEAR]) or None


def _printed(said: Sequence[Said], claim: str) -> list[Said]:
    """Return the claims that print `claim`: the number, its figures alone, or a group of numbers in a row."""
    wanted = [_bare(claim)]
    found = [item for item in said if item.atom and wanted[0] in _prints(item.atom)]
    tokens = [_bare(token.text) for token in scan(claim) if token.is_claim]
    if found or len(tokens) < 2:
        return found
    numbers = [item for item in said if item.atom]
    for index in range(len(numbers) - len(tokens) + 1):
        row = numbers[index : index + len(tokens)]
        same = all(token in _prints(item.atom) for token, item in zip(tokens, row, strict=True) if item.atom)
        if same and len({item.sheet.page.path for item in row}) == 1:
            found += [item for item in row if item not in found]
    return found


def _prints(atom: Atom) -> tuple[str, str]:
    figures = atom.literal[atom.token.digits[0] - atom.token.start : atom.token.digits[1] - atom.token.start]
    return _bare(atom.literal), _bare(figures)


def _bare(text: str) -> str:
    """Return a print as anybody may type it: `67%` for `67 %`, `seven` for `Seven`, `3.7x` for `3.7×`, `-2` for `−2`."""
    return "".join(text.split()).casefold().translate(_TYPED)


def _parsed(text: str) -> Node | None:
    try:
        return parse(text)
    except BenchctlError:
        return None


def _expressed(said: Iterable[Said], written: Node | None) -> list[Said]:
    """Return the claims of an expression: as bound, with its row's key, or with its names put in."""
    if written is None:
        return []
    wanted = show(written)
    return [
        item
        for item in said
        if wanted in (show(parse(item.expression.text)), item.text, show(item.expression.node))
    ]


def _named(said: Iterable[Said], claim: str) -> list[Said]:
    return [item for item in said if claim.strip() in _names(item)]


def _names(item: Said) -> Iterator[str]:
    yield from names_in(parse(item.expression.text)) & set(item.sheet.lookup.definitions)
