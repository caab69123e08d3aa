"""Statistics of one sample in their order: `min ≤ median ≤ max`, `p50 ≤ p90 ≤ p99`, `lower ≤ mean ≤ upper`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from benchctl.claims.attaching.headers import Scale, cell_label, header_scale
from benchctl.claims.numbers import Atom
from benchctl.claims.prose.amounts import factor
from benchctl.claims.prose.prose import printed
from benchctl.claims.prose.samples import HINT, Value, samples
from benchctl.claims.prose.statistics import Statistic, labelled
from benchctl.claims.reading.layout import Cell, Row, Table
from benchctl.claims.sheet import Sheet
from benchctl.quantities.units import family

__all__ = ["check"]

_Group = list[tuple[int, Statistic]]
"""Places in a header or in a first column, and the statistics that they name."""
_RELATIVE = re.compile(
    r"\b(?:vs|against|delta|ratio|change|diff\w*|gain|speed-?up|relative|rel|p)\b|[\u0394\u00d7/]",
    re.IGNORECASE,
)
"""Headers of columns that compare: the change of a least value may be above that of a greatest."""
_QUARTILE = re.compile(r"(?<![\w.-])q[123](?![\w-])", re.IGNORECASE)
_QUARTILES = re.compile(r"quartile|\bIQR\b|quantile", re.IGNORECASE)
_MOST = 40
"""Statistics of one sample that are compared, at most: nobody prints so many."""
_NEAR = 2
"""How far apart columns named `min` and `max` alone may stand: one other column between them, `mean` or `sd`."""


def check(sheet: Sheet) -> None:
    """Find statistics of one sample that are out of order, in sentences and in the rows and columns of tables."""
    for values in (*samples(sheet.prose), *_in_tables(sheet)):
        if not _may_be_questions(sheet, values):
            _compare(sheet, values)


def _may_be_questions(sheet: Sheet, values: Sequence[Value]) -> bool:
    """Whether `q1` and `q3` may as well be names: nothing but such stand there, and no word says quartile."""
    if not values or not all(_QUARTILE.search(value.name) for value in values):
        return False
    start = values[0].atom.start
    around = sheet.page.table_at(start) or sheet.page.block_at(start)
    return around is None or not _QUARTILES.search(sheet.page.text, around.start, around.end)


def _of_one_column(sheet: Sheet, *atoms: Atom) -> bool:
    """Whether true numbers are bound to one column of the run: then what contradicts them is not the reading."""
    starts = {atom.start for atom in atoms}
    columns = {
        (probe.table, probe.name[:-1])
        for item in sheet.judged
        if item.claim.atom and item.claim.atom.start in starts
        for probe in item.claim.expression.probes
    }
    return len(columns) == 1


def _compare(sheet: Sheet, values: Sequence[Value]) -> None:
    known = {value.unit for value in values} - {""}
    shared = known.pop() if len(known) == 1 else ""
    for one, other in combinations(values[:_MOST], 2):
        low, high = (one, other) if one.statistic.at_most(other.statistic) else (other, one)
        if low.statistic.at_most(high.statistic) and _is_over(low, high, shared):
            if sheet.holds(low.atom, high.atom) and not _of_one_column(sheet, low.atom, high.atom):
                continue
            message = f"{low.name} {low.atom.literal} is more than {high.name} {high.atom.literal}"
            sheet.record.find("order-impossible", other.atom.start, other.atom.end, message)
            return


def _is_over(low: Value, high: Value, shared: str) -> bool:
    """Whether the first is printed greater than the second, by more than rounding to different places explains.

    Two numbers of one place were rounded the same way, so the greater print is the greater value. One without a
    unit is in the unit `shared` by the others.
    """
    a, b = low.atom.token, high.atom.token
    if low.unit == high.unit and low.multiple == high.multiple and (a.value or 0) <= (b.value or 0):
        return False
    units = [value.unit or shared for value in (low, high)]
    if family(units[0]) != family(units[1]) or (units[0] != units[1] and not family(units[0])):
        return False
    left, right = (
        printed(value.atom.token).times(factor(unit) * value.multiple)
        for value, unit in zip((low, high), units, strict=True)
    )
    if units[0] == units[1] and a.place == b.place and left.hi - left.lo == right.hi - right.lo:
        return left.middle > right.middle
    return left.lo > right.hi


def _in_tables(sheet: Sheet) -> Iterator[list[Value]]:
    for table in sheet.page.tables:
        labels = [_label(sheet, cell) for cell in table.header.cells]
        for group in _groups(labels):
            places = [(at, named, labels[at], _scale(labels[at], named)) for at, named in group]
            for row in table.rows:
                atoms = [_number(sheet, row, at) for at, *_ in places]
                yield [
                    _value(named, label, atom, scale)
                    for (_, named, label, scale), atom in zip(places, atoms, strict=True)
                    if atom
                ]
        yield from _in_columns(sheet, table)


def _in_columns(sheet: Sheet, table: Table) -> Iterator[list[Value]]:
    """Yield the values of a table turned on its side, column by column; none of a column that compares.

    The key of a bound table names rows of the run and no statistic.
    """
    if any(table.start <= row.start < table.end for bound in sheet.tables for row in bound.rows):
        return
    labels = [_label(sheet, row.cells[0]) if row.cells else "" for row in table.rows]
    groups = _groups(labels)
    for column, cell in enumerate(table.header.cells[1:] if groups else (), start=1):
        header = cell_label(sheet.page, cell)
        for group in () if _RELATIVE.search(header) else groups:
            atoms = [(_number(sheet, table.rows[at], column), named, labels[at]) for at, named in group]
            yield [
                _value(named, label, atom, _scale(header, named) or _scale(label, named, bare=False))
                for atom, named, label in atoms
                if atom
            ]


def _value(named: Statistic, label: str, atom: Atom, scale: Scale | None) -> Value:
    return Value(named, label, atom, scale.unit, scale.factor) if scale else Value(named, label, atom)


def _label(sheet: Sheet, cell: Cell) -> str:
    """Return what a cell says, where it may name a statistic; else nothing."""
    hint = HINT.search(sheet.page.text, cell.start, cell.end)
    return cell_label(sheet.page, cell) if hint else ""


def _scale(label: str, named: Statistic, *, bare: bool = True) -> Scale | None:
    """Return the scale that a label gives, where its `min` is no minute."""
    scale = header_scale(label, bare=bare)
    return None if scale and scale.written == "min" and named.percent == 0 else scale


def _groups(labels: Sequence[str]) -> list[_Group]:
    """Return the places of labels that name statistics of one thing, at least two; a name that comes again begins anew."""
    groups: dict[str, list[_Group]] = {}
    for at, label in enumerate(labels):
        found = labelled(label)
        if found is None:
            continue
        known = groups.setdefault(found[1], [[]])
        apart = not found[1].strip("(") and known[-1] and at - known[-1][-1][0] > _NEAR
        if apart or any(found[0] == earlier for _, earlier in known[-1]):
            known.append([])
        known[-1].append((at, found[0]))
    return [group for parts in groups.values() for group in parts if len(group) > 1]


def _number(sheet: Sheet, row: Row, column: int) -> Atom | None:
    """Return a cell's number, if it is one alone, and no change or ratio: of statistics these keep no order."""
    if column >= len(row.cells):
        return None
    cell = row.cells[column]
    atoms = sheet.numbers.between(cell.start, cell.end)
    if len(atoms) != 1 or sheet.prose.is_barred(atoms[0]):
        return None
    token = atoms[0].token
    is_plain = token.cmp == "=" and not token.word and token.unit != "x" and token.text[:1] != "+"
    return atoms[0] if is_plain else None
