"""A check that checks nothing fails: an expression that no data can move, a page without a claim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchctl.claims.lookup import Expression
from benchctl.claims.sheet import Sheet
from benchctl.errors import EvaluationError
from benchctl.expressions import Measured, Probe, Value, evaluate, is_vacuous

__all__ = ["check"]

_OTHER_DATA = ((1, 7), (-1, -5), (3, 1), (1000, 12345), (0, 0))
"""How a measured value is moved: times the first, plus the second for the first probe, twice it for the next, …"""


def check(sheet: Sheet) -> None:
    """Find vacuous expressions, and a page that declares a run and checks nothing against it."""
    seen: dict[Expression, bool] = {}
    for expression, run, start, end in _all(sheet):
        if expression not in seen:
            seen[expression] = is_vacuous(expression.node) or (
                run not in sheet.unusable and _never_moves(sheet, expression, run)
            )
        if seen[expression]:
            message = f"`{expression.text}` is the same whatever the run says"
            sheet.record.find("expression-vacuous", start, end, message, claim=expression.text)
    _page(sheet)


def _all(sheet: Sheet) -> Iterator[tuple[Expression, str, int, int]]:
    for claim in sheet.claims:
        if claim.row not in sheet.unknown_rows:
            yield claim.expression, claim.scope.run, claim.start, claim.end
    for asserted in sheet.assertions:
        yield asserted.expression, asserted.scope.run, asserted.start, asserted.end
    for item in sheet.retractions:
        if item.expression:
            yield item.expression, item.scope.run, item.atom.start, item.atom.end


def _never_moves(sheet: Sheet, expression: Expression, run: str) -> bool:
    """Whether the value is the same over data that are moved this way and that; an error counts as a move."""
    answer = sheet.lookup.answer(expression, run)
    if answer.value is None:
        return False
    known = sheet.lookup.measured(run)
    for factor, step in _OTHER_DATA:
        moved = {
            probe: _moved(known[probe], factor, step * place)
            for place, probe in enumerate(expression.probes, start=1)
        }
        if _value(expression, moved) != answer.value:
            return False
    return True


def _value(expression: Expression, measured: dict[Probe, Measured]) -> Value | None:
    try:
        return evaluate(expression.node, measured, filters=expression.filters)
    except EvaluationError:
        return None


def _moved(answer: Measured, factor: int, step: int) -> Measured:
    def other(value: Value | None) -> Value | None:
        match value:
            case bool():
                return not value
            case int() | float():
                return value * factor + step
            case str():
                return f"{value}{step}"
            case None:
                return None

    lo, hi = other(answer.lo), other(answer.hi)
    return replace(
        answer,
        value=other(answer.value),
        lo=lo if isinstance(lo, int | float) else None,
        hi=hi if isinstance(hi, int | float) else None,
        groups={name: _moved(group, factor, step) for name, group in answer.groups.items()},
    )


def _page(sheet: Sheet) -> None:
    scope = sheet.scopes.page
    if scope is None or sheet.assertions or any(state != "exempt" for state in sheet.standing.values()):
        return
    place = (scope.place, scope.place_end)
    required = [atom for atom in sheet.numbers.atoms if not atom.optional]
    if not required:
        sheet.record.find("page-vacuous", *place, f"the page declares {scope.run} and holds no number")
    elif all(atom.start in sheet.standing for atom in required):
        sheet.record.find(
            "page-without-claims", *place, f"the page declares {scope.run} and claims nothing of it"
        )
