"""A hand-written table under its binding: rows by key, columns by header, every cell a claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from benchctl.claims.attaching.headers import cell_label
from benchctl.claims.attaching.pairing import claim_each
from benchctl.claims.markers.grammar import Source
from benchctl.claims.markers.nouns import Key, TableBinding
from benchctl.claims.markers.scope import Scope
from benchctl.claims.numbers import Atom
from benchctl.claims.reading.layout import Cell, Row, Table
from benchctl.claims.sheet import BoundTable, Claim, RowKey, Sheet
from benchctl.errors import BenchctlError
from benchctl.expressions import Filter, Probe

__all__ = ["bind_table"]


def bind_table(sheet: Sheet, binding: TableBinding, scope: Scope) -> None:
    """Make a claim of every bound cell of the table below `binding`; what does not fit is a finding."""
    table = _below(sheet, binding)
    if table is None:
        sheet.record.find("table-detached", binding.start, binding.end, "no table stands below this binding")
        return
    columns = _columns(sheet, binding, table)
    names = tuple(key.column for key in binding.keys)
    bound = BoundTable(scope, names, binding.subset, binding.start, binding.end)
    bound.named += _named(sheet, binding, scope)
    sheet.tables.append(bound)
    if not table.rows:
        sheet.record.find(
            "table-empty", binding.start, binding.end, "the table below this binding has no row"
        )
    for row in table.rows:
        key = _key(sheet, bound, binding.keys, row)
        if key is None:
            continue
        if any(other.values == key.values for other in bound.rows):
            labels = ", ".join(value for _, value in key.values)
            sheet.record.find("table-row-doubled", key.start, key.end, f"the row {labels} stands twice")
        bound.rows.append(key)
        for index, sources in columns:
            if index < len(row.cells):
                _cell(sheet, bound, row.cells[index], sources, key)
            else:
                sheet.record.find(
                    "table-cell-empty", row.start, row.end, "the row is shorter than its header"
                )
        if len(row.cells) > len(table.header.cells):
            extra = row.cells[len(table.header.cells)]
            sheet.record.find("page-malformed", extra.start, row.end, "the row is longer than its header")


def _below(sheet: Sheet, binding: TableBinding) -> Table | None:
    start = sheet.page.below(binding.end)
    table = sheet.page.table_at(start)
    return table if table and table.start <= start <= table.header.end else None


def _columns(sheet: Sheet, binding: TableBinding, table: Table) -> list[tuple[int, tuple[Source, ...]]]:
    """Return (index, expressions) of each bound header, unknown and doubled ones left out with a finding."""
    headers = [cell_label(sheet.page, cell) for cell in table.header.cells]
    found: list[tuple[int, tuple[Source, ...]]] = []
    for name, sources in binding.columns:
        places = [index for index, header in enumerate(headers) if _same(header, name)]
        if len(places) == 1 and places[0] >= len(binding.keys):
            found.append((places[0], sources))
            continue
        known = ", ".join(f"`{header}`" for header in headers[len(binding.keys) :])
        what = (
            f"the table has {len(places)} columns `{name}`"
            if len(places) > 1
            else f"the table has no column `{name}`"
        )
        place = sources[0].start
        sheet.record.find(
            "table-header-unknown", place, place + len(sources[0].text), f"{what}; it has {known}"
        )
    return found


def _named(
    sheet: Sheet, binding: TableBinding, scope: Scope
) -> Iterator[tuple[str, tuple[Filter, ...], Source]]:
    """Yield each header of a binding with the values that every reference of its expressions is narrowed to."""
    keys = {key.column for key in binding.keys} | {item.column for item in scope.filters}
    for name, sources in binding.columns:
        probes: list[Probe] = []
        for source in sources:
            with suppress(BenchctlError):  # said where the cells are bound
                probes += sheet.lookup.read(source.text, ()).probes
        common = set.intersection(*(set(probe.filters) for probe in probes)) if probes else set()
        own = [item for item in common if item.op == "=" and item.column not in keys]
        if own:
            yield name, tuple(sorted(own, key=lambda item: item.column)), sources[0]


def _same(left: str, right: str) -> bool:
    return " ".join(left.split()).casefold() == " ".join(right.split()).casefold()


def _key(sheet: Sheet, bound: BoundTable, keys: Sequence[Key], row: Row) -> RowKey | None:
    """Return a row's key; the numbers in a label that is the key are bound by it. None (and a finding) for a short row."""
    if len(row.cells) < len(keys):
        sheet.record.find(
            "table-row-unknown", row.start, row.end, "the row has fewer cells than the table has keys"
        )
        return None
    values: list[tuple[str, str]] = []
    labels: list[str] = []
    taken: list[int] = []
    for key, cell in zip(keys, row.cells, strict=False):
        label = cell_label(sheet.page, cell)
        value = next((value for name, value in key.labels.items() if _same(name, label)), label)
        values.append((key.column, value))
        labels.append(label)
        if not _same(value, label):
            continue  # A label of the page's own may claim something; only the key itself is bound by being it.
        for atom in sheet.numbers.between(cell.start, cell.end):
            if atom.start not in sheet.standing:
                sheet.standing[atom.start] = "bound"
                taken.append(atom.start)
    found = RowKey(row.cells[0].start, row.cells[len(keys) - 1].end, tuple(values), tuple(labels), row.end)
    bound.taken[found] = taken
    return found


def _cell(sheet: Sheet, bound: BoundTable, cell: Cell, sources: tuple[Source, ...], key: RowKey) -> None:
    scope = bound.scope_of(key)
    atoms = sheet.numbers.between(cell.start, cell.end)
    own = [atom for atom in atoms if atom.start not in sheet.standing]
    if atoms and not own:
        _of_itself(sheet, bound, cell, atoms, key)
        return
    if not own:
        # What reads like a section or a version elsewhere is a number where the binding says so.
        own = [sheet.numbers.promote(atom) for atom in sheet.numbers.others_between(cell.start, cell.end)]
    if not own:
        for expression in [sheet.read(source, scope, key) for source in sources][:1]:
            if expression:
                sheet.claims.append(Claim(None, expression, scope, cell.start, cell.end, key))
        return
    for atom in own:
        sheet.stand(atom, "bound")
    bound.taken[key] += (atom.start for atom in own)
    problem = claim_each(sheet, sheet.numbers.shared(own), sources, scope, row=key)
    if problem:
        bound.problems.append((key, "group-count", cell.start, cell.end, problem))


def _of_itself(sheet: Sheet, bound: BoundTable, cell: Cell, atoms: Sequence[Atom], key: RowKey) -> None:
    """Find a cell that leaves its column without an expression: every number of it exempt or retracted."""
    retracted = {item.atom.start for item in sheet.retractions}
    if all(sheet.standing[atom.start] == "exempt" or atom.start in retracted for atom in atoms):
        message = "the column says what this cell is, and none of its numbers is bound"
        bound.problems.append((key, "table-cell-escapes", cell.start, cell.end, message))
