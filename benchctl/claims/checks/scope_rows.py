"""What a page declares is there: rows under its `where`, and a use for each run that it names beside its own."""

from __future__ import annotations

from collections.abc import Iterator

from benchctl.claims.markers.scope import Scope
from benchctl.claims.sheet import Asserted, Claim, Retracted, Sheet
from benchctl.errors import FilterValueUnknownError, NoRowsError
from benchctl.expressions import Probe, show_filters

__all__ = ["check", "needs"]


def needs(sheet: Sheet) -> dict[Scope, tuple[Probe, ...]]:
    """Return what must be measured before `check`: for each scope the rows of each table that its bindings read, the cells at least."""
    tables: dict[Scope, set[str | None]] = {scope: set() for scope in sheet.scopes.all}
    for scope, probe in _probes(sheet):
        if probe.run is None:
            tables.setdefault(scope, set()).add(probe.table)
    return {
        scope: tuple(
            Probe(("count",), scope.filters, table=table) for table in sorted(read, key=str) or (None,)
        )
        for scope, read in tables.items()
    }


def check(sheet: Sheet) -> None:
    """Find declarations that no row of their run meets; with `--all` also the runs that nothing is said of."""
    for scope, counts in needs(sheet).items():
        if scope.run not in sheet.unusable:
            _rows(sheet, scope, counts)
    if sheet.show_all:
        _runs(sheet)


def _rows(sheet: Sheet, scope: Scope, counts: tuple[Probe, ...]) -> None:
    measured = sheet.lookup.measured(scope.run)
    answers = [measured[probe] for probe in counts]
    if any(answer.count for answer in answers):
        return
    place = (scope.place, scope.place_end)
    for answer in answers:
        if answer.error is None or isinstance(answer.error, FilterValueUnknownError | NoRowsError):
            what = answer.error.what if answer.error else "no row meets all of it"
            where = f" under `where: {show_filters(scope.filters)}`" if scope.filters else ""
            sheet.record.find("scope-empty", *place, f"run {scope.run} has nothing{where}: {what}")
        else:
            sheet.record.fail(answer.error, *place)
        return


def _runs(sheet: Sheet) -> None:
    """Note each run beside the page's own that no reference, block or chart names."""
    said = {run for _, probe in _probes(sheet) for run in probe.runs}
    said |= {block.run for block in sheet.blocks} | {chart.run for chart in sheet.charts}
    said |= {scope.run for scope in sheet.scopes.all} | {claim.scope.run for claim in sheet.claims}
    for scope in sheet.scopes.all:
        for run in sorted(scope.declared - said - sheet.unusable):
            said.add(run)
            sheet.record.find(
                "run-unused", scope.place, scope.place_end, f"nothing on this page speaks of {run}"
            )


def _probes(sheet: Sheet) -> Iterator[tuple[Scope, Probe]]:
    said: list[Claim | Asserted | Retracted] = [*sheet.claims, *sheet.assertions, *sheet.retractions]
    for item in said:
        if item.expression:
            yield from ((item.scope, probe) for probe in item.expression.probes)
