"""The unit that a bound column's header gives its cells, changed for the whole column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from benchctl.claims.attaching.headers import Scale, cell_label, header_scale
from benchctl.claims.markers.nouns import TableBinding
from benchctl.claims.mutation.claimed import literal_of, true_of
from benchctl.claims.mutation.literals import other_scale
from benchctl.claims.mutation.mutant import Edit, Mutant, Place
from benchctl.claims.mutation.places import Places
from benchctl.claims.reading.layout import Cell, Table
from benchctl.claims.sheet import Judged, Sheet
from benchctl.quantities.units import normalise_unit

__all__ = ["of_headers"]


def of_headers(sheet: Sheet, places: Places) -> Iterator[Mutant]:
    """Yield each bound header with another unit or multiplier, in the table and in its binding alike."""
    page = sheet.page
    for binding in sheet.bindings:
        if not isinstance(binding, TableBinding):
            continue
        table = page.table_at(page.below(binding.end))
        for index, cell in enumerate(table.header.cells if table else ()):
            scale = header_scale(cell_label(page, cell))
            if table and scale and (found := _turned(sheet, places, table, index, scale)):
                edits = _edits(page.text, binding, cell, scale.written, found.changed_to)
                if edits:
                    yield replace(found, start=cell.start, end=cell.end, edits=edits)


def _turned(sheet: Sheet, places: Places, table: Table, index: int, scale: Scale) -> Mutant | None:
    """Return the mutant of a column, still without edits; None where nothing would be false, for nothing checks it."""
    column = [row.cells[index] for row in table.rows if index < len(row.cells)]
    judged = [item for item in sheet.judged if any(_scaled_in(item, cell, scale) for cell in column)]
    written, factor = other_scale(scale.written, scale.unit)
    unit = normalise_unit(written) if factor == 1 else scale.unit
    checked = [item for item in judged if factor != 1 or _has_unit(item)]
    if not written or not checked:
        return None
    keys = frozenset(key for item in judged for key in places.of_claim(item.claim).keys)
    spans = tuple((cell.start, cell.end) for cell in column)
    same = [_same(sheet, item, factor, unit) for item in judged]
    return Mutant(
        kind="unit",
        start=table.start,
        end=table.start,
        literal=scale.written,
        changed_to=written,
        place=Place(spans, spans, keys),
        equivalent=same[0] if all(same) else "",
    )


def _scaled_in(item: Judged, cell: Cell, scale: Scale) -> bool:
    """Whether a claim of a cell has its unit from the header."""
    claim = item.claim
    inside = claim.row is not None and cell.start <= claim.start <= cell.end
    return inside and claim.atom is not None and claim.atom.literal.endswith(f" {scale.written}")


def _has_unit(item: Judged) -> bool:
    return bool(item.claim.expression.nature.unit or item.claim.expression.nature.plain)


def _same(sheet: Sheet, item: Judged, factor: Fraction, unit: str) -> str:
    if item.claim.atom is None:
        return "empty"
    says = literal_of(sheet, item.claim.atom).says
    return true_of(
        sheet, item, replace(says, value=says.value * factor, place=says.place * factor, unit=unit)
    )


def _edits(text: str, binding: TableBinding, cell: Cell, old: str, new: str) -> tuple[Edit, ...]:
    """Return the edits of the header and of its name in the binding; none where the binding writes it otherwise."""
    header = text[cell.start : cell.end]
    in_binding = text.find(header, binding.start, binding.end)
    at = header.rfind(old)
    if in_binding < 0 or at < 0:
        return ()
    return tuple(Edit(start + at, start + at + len(old), new) for start in (in_binding, cell.start))
