"""A check that checks nothing fails: an expression that no data can move, a page without a claim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from benchctl.claims.answers.conditions import clashing
from benchctl.claims.answers.lookup import Expression
from benchctl.claims.answers.otherwise import Data, Same, close, dead_parts, todays, winners
from benchctl.claims.answers.printed import in_printed_unit
from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Sheet
from benchctl.expressions import Probe, Value, is_vacuous, show, show_filters
from benchctl.expressions.tree import Chain, Node
from benchctl.quantities.rounding import agreement, as_decimal
from benchctl.quantities.units import normalise_unit

__all__ = ["check"]

_WHOLES = (1, 100)
"""What a share is taken from: `1 - x` is no constant with a little data beside it."""


@dataclass(frozen=True, slots=True)
class _Said:
    """An expression and where it is said; `atom` is the number that is printed for it, None for a truth."""

    expression: Expression
    run: str
    start: int
    end: int
    atom: Atom | None = None


def check(sheet: Sheet) -> None:
    """Find vacuous expressions, and a page that declares a run and checks nothing against it."""
    for said in _all(sheet):
        _one(sheet, said)
    _page(sheet)


def _all(sheet: Sheet) -> Iterator[_Said]:
    for claim in sheet.claims:
        if claim.row not in sheet.unknown_rows:
            yield _Said(claim.expression, claim.scope.run, claim.start, claim.end, claim.atom)
    for asserted in sheet.assertions:
        yield _Said(asserted.expression, asserted.scope.run, asserted.start, asserted.end)
    for item in sheet.retractions:
        if item.expression:
            yield _Said(item.expression, item.scope.run, item.atom.start, item.atom.end)


def _one(sheet: Sheet, said: _Said) -> None:
    expression = said.expression
    if is_vacuous(expression.node):
        _find(sheet, said, [expression.node])
        return
    clash = next((found for probe in expression.probes if (found := clashing(probe.filters))), None)
    if clash:
        message = f"no row can meet {show_filters(clash)}"
        sheet.record.find("expression-vacuous", said.start, said.end, message, claim=expression.text)
    elif _moves_by_itself(sheet, said):
        return  # one number of the run: whatever it is, other data have another
    elif said.run not in sheet.unusable and sheet.lookup.answer(expression, said.run).value is not None:
        data = todays(sheet.lookup.measured(said.run), expression.probes, expression.filters)
        dead = dead_parts(expression.node, data, _prints_same(said))
        _find(sheet, said, dead)
        if not dead and said.atom:
            _constant(sheet, said, data)


def _moves_by_itself(sheet: Sheet, said: _Said) -> bool:
    """Whether an expression is a reference to one number, which needs no trial: most of a page are."""
    node, known = said.expression.node, sheet.lookup.measured(said.run)
    if not isinstance(node, Probe) or said.expression.probes[0] not in known:
        return False
    value = known[said.expression.probes[0]].value
    return isinstance(value, int | float) and not isinstance(value, bool)


def _find(sheet: Sheet, said: _Said, dead: list[Node]) -> None:
    expression = said.expression
    for part in dead:
        text = expression.text if part == expression.node else show(part)
        message = f"`{text}` is the same whatever the run says"
        sheet.record.find("expression-vacuous", said.start, said.end, message, claim=expression.text)


def _prints_same(said: _Said) -> Same:
    """Return whether two values would be printed alike where this one is: a number to its last place.

    The places of a false number say nothing of the value.
    """
    token = said.atom.token if said.atom else None
    if token is None or token.cmp != "=" or token.value is None or token.place is None:
        return close
    printed, place = token.value, token.place

    def in_print(value: Value) -> Decimal | None:
        if isinstance(value, bool | str):
            return None
        return in_printed_unit(as_decimal(value), said.expression.unit, normalise_unit(token.unit))

    def same(left: Value, right: Value) -> bool:
        one, other = in_print(left), in_print(right)
        if one is None or other is None or agreement(one, printed, place) == "false":
            return close(left, right)
        return agreement(other, printed, place) != "false"

    return same


def _constant(sheet: Sheet, said: _Said, data: Data) -> None:
    """Note a sum that is mostly a written number: a few failures beside 977 hardly move it."""
    node = winners(said.expression.node, data)
    if not isinstance(node, Chain) or any(op in "*/" for op, _ in node.rest):
        return
    constant = whole = 0.0
    for op, term in (("+", node.first), *node.rest):
        value = next(iter((data.values(term, data.sets[0]) or {}).values()), 0)
        if isinstance(value, bool | str):
            return
        signed = -value if op == "-" else value
        whole += signed
        constant += signed if is_vacuous(term) else 0
    if abs(constant) > abs(whole - constant) and abs(constant) not in _WHOLES:
        message = (
            f"{constant:g} of `{said.expression.text}` is written, {whole - constant:g} comes from the run"
        )
        sheet.record.find(
            "expression-mostly-constant", said.start, said.end, message, claim=said.expression.text
        )


def _page(sheet: Sheet) -> None:
    scope = sheet.scopes.page
    if scope is None or sheet.assertions or any(state != "exempt" for state in sheet.standing.values()):
        return
    place = (scope.place, scope.place_end)
    required = [atom for atom in sheet.numbers.atoms if not atom.optional]
    if not required and not sheet.charts:  # a chart is of the run, and was checked to be
        sheet.record.find("page-vacuous", *place, f"the page declares {scope.run} and holds no number")
    elif required and all(atom.start in sheet.standing for atom in required):
        sheet.record.find(
            "page-without-claims", *place, f"the page declares {scope.run} and claims nothing of it"
        )
