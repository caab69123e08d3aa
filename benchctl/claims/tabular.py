"""A hand-written table under its binding: rows by key, columns by header, every cell a claim."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from benchctl.claims.grammar import Source
from benchctl.claims.layout import Cell, Row, Table
from benchctl.claims.markers import Key, TableBinding
from benchctl.claims.scope import Scope
from benchctl.claims.sheet import BoundTable, Claim, RowKey, Sheet

__all__ = ["bind_table"]

_LINK = re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_COMMENT = re.compile(r"<!--(?:(?!-->).)*+-->", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_MARKUP = re.compile(r"\\([^\w\s])|[*`]|(?<!\w)_|_(?!\w)|~~")


def bind_table(sheet: Sheet, binding: TableBinding, scope: Scope) -> None:
    """Make a claim of every bound cell of the table below `binding`; what does not fit is a finding."""
    table = _below(sheet, binding)
    if table is None:
        sheet.record.find("table-detached", binding.start, binding.end, "no table stands below this binding")
        return
    columns = _columns(sheet, binding, table)
    names = tuple(key.column for key in binding.keys)
    bound = BoundTable(scope, names, binding.subset, binding.start, binding.end)
    sheet.tables.append(bound)
    for row in table.rows:
        key = _key(sheet, binding.keys, row)
        if key is None:
            continue
        if any(other.values == key.values for other in bound.rows):
            labels = ", ".join(value for _, value in key.values)
            sheet.record.find("table-row-doubled", key.start, key.end, f"the row {labels} stands twice")
        bound.rows.append(key)
        for index, sources in columns:
            if index < len(row.cells):
                _cell(sheet, row.cells[index], sources, scope, key)
            else:
                sheet.record.find(
                    "table-cell-empty", row.start, row.end, "the row is shorter than its header"
                )
        if len(row.cells) > len(table.header.cells):
            extra = row.cells[len(table.header.cells)]
            sheet.record.find("page-malformed", extra.start, row.end, "the row is longer than its header")


def _below(sheet: Sheet, binding: TableBinding) -> Table | None:
    rest = sheet.page.text[binding.end :]
    start = binding.end + len(rest) - len(rest.lstrip())
    table = sheet.page.table_at(start)
    return table if table and table.start <= start <= table.header.end else None


def _columns(sheet: Sheet, binding: TableBinding, table: Table) -> list[tuple[int, tuple[Source, ...]]]:
    """Return (index, expressions) of each bound header, unknown and doubled ones left out with a finding."""
    headers = [_label(sheet, cell) for cell in table.header.cells]
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


def _label(sheet: Sheet, cell: Cell) -> str:
    """Return what a reader sees of a cell: no comments, no markup."""
    text = _COMMENT.sub("", sheet.page.text[cell.start : cell.end])
    text = _LINK.sub(r"\1", _TAG.sub("", text))
    return html.unescape(_MARKUP.sub(r"\1", text)).strip()


def _same(left: str, right: str) -> bool:
    return " ".join(left.split()).casefold() == " ".join(right.split()).casefold()


def _key(sheet: Sheet, keys: Sequence[Key], row: Row) -> RowKey | None:
    """Return a row's key; the numbers in its labels are bound by it. None (and a finding) for a short row."""
    if len(row.cells) < len(keys):
        sheet.record.find(
            "table-row-unknown", row.start, row.end, "the row has fewer cells than the table has keys"
        )
        return None
    values: list[tuple[str, str]] = []
    for key, cell in zip(keys, row.cells, strict=False):
        label = _label(sheet, cell)
        mapped = (value for name, value in key.labels.items() if _same(name, label))
        values.append((key.column, next(mapped, label)))
        for atom in sheet.numbers.between(cell.start, cell.end):
            sheet.standing.setdefault(atom.start, "bound")
    return RowKey(row.cells[0].start, row.cells[len(keys) - 1].end, tuple(values))


def _cell(sheet: Sheet, cell: Cell, sources: tuple[Source, ...], scope: Scope, key: RowKey) -> None:
    atoms = sheet.numbers.between(cell.start, cell.end)
    if atoms and all(atom.start in sheet.standing for atom in atoms):
        return
    if not atoms:
        # What reads like a section or a version elsewhere is a number where the binding says so.
        atoms = [sheet.numbers.promote(atom) for atom in sheet.numbers.others_between(cell.start, cell.end)]
    expressions = [sheet.read(source, scope, key) for source in sources]
    if not atoms:
        sheet.claims += [
            Claim(None, expression, scope, cell.start, cell.end, key)
            for expression in expressions[:1]
            if expression
        ]
        return
    for atom in atoms:
        sheet.stand(atom, "bound")
    if len(atoms) != len(sources):
        message = f"the cell holds {len(atoms)} numbers, and {len(sources)} expressions are given"
        sheet.record.find("group-count", cell.start, cell.end, message)
        return
    shared = {item.start: item for atom in atoms for item in sheet.numbers.group(atom)}
    for atom, expression in zip(atoms, expressions, strict=True):
        if expression:
            sheet.claims.append(Claim(shared[atom.start], expression, scope, atom.start, atom.end, key))
