"""Comparisons in words that nothing near them speaks of: what the whole run says, if it says it in every way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from benchctl.claims.markers.scope import Scope
from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.topics import METRIC_OF
from benchctl.claims.wording.bound import PEOPLE
from benchctl.claims.wording.neighbourhood import Neighbourhood
from benchctl.claims.wording.passages import Passage
from benchctl.claims.wording.statements import Statement
from benchctl.expressions import Filter, Probe
from benchctl.quantities.format import format_number

__all__ = ["whole_run"]

Saying = tuple[Passage, Statement]

_WAYS = ("median", "mean", "macro")
_MOST = 40
_TOP = 2


def whole_run(sheet: Sheet, around: Neighbourhood, sayings: Sequence[Saying]) -> Iterator[tuple[Saying, str]]:
    """Yield the statements that a run denies by median, mean and macro average alike, with what it has.

    Only those about two arms (agents, models) that the page binds elsewhere, in sections that are not about a part
    of the run: under a title or a heading below it, where nothing is bound that is filtered further.
    """
    asked: dict[Scope, list[tuple[Saying, list[tuple[Probe, Probe]], int]]] = defaultdict(list)
    for saying in sayings[:_MOST]:
        scope = sheet.scopes.at(saying[0].start)
        wanted = (
            _wanted(around, saying, scope) if scope and _is_whole(sheet, around, saying[0], scope) else None
        )
        if scope and wanted:
            asked[scope].append((saying, *wanted))
    for scope, items in asked.items():
        pairs = [pair for _, found, _ in items for pair in found]
        if not sheet.try_measure(scope, [probe for pair in pairs for probe in pair]):
            continue
        for saying, found, way in items:
            why = _denied(sheet, scope, saying[1], found, way)
            if why:
                yield saying, why


def _is_whole(sheet: Sheet, around: Neighbourhood, passage: Passage, scope: Scope) -> bool:
    if scope.run in sheet.unusable or (passage.heading and passage.heading.level > _TOP):
        return False
    start, end = around.stretch(passage)
    plain = {part.column for part in scope.filters} | set(PEOPLE)
    return not any(
        part.column not in plain
        for claim in sheet.claims
        if start <= claim.start < end
        for probe in claim.expression.probes
        for part in probe.filters
    )


def _wanted(
    around: Neighbourhood, saying: Saying, scope: Scope | None
) -> tuple[list[tuple[Probe, Probe]], int] | None:
    _, statement = saying
    a, b = statement.subject, statement.object
    column = around.people.get(a or "")
    if not scope or not a or not b or not column or around.people.get(b) != column or statement.qualifiers:
        return None
    known = [(METRIC_OF[topic], way) for topic, way in statement.meanings if topic in METRIC_OF]
    if not known:
        return None
    metric, way = known[0]
    rest = tuple(part for part in scope.filters if part.column != column)
    pairs = [
        (
            Probe((metric, how), (*rest, Filter(column, "=", around.written.get(a, a)))),
            Probe((metric, how), (*rest, Filter(column, "=", around.written.get(b, b)))),
        )
        for how in _WAYS
    ]
    return pairs, way


def _denied(
    sheet: Sheet, scope: Scope, statement: Statement, pairs: Sequence[tuple[Probe, Probe]], way: int
) -> str:
    """Return what the run has instead; "" where one way of averaging agrees, ties, or has no value."""
    known = sheet.lookup.measured(scope.run)
    values = [(known[a].value, known[b].value) for a, b in pairs if a in known and b in known]
    for a, b in values:
        if not isinstance(a, int | float) or not isinstance(b, int | float) or (a - b) * way >= 0:
            return ""
    if not values:
        return ""
    (a, b), probe = values[0], pairs[0][0]
    shown = [format_number(value) for value in (a, b) if isinstance(value, int | float)]
    return f"{'.'.join(probe.name)} is {shown[0]} of {statement.subject} and {shown[1]} of {statement.object}"
