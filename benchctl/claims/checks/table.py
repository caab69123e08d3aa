"""A hand-written table has the rows that its run has: none unknown, none left out."""

from __future__ import annotations

from itertools import product

from benchctl.claims.sheet import BoundTable, Sheet
from benchctl.expressions import Filter, Measured, Probe

__all__ = ["check", "needs"]


def needs(table: BoundTable) -> tuple[Probe, ...]:
    """Return what must be measured before `check`."""
    return tuple(probe for column in table.columns for probe in (table.known(column), table.required(column)))


def check(sheet: Sheet) -> None:
    """Compare the keys of every bound table with those of its run."""
    for table in sheet.tables:
        if table.scope.run not in sheet.unusable:
            _check(sheet, table)


def _check(sheet: Sheet, table: BoundTable) -> None:
    measured = sheet.lookup.measured(table.scope.run)
    for probe in needs(table):
        error = measured[probe].error
        if error:
            sheet.record.fail(error, table.start, table.end, claim=f"by={','.join(table.columns)}")
            sheet.unknown_rows.update(table.rows)
            return
    known = {column: set(_named(measured[table.known(column)])) for column in table.columns}
    _unknown(sheet, table, known)
    _renamed(sheet, table, known)
    if not table.subset:
        shown = {row.values for row in table.rows}
        for column in table.columns:
            if None in measured[table.required(column)].groups:
                message = f"run {table.scope.run} has rows without a {column}, which this table leaves out"
                sheet.record.find("table-row-missing", table.start, table.end, message)
        for key in _required(sheet, table):
            if key not in shown:
                labels = ", ".join(value for _, value in key)
                message = f"run {table.scope.run} has a row {labels} that this table leaves out"
                sheet.record.find("table-row-missing", table.start, table.end, message)


def _named(answer: Measured) -> list[str]:
    return [name for name in answer.groups if name is not None]


def _unknown(sheet: Sheet, table: BoundTable, known: dict[str, set[str]]) -> None:
    for row in table.rows:
        for column, value in row.values:
            if value not in known[column]:
                names = ", ".join(sorted(known[column])[:8])
                message = f"`{value}` is no {column} of run {table.scope.run}; it has {names}"
                sheet.record.find("table-row-unknown", row.start, row.end, message)
                sheet.unknown_rows.add(row)
                break


def _renamed(sheet: Sheet, table: BoundTable, known: dict[str, set[str]]) -> None:
    """Find rows that call one value by the name of another."""
    names = {column: {value.casefold(): value for value in values} for column, values in known.items()}
    for row in table.rows:
        for (column, value), label in zip(row.values, row.labels, strict=True):
            other = names[column].get(" ".join(label.split()).casefold(), value)
            if other.casefold() != value.casefold():
                message = (
                    f"the row is called {label}, which is {column} {other}, and stands for {column} {value}"
                )
                sheet.record.find("table-row-renamed", row.start, row.end, message)


def _required(sheet: Sheet, table: BoundTable) -> list[tuple[tuple[str, str], ...]]:
    """Return the keys that occur in the run under the scope's filters, in the order of their values."""
    scope, measured = table.scope, sheet.lookup.measured(table.scope.run)
    values = [
        [(column, value) for value in _named(measured[table.required(column)])] for column in table.columns
    ]
    keys = list(product(*values))
    if len(table.columns) == 1:
        return keys
    counts = {key: Probe(("count",), (*scope.filters, *(Filter(c, "=", v) for c, v in key))) for key in keys}
    sheet.lookup.measure(scope.run, counts.values(), scope.declared)
    measured = sheet.lookup.measured(scope.run)
    return [key for key, probe in counts.items() if _occurs(measured[probe])]


def _occurs(answer: Measured) -> bool:
    return answer.error is None and answer.count > 0
