"""One value, one print: the same quantity is not rounded two ways on one page."""

from __future__ import annotations

from decimal import Decimal

from benchctl.claims.sheet import Judged, Sheet
from benchctl.expressions import show
from benchctl.quantities.units import normalise_unit

__all__ = ["check"]


def check(sheet: Sheet) -> None:
    """Find values whose prints at one precision differ although each may stand."""
    first: dict[object, tuple[Decimal, Judged]] = {}
    for item in sheet.judged:
        atom = item.claim.atom
        if atom is None or atom.token.value is None or atom.token.cmp != "=" or not item.judgement.holds:
            continue
        expression = item.claim.expression
        unit = normalise_unit(atom.token.unit)
        key = (item.claim.scope.run, show(expression.node), expression.filters, unit, atom.token.place)
        value, earlier = first.setdefault(key, (atom.token.value, item))
        if value != atom.token.value and earlier.claim.atom:
            line, _ = sheet.page.place(earlier.claim.start)
            message = f"printed {atom.literal} here and {earlier.claim.atom.literal} on line {line}"
            sheet.record.find(
                "printed-two-ways", atom.start, atom.end, message, claim=expression.text, n=item.answer.n
            )
