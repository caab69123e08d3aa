"""What a sentence asserts is so in the run."""

from __future__ import annotations

from benchctl.claims.judging.denial import denial_of
from benchctl.claims.judging.elsewhere import so_elsewhere
from benchctl.claims.sheet import Asserted, Sheet

__all__ = ["check"]


def check(sheet: Sheet) -> None:
    """Evaluate every assertion; a false one says its sides, for whom it is false, and of which other run it is true."""
    asked = [each for each in sheet.assertions if each.scope.run not in sheet.unusable]
    false = [asserted for asserted in asked if not _holds(sheet, asserted)]
    elsewhere = {} if sheet.terse else so_elsewhere(sheet, false)
    for asserted in false:
        _deny(sheet, asserted, elsewhere.get(id(asserted), []))


def _holds(sheet: Sheet, asserted: Asserted) -> bool:
    """Return whether an assertion is not false; what is neither true nor false is a finding here."""
    expression = asserted.expression
    answer = sheet.lookup.answer(expression, asserted.scope.run)
    place = (asserted.start, asserted.end)
    if answer.error is not None:
        sheet.record.fail(answer.error, *place, claim=expression.text)
    elif not isinstance(answer.value, bool):
        message = f"`{expression.text}` is {answer.value!r}, neither true nor false"
        sheet.record.find(
            "value-no-number",
            *place,
            message,
            claim=expression.text,
            next_step="compare it with something",
        )
    elif answer.value and sheet.show_all:
        sheet.record.find(
            "number-true", *place, f"`{expression.text}` is so", claim=expression.text, n=answer.n
        )
    return answer.value is not False


def _deny(sheet: Sheet, asserted: Asserted, elsewhere: list[str]) -> None:
    expression = asserted.expression
    denial = denial_of(expression.node, sheet.lookup.measured(asserted.scope.run), expression.filters)
    sides = f": {'; '.join(denial.sides)}" if denial.sides else ""
    hints = list(denial.groups)
    if elsewhere:
        more = f" and {len(elsewhere) - 1} more" if len(elsewhere) > 1 else ""
        hints.append(f"it is so in {elsewhere[0]}{more}")
    sheet.record.find(
        "assertion-false",
        asserted.start,
        asserted.end,
        f"`{expression.text}` is not so{sides}",
        claim=expression.text,
        n=sheet.lookup.answer(expression, asserted.scope.run).n,
        hint="; ".join(hints),
    )
