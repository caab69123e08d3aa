"""One value, one print: the same quantity is not rounded two ways on one page."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from benchctl.claims.answers.lookup import Expression
from benchctl.claims.sheet import Judged, Sheet
from benchctl.expressions import Node, Over, Probe, scoped
from benchctl.expressions.tree import children, with_children
from benchctl.quantities.units import normalise_unit

__all__ = ["check"]


def check(sheet: Sheet) -> None:
    """Find values that stand on the page as two different numbers of one unit, neither of them called about."""
    first: dict[object, tuple[Decimal, Judged]] = {}
    for item in sheet.judged:
        atom = item.claim.atom
        if atom is None or atom.token.value is None or atom.token.cmp != "=" or not item.judgement.holds:
            continue
        expression = item.claim.expression
        key = (item.claim.scope.run, _meaning(expression), normalise_unit(atom.token.unit))
        value, earlier = first.setdefault(key, (atom.token.value, item))
        if value != atom.token.value and earlier.claim.atom:
            line, _ = sheet.page.place(earlier.claim.start)
            message = f"printed {atom.literal} here and {earlier.claim.atom.literal} on line {line}"
            sheet.record.find(
                "printed-two-ways", atom.start, atom.end, message, claim=expression.text, n=item.answer.n
            )


def _meaning(expression: Expression) -> Node:
    """Return what it asks, the scope's and the row's filters in their places: a cell and a sentence may ask one thing."""
    return _asked(expression, expression.node, None)


def _asked(expression: Expression, node: Node, group: str | None) -> Node:
    if isinstance(node, Probe):
        probe = scoped(node, expression.filters, group)
        order = sorted(set(probe.filters), key=lambda item: (item.column, item.op, item.value))
        return replace(probe, filters=tuple(order))
    below = node.column if isinstance(node, Over) else group
    return with_children(node, tuple(_asked(expression, child, below) for child in children(node)))
