"""A hand-written table read as keys and columns: whose rows these are, by their labels alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchctl.claims.attaching.headers import cell_label
from benchctl.claims.numbers import Atom
from benchctl.claims.reading.layout import Table
from benchctl.claims.sheet import Sheet
from benchctl.claims.suggesting.names import KEYS, Names
from benchctl.expressions import Filter

__all__ = ["Column", "Outline", "outline_of"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column that is no key: its header, and the numbers of each row, none where a cell has none."""

    header: str
    cells: tuple[tuple[Atom, ...], ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The key columns with the value of each label, the key of each row, and the other columns."""

    table: Table
    keys: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    rows: tuple[tuple[Filter, ...], ...]
    columns: tuple[Column, ...]


def outline_of(sheet: Sheet, table: Table, names: Names) -> Outline | None:
    """Return how a table reads where nothing of it is bound yet; None where its first columns are no keys."""
    atoms = sheet.numbers.between(table.start, table.end)
    if not table.rows or not atoms or any(atom.start in sheet.standing for atom in atoms):
        return None
    keys: list[tuple[str, tuple[tuple[str, str], ...]]] = []
    for index in range(len(table.header.cells)):
        labels = [cell_label(sheet.page, row.cells[index]) for row in table.rows if index < len(row.cells)]
        own = [
            atom
            for row in table.rows
            if index < len(row.cells)
            for atom in sheet.numbers.between(row.cells[index].start, row.cells[index].end)
        ]
        taken = {column for column, _ in keys}
        key = None if own or len(labels) < len(table.rows) else _key(labels, names, taken)
        if key is None:
            break
        keys.append(key)
    rows = [
        tuple(
            Filter(column, "=", dict(labels)[cell_label(sheet.page, row.cells[index])])
            for index, (column, labels) in enumerate(keys)
        )
        for row in table.rows
    ]
    if not keys or len(set(rows)) < len(rows):
        return None
    columns = [
        Column(
            cell_label(sheet.page, cell),
            tuple(_numbers(sheet, table, row, index) for row in range(len(rows))),
        )
        for index, cell in enumerate(table.header.cells)
        if index >= len(keys)
    ]
    return Outline(table, tuple(keys), tuple(rows), tuple(columns))


def _key(
    labels: Sequence[str], names: Names, taken: set[str]
) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """Return the first key column of which every label is a value of its own name, else one that every label names."""
    for column in KEYS:
        if column in taken or column not in names.values:
            continue
        found = {label: names.value_of(column, label) for label in dict.fromkeys(labels)}
        known = [value for value in found.values() if value is not None]
        if len(known) == len(found) == len(set(known)):
            return column, tuple((label, value) for label, value in found.items() if value is not None)
    return None


def _numbers(sheet: Sheet, table: Table, row: int, index: int) -> tuple[Atom, ...]:
    cells = table.rows[row].cells
    if index >= len(cells):
        return ()
    cell = cells[index]
    return tuple(sheet.numbers.shared(sheet.numbers.between(cell.start, cell.end)))
