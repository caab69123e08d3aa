"""An order that a table says besides its numbers: a column of ranks, a bold best."""

from __future__ import annotations

import re
from decimal import Decimal

from benchctl.claims.attaching.headers import cell_label
from benchctl.claims.sheet import Judged, Sheet

__all__ = ["loses_its_place"]

_RANK = re.compile(r"(?:#|no\.?|nr\.?|rank(?:ing)?|place|pos(?:ition)?\.?|rang|platz)", re.IGNORECASE)
_BOLD = re.compile(r"\*\*|__|</?(?:b|strong)>", re.IGNORECASE)


def loses_its_place(sheet: Sheet, item: Judged, new: Decimal) -> bool:
    """Whether a number of such a table would change places with another one of its column, as the run has that."""
    atom = item.claim.atom
    place = sheet.page.cell_at(atom.start) if atom else None
    if atom is None or atom.token.value is None or place is None:
        return False
    table, row, _, index = place
    cells = [each.cells[index] for each in table.rows if each is not row and index < len(each.cells)]
    own = sheet.page.text[row.cells[index].start : row.cells[index].end]
    texts = [own, *(sheet.page.text[cell.start : cell.end] for cell in cells)]
    ranked = any(_RANK.fullmatch(cell_label(sheet.page, cell)) for cell in table.header.cells)
    if not ranked and not any(map(_BOLD.search, texts)):
        return False
    actual = {other.claim.start: other.judgement for other in sheet.judged}
    for cell in cells:
        other = next(iter(sheet.numbers.between(cell.start, cell.end)), None)
        if other is None or other.token.value is None:
            continue
        known = actual.get(other.start)
        after = other.token.value if known is None or known.holds or known.actual is None else known.actual
        if _sign(atom.token.value - other.token.value) != _sign(new - after):
            return True
    return False


def _sign(value: Decimal) -> int:
    return (value > 0) - (value < 0)
