"""A hand-written table has the rows that its run has: none unknown, none left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from benchctl.claims.markers.scope import Scope
from benchctl.claims.sheet import RUN, BoundTable, RowKey, Sheet
from benchctl.expressions import Filter, Measured, Probe

__all__ = ["check", "needs"]


_NAMED = 5
"""How many of the rows that a table leaves out are named."""

_OF_A_RUN = (
    'declare it under `also`, or map the label, as in `by=run{"July"=july}`; for a total, write `rows=subset` and bind '
    "its numbers inline"
)

_Key = tuple[tuple[str, str], ...]


def needs(table: BoundTable) -> tuple[Probe, ...]:
    """Return what must be measured of each of a table's scopes before `check`."""
    return (*_of_keys(table), *(table.known(column) for column in table.asked))


def _of_keys(table: BoundTable) -> tuple[Probe, ...]:
    return tuple(probe for column in table.keys for probe in (table.known(column), table.required(column)))


def check(sheet: Sheet) -> None:
    """Compare the keys of every bound table with those of its run, or of the runs that its rows name."""
    for table in sheet.tables:
        if RUN in table.columns:
            _runs(sheet, table)
        for scope in table.scopes():
            if scope.run not in sheet.unusable:
                _of_run(sheet, table, scope)
        for row, slug, start, end, message in table.problems:
            if row not in sheet.unbound_rows:
                sheet.record.find(slug, start, end, message)


def _runs(sheet: Sheet, table: BoundTable) -> None:
    """Find the rows that name no run of the page, and those that call one run by the name of another."""
    declared = {RUN: table.scope.declared}
    names = ", ".join(sorted(table.scope.declared))
    for row in table.rows:
        if row.run and row.run not in table.scope.declared:
            message = f"`{row.run}` is no run of this page; it declares {names}"
            _unknown(sheet, table, row, message, next_step=_OF_A_RUN)
        else:
            _renamed(sheet, row, declared)


def _of_run(sheet: Sheet, table: BoundTable, scope: Scope) -> None:
    measured = sheet.lookup.measured(scope.run)
    rows = [row for row in table.rows if table.scope_of(row) == scope and row not in sheet.unknown_rows]
    for probe in _of_keys(table):
        error = measured[probe].error
        if error:
            sheet.record.fail(error, table.start, table.end, claim=f"by={','.join(table.columns)}")
            sheet.unknown_rows.update(rows)
            return
    known = {column: frozenset(_named(measured[table.known(column)])) for column in table.keys}
    for row in rows:
        _value(sheet, table, row, known)
        _renamed(sheet, row, known)
    _crossed(sheet, table, scope)
    if not table.subset:
        _missing(sheet, table, scope, rows)


def _crossed(sheet: Sheet, table: BoundTable, scope: Scope) -> None:
    """Find a header that calls one value by the name of another."""
    measured = sheet.lookup.measured(scope.run)
    for name, filters, source in table.named:
        said = " ".join(name.split()).casefold()
        for item in filters:
            answer = measured[table.known(item.column)]
            known = [] if answer.error else _named(answer)  # an unknown column is said of its cells
            other = next((value for value in known if value.casefold() == said), item.value)
            if other.casefold() != item.value.casefold():
                message = f"the column is called {name}, which is {item.column} {other}, and holds {item.column} {item.value}"
                place = (source.start, source.start + len(source.text))
                sheet.record.find("table-column-renamed", *place, message)


def _named(answer: Measured) -> list[str]:
    return [name for name in answer.groups if name is not None]


def _value(sheet: Sheet, table: BoundTable, row: RowKey, known: Mapping[str, frozenset[str]]) -> None:
    """Find a label that is no value of its key."""
    for column, value in row.values:
        if column in known and value not in known[column]:
            names = ", ".join(sorted(known[column])[:8])
            run = table.scope_of(row).run
            _unknown(sheet, table, row, f"`{value}` is no {column} of run {run}; it has {names}")
            return


def _unknown(
    sheet: Sheet, table: BoundTable, row: RowKey, message: str, *, next_step: str | None = None
) -> None:
    """Find a row that stands for nothing in the run; `rows=subset` lets it be, and then the table binds none of it."""
    sheet.unknown_rows.add(row)
    if not table.subset:
        sheet.record.find("table-row-unknown", row.start, row.end, message, next_step=next_step)
        return
    sheet.unbound_rows[row] = message
    sheet.claims = [claim for claim in sheet.claims if claim.row != row]
    for start in table.taken[row]:
        if sheet.standing.get(start) == "bound":
            del sheet.standing[start]


def _renamed(sheet: Sheet, row: RowKey, known: Mapping[str, frozenset[str]]) -> None:
    """Find a row that calls one value by the name of another."""
    for (column, value), label in zip(row.values, row.labels, strict=True):
        said = " ".join(label.split()).casefold()
        other = next((name for name in known.get(column, ()) if name.casefold() == said), value)
        if other.casefold() != value.casefold():
            message = f"the row is called {label}, which is {column} {other}, and stands for {column} {value}"
            sheet.record.find("table-row-renamed", row.start, row.end, message)


def _missing(sheet: Sheet, table: BoundTable, scope: Scope, rows: Sequence[RowKey]) -> None:
    """Find the rows that a run has and its table leaves out, all of them as one finding."""
    measured = sheet.lookup.measured(scope.run)
    for column in table.keys:
        if None in measured[table.required(column)].groups:
            message = f"run {scope.run} has rows without a {column}, which this table leaves out"
            sheet.record.find("table-row-missing", table.start, table.end, message)
    shown = {_without_run(row.values) for row in rows}
    missing = [
        ", ".join(value for _, value in key) for key in _required(sheet, table, scope) if key not in shown
    ]
    if not missing:
        return
    what = f"a row {missing[0]}" if len(missing) == 1 else f"{len(missing)} rows"
    message = f"run {scope.run} has {what} that this table leaves out"
    if len(missing) > 1:
        rest = len(missing) - _NAMED
        message += f": {'; '.join(missing[:_NAMED])}{f'; and {rest} more' if rest > 0 else ''}"
    sheet.record.find("table-row-missing", table.start, table.end, message)


def _without_run(values: _Key) -> _Key:
    return tuple((column, value) for column, value in values if column != RUN)


def _required(sheet: Sheet, table: BoundTable, scope: Scope) -> list[_Key]:
    """Return the keys that occur in the run under the scope's filters, in the order of their values."""
    measured = sheet.lookup.measured(scope.run)
    values = [
        [(column, value) for value in _named(measured[table.required(column)])] for column in table.keys
    ]
    keys = list(product(*values))
    if len(table.keys) < 2:
        return keys if table.keys else []
    counts = {key: Probe(("count",), (*scope.filters, *(Filter(c, "=", v) for c, v in key))) for key in keys}
    sheet.lookup.measure(scope.run, counts.values(), scope.declared)
    measured = sheet.lookup.measured(scope.run)
    return [key for key, probe in counts.items() if _occurs(measured[probe])]


def _occurs(answer: Measured) -> bool:
    return answer.error is None and answer.count > 0
