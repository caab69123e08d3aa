"""A bound number against its evidence; on a false one, whose value it is."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from benchctl.claims.answers.lookup import within
from benchctl.claims.answers.printed import judge
from benchctl.claims.judging.hidden import say_hidden
from benchctl.claims.judging.hints import hint_for, prepare, stale_runs
from benchctl.claims.sheet import Claim, Judged, Sheet
from benchctl.errors import NoRowsError, NullResultError
from benchctl.quantities.format import format_number
from benchctl.quantities.units import normalise_unit

__all__ = ["check"]

_PREPOSITION = re.compile(
    r"\b(?:over|under|above|below)\b[^\w.!?]*(?:(?:all|the|its|of)\s+)*[^\w.!?]*$", re.IGNORECASE
)
_NOTHING = frozenset({"\u2013", "\u2014", "-", "\u2212", "n/a"})


def check(sheet: Sheet) -> None:
    """Judge every claim whose run can be asked."""
    say_hidden(sheet)
    for claim in sheet.claims:
        if claim.scope.run not in sheet.unusable and claim.row not in sheet.unknown_rows:
            _claim(sheet, claim)
    false = [item for item in sheet.judged if item.judgement.word == "false"]
    stale = stale_runs(sheet, false)
    prepare(sheet, [item for item in false if id(item) not in stale])
    for item in sheet.judged:
        _say(sheet, item, stale.get(id(item), []))


def _claim(sheet: Sheet, claim: Claim) -> None:
    answer = sheet.lookup.answer(claim.expression, claim.scope.run)
    text = sheet.page.text[claim.start : claim.end]
    if claim.atom is None:
        if isinstance(answer.error, NullResultError | NoRowsError) and text.strip("*_ ") in _NOTHING:
            return
        message = f"the cell prints `{text}`, no number"
        value = answer.value
        if isinstance(value, int | float):
            message += f", and {_name(claim)} is {format_number(value)}"
        sheet.record.find(
            "table-cell-empty", claim.start, max(claim.end, claim.start + 1), message, claim=_name(claim)
        )
        return
    if answer.error is not None or answer.value is None:
        sheet.record.fail(
            answer.error or NullResultError("no value"), claim.start, claim.end, claim=_name(claim)
        )
        return
    about = Decimal(repr(sheet.config.claims.approx_pct)) / 100
    token, expression = claim.atom.token, claim.expression
    judgement = judge(
        token,
        answer.value,
        unit=expression.unit,
        exact=expression.exact,
        about=about,
        plain=expression.plain,
    )
    at_its_end = judgement.word == "false" and token.cmp in ("<", ">") and judgement.actual == token.value
    if at_its_end and _PREPOSITION.search(sheet.page.visible[max(0, token.start - 24) : token.start]):
        # "12 questions over 3 repositories" is no bound to its reader.
        judgement = replace(judgement, word="end")
    sheet.judged.append(Judged(claim, answer, judgement))


def _name(claim: Claim) -> str:
    """Return the expression as a message names it, the row's key behind it."""
    return within(claim.expression.text, claim.row.filters) if claim.row else claim.expression.text


def _say(sheet: Sheet, item: Judged, stale: list[str]) -> None:
    claim, answer, judgement = item.claim, item.answer, item.judgement
    name = _name(claim)
    literal = claim.atom.literal if claim.atom else ""
    actual = None if judgement.actual is None else float(judgement.actual)
    shown = _shown(item)
    n = f" (n={answer.n})" if answer.n is not None else ""
    bound = {">": "over", ">=": "at least", "<": "under", "<=": "at most", "~": "about"}
    printed = (
        f"{bound[claim.atom.token.cmp]} {literal}"
        if claim.atom and claim.atom.token.cmp in bound
        else literal
    )
    message = f"printed {printed}, and {name} is {shown}{n}"
    slug = _SLUGS.get(judgement.word, "number-true")
    hint = ""
    if judgement.word == "false":
        hint = f"equals {', '.join(stale)}" if stale else hint_for(sheet, item)
        slug = "number-stale-run" if stale else "number-false"
    if judgement.word == "kind":
        message = f"{name} is {answer.value!r}, no number"
    if judgement.word == "unit" and claim.atom:
        message = f"printed in {normalise_unit(claim.atom.token.unit)}, and {name} is {_in_its_unit(claim)}"
    if slug == "number-true" and judgement.saturated:
        slug = "printed-saturated"
    if slug != "number-true" or sheet.show_all:
        sheet.record.find(
            slug, claim.start, claim.end, message, claim=name, actual=actual, n=answer.n, hint=hint
        )


def _in_its_unit(claim: Claim) -> str:
    return f"in {claim.expression.unit}" if claim.expression.unit else "a number of things"


_SLUGS = {
    "end": "bound-at-its-end",
    "tie": "number-tie",
    "false": "number-false",
    "slack": "bound-slack",
    "unit": "unit-mismatch",
    "kind": "value-no-number",
}


def _shown(item: Judged) -> str:
    """Return the true value with enough digits to see the difference, in the printed unit."""
    token = item.claim.atom.token if item.claim.atom else None
    actual = item.judgement.actual
    if token is None or actual is None or token.place is None:
        return str(item.answer.value)
    exponent = token.place.as_tuple().exponent
    places = (
        max(0, -exponent) + (2 if item.judgement.word != "true" else 0) if isinstance(exponent, int) else 2
    )
    if actual == actual.to_integral_value():
        places = 0 if token.place >= 1 else max(0, places - 2)
    return format_number(actual, unit=token.unit or None, places=min(places, 12))
