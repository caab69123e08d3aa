"""A retracted number must not be true of today's data."""

from __future__ import annotations

from benchctl.claims.answers.printed import judge
from benchctl.claims.sheet import Retracted, Sheet

__all__ = ["check"]


def check(sheet: Sheet) -> None:
    """Compare every retracted number with its own expression, else with every bound value of the page."""
    for item in sheet.retractions:
        if item.scope.run not in sheet.unusable:
            _one(sheet, item)


def _one(sheet: Sheet, item: Retracted) -> None:
    token, place = item.atom.token, (item.atom.start, item.atom.end)
    if item.expression is None:
        candidates = [(judged.claim.expression, judged.answer) for judged in sheet.judged]
    else:
        answer = sheet.lookup.answer(item.expression, item.scope.run)
        if answer.error is not None:
            sheet.record.fail(answer.error, *place, claim=item.expression.text)
        candidates = [(item.expression, answer)]
    for expression, answer in candidates:
        if answer.value is None:
            continue
        if judge(token, answer.value, expression.nature, sheet.about).holds:
            message = f"{item.atom.literal} is retracted, and {expression.text} is so today"
            sheet.record.find("retraction-live", *place, message, claim=expression.text, n=answer.n)
            return
