"""A check that checks nothing fails: an expression that no data can move, a page without a claim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial

from benchctl.claims.answers.conditions import clashing
from benchctl.claims.answers.lookup import Expression
from benchctl.claims.answers.otherwise import Data, Same, dead_parts, is_of_all, todays, winners
from benchctl.claims.answers.printed import in_printed_unit
from benchctl.claims.answers.written import written_part
from benchctl.claims.judging.elsewhere import other_runs_of
from benchctl.claims.markers.scope import Scope
from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Claim, RowKey, Sheet
from benchctl.expressions import Probe, Value, is_vacuous, references, same_value, show, show_filters
from benchctl.expressions.tree import Node, Number, children
from benchctl.quantities.rounding import agreement, as_decimal
from benchctl.quantities.units import normalise_unit

__all__ = ["check"]

_MOST_OTHERS = 8
"""In how many other runs a factor is looked at."""


@dataclass(frozen=True, slots=True)
class _Said:
    """An expression and where it is said; `atom` is the number that is printed for it, None for a truth."""

    expression: Expression
    scope: Scope
    start: int
    end: int
    atom: Atom | None = None
    row: RowKey | None = None

    @classmethod
    def of(cls, claim: Claim) -> _Said:
        """Return what a claim says."""
        return cls(claim.expression, claim.scope, claim.start, claim.end, claim.atom, claim.row)

    @property
    def run(self) -> str:
        """Return the run that it speaks of."""
        return self.scope.run


def check(sheet: Sheet) -> None:
    """Find vacuous expressions, and a page that declares a run and checks nothing against it."""
    for said in _all(sheet):
        _one(sheet, said)
    _page(sheet)


def _all(sheet: Sheet) -> Iterator[_Said]:
    for claim in sheet.claims:
        if claim.row not in sheet.unknown_rows:
            yield _Said.of(claim)
    for asserted in sheet.assertions:
        yield _Said(asserted.expression, asserted.scope, asserted.start, asserted.end)
    for item in sheet.retractions:
        if item.expression:
            yield _Said(item.expression, item.scope, item.atom.start, item.atom.end)


def _one(sheet: Sheet, said: _Said) -> None:
    expression = said.expression
    if is_vacuous(expression.node):
        _find(sheet, said, [expression.node])
        return
    clash = next((found for probe in expression.probes if (found := clashing(probe.filters))), None)
    if clash:
        message = f"no row can meet {show_filters(clash)}"
        sheet.record.find("expression-vacuous", said.start, said.end, message, claim=expression.text)
    elif fixed := _fixed(sheet, said):
        _find(sheet, said, fixed)
    elif data := _data(sheet, said):
        dead = dead_parts(expression.node, data, _prints_same(said))
        if dead and not _is_baseline(sheet, said):
            _find(sheet, said, dead)
        if not dead and said.atom:
            _constant(sheet, said, data)


def _data(sheet: Sheet, said: _Said) -> Data | None:
    """Return an expression's answers and what they are moved to; None where it has no value, or needs no trial."""
    expression = said.expression
    whole = _of_all(sheet, said)
    if said.run in sheet.unusable or (not whole and _moves_by_itself(sheet, said)):
        return None
    if sheet.lookup.answer(expression, said.run).value is None:
        return None
    return todays(sheet.lookup.measured(said.run), expression.probes, expression.filters, whole)


def _of_all(sheet: Sheet, said: _Said) -> list[Probe]:
    """Return the references that are a share of everything that they are of."""
    found = [probe for probe in said.expression.probes if is_of_all(probe)]
    return [
        probe
        for probe in found
        if not any("share" in sheet.lookup.own_names(run, probe.table) for run in probe.runs or (said.run,))
    ]


def _is_baseline(sheet: Sheet, said: _Said) -> bool:
    """Whether an expression is constant only in the row of a table that it holds every row against.

    `ratio(wall_s.median, wall_s.median[arm=grep])` is 1 in the row grep, whatever the run says; in another row of
    its column it must move.
    """
    row = said.row
    if row is None or not any(_is_held_against(probe, row) for probe in references(said.expression.node)):
        return False
    table = next(table for table in sheet.tables if row in table.rows)
    return any(
        claim.row in table.rows and claim.row != row and _moves(sheet, _Said.of(claim))
        for claim in sheet.claims
        if claim.expression.text == said.expression.text and claim.row not in sheet.unknown_rows
    )


def _is_held_against(probe: Probe, row: RowKey) -> bool:
    named = {(item.column, item.value) for item in probe.filters if item.op == "="}
    return bool(named & set(row.values))


def _moves(sheet: Sheet, said: _Said) -> bool:
    data = _data(sheet, said)
    if data is None:
        return _moves_by_itself(sheet, said)
    return not dead_parts(said.expression.node, data, same_value)


def _fixed(sheet: Sheet, said: _Said) -> list[Node]:
    """Return the named values that are SQL and were found to say the same of all other data."""
    known = sheet.lookup.measured(said.run)
    asked = [probe for probe in said.expression.probes if probe.query]
    return [probe for probe in asked if probe in known and known[probe].elsewhere == ()]


def _moves_by_itself(sheet: Sheet, said: _Said) -> bool:
    """Whether an expression is a reference to one number, which needs no trial: most of a page are."""
    node, known = said.expression.node, sheet.lookup.measured(said.run)
    if not isinstance(node, Probe) or node.query or said.expression.probes[0] not in known:
        return False
    value = known[said.expression.probes[0]].value
    return isinstance(value, int | float) and not isinstance(value, bool)


def _find(sheet: Sheet, said: _Said, dead: list[Node]) -> None:
    expression = said.expression
    for part in dead:
        text = expression.text if part == expression.node else show(part)
        message, step = f"`{text}` is the same whatever the run says", None
        if isinstance(part, Probe) and part.name == ("share",):
            message += ": it is the share of all rows that it is of"
            step = "give it a filter of its own, as in `share[outcome=ok]`"
        sheet.record.find(
            "expression-vacuous", said.start, said.end, message, claim=expression.text, next_step=step
        )


def _prints_same(said: _Said) -> Same:
    """Return whether two values would be printed alike where this one is: a number to its last place.

    The places of a false number say nothing of the value, and neither do those of a whole number where nothing is
    written in the expression: the 0 of `count[outcome=timeout] / count` is a result.
    """
    token = said.atom.token if said.atom else None
    if token is not None and (token.place or 0) >= 1 and not _has_number(said.expression.node):
        return same_value
    if token is None or token.cmp != "=" or token.value is None or token.place is None:
        return same_value
    printed, place = token.value, token.place

    def in_print(value: Value) -> Decimal | None:
        if isinstance(value, bool | str):
            return None
        return in_printed_unit(as_decimal(value), said.expression.nature.unit, normalise_unit(token.unit))

    def same(left: Value, right: Value) -> bool:
        one, other = in_print(left), in_print(right)
        if one is None or other is None or agreement(one, printed, place) == "false":
            return same_value(left, right)
        return agreement(other, printed, place) != "false"

    return same


def _has_number(node: Node) -> bool:
    """Whether a number is written in an expression, or may be: in SQL."""
    written = isinstance(node, Number) or (isinstance(node, Probe) and node.query is not None)
    return written or any(map(_has_number, children(node)))


def _constant(sheet: Sheet, said: _Said, data: Data) -> None:
    """Note a value that is mostly a written number: a few failures beside 977 hardly move it, a best score of 1 neither."""
    node, text = winners(said.expression.node, data), said.expression.text
    found = written_part(node, data, partial(_is_held, sheet, said))
    if found is None or not found.is_most:
        return
    rest = found.whole - found.part
    message = f"{found.part:g} of `{text}` is written, {rest:g} comes from the run"
    if not rest:
        factors = " and ".join(f"`{each}`" for each in found.factors)
        why = (
            f"{factors} would hardly be anything else"
            if factors
            else "what comes from the run adds nothing to it"
        )
        message = f"`{text}` is {found.whole:g} by what is written; {why}"
    sheet.record.find("expression-mostly-constant", said.start, said.end, message, claim=text)


def _is_held(sheet: Sheet, said: _Said, part: Node) -> bool:
    """Whether a part of an expression has one value in this run and in every other one that knows it, if there is one."""
    if sheet.terse:
        return False
    asked = replace(said.expression, text=show(part), node=part)
    runs = [said.run, *other_runs_of(sheet, said.scope)[:_MOST_OTHERS]]
    known = [run for run in runs if sheet.try_measure(said.scope, asked.probes, run)]
    today, *others = (sheet.lookup.answer(asked, run).value for run in known)
    told = [value for value in others if value is not None]
    return today is not None and bool(told) and all(same_value(value, today) for value in told)


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
