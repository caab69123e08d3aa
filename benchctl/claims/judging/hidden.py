"""Columns that were imported under the name of a statistic: they win over it, and the reader is told once."""

from __future__ import annotations

from collections.abc import Iterator

from benchctl.claims.answers.lookup import Expression
from benchctl.claims.markers.scope import Scope
from benchctl.claims.sheet import Asserted, Claim, Sheet
from benchctl.expressions import is_statistic

__all__ = ["say_hidden"]


def say_hidden(sheet: Sheet) -> None:
    """Find each name of a page that would be a statistic, were there no column of that name; once a name."""
    told: set[str] = set()
    for expression, scope, start, end in _asked(sheet):
        for probe in expression.probes:
            name = ".".join(probe.name)
            if name in told or not is_statistic(probe.name[-1]):
                continue
            runs = probe.runs or (scope.run,)
            if any(name in sheet.lookup.own_names(run, probe.table) for run in runs):
                told.add(name)
                message = f"`{name}` is a column that was imported, and not the statistic {probe.name[-1]}"
                sheet.record.find("statistic-hidden", start, end, message, claim=expression.text)


def _asked(sheet: Sheet) -> Iterator[tuple[Expression, Scope, int, int]]:
    places: list[Claim | Asserted] = [*sheet.claims, *sheet.assertions]
    for each in places:
        if each.scope.run not in sheet.unusable:
            yield each.expression, each.scope, each.start, each.end
