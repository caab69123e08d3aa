"""What kind of number an expression gives: its unit, and whether it counts.

A column knows its unit; a statistic or a function may keep it, drop it or make another. Nothing
is guessed: what mixes units has none, and is compared as printed.
"""

from __future__ import annotations

from benchctl.errors import ColumnUnknownError
from benchctl.expressions import Node, Over, Probe
from benchctl.expressions.tree import Bound, Call, Chain, Negative
from benchctl.store.columns import relation

__all__ = ["nature"]

_COUNTS = frozenset({"count", "n", "n_failed", "distinct"})
_MAKES = {
    "ratio": "x", "speedup": "x", "paired_ratio": "x", "change_pct": "%", "reduction_pct": "%", "mcnemar_p": None,
}  # fmt: skip


def nature(node: Node) -> tuple[str | None, bool]:
    """Return (unit, whether it counts) of a node's value; None is "no unit"."""
    match node:
        case Probe():
            return _of_probe(node)
        case Bound() | Negative():
            return nature(node.operand)[0], False
        case Over():
            return _of_groups(node)
        case Call():
            return (_MAKES[node.function] if node.function in _MAKES else _common(node.args)), False
        case Chain() if all(op in "+-" for op, _ in node.rest):
            operands = (node.first, *(operand for _, operand in node.rest))
            return _common(operands), all(nature(operand)[1] for operand in operands)
        case _:
            return None, False


def _of_probe(probe: Probe) -> tuple[str | None, bool]:
    try:
        column, statistic = relation(probe.table).resolve(probe.name)
    except ColumnUnknownError:
        return None, False
    if probe.contrast and probe.contrast.function in _MAKES:
        return _MAKES[probe.contrast.function], False
    if statistic in _COUNTS:
        return None, True
    if statistic == "share":
        return "fraction", False
    return (column.unit if column else None), False


def _of_groups(over: Over) -> tuple[str | None, bool]:
    if over.how in _COUNTS:
        return None, True
    return ("fraction" if over.how == "share" else nature(over.body)[0]), False


def _common(nodes: tuple[Node, ...]) -> str | None:
    units = {nature(node)[0] for node in nodes}
    return units.pop() if len(units) == 1 else None
