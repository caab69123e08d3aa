"""What kind of number an expression gives: its unit, whether it counts, and whether no unit fits it.

A column knows its unit; a statistic or a function may keep it, drop it or make another. Nothing
is guessed: what mixes units has none, and is compared as printed.
"""

from __future__ import annotations

from typing import NamedTuple

from benchctl.errors import ColumnUnknownError
from benchctl.expressions import Definition, Node, Over, Probe, Query
from benchctl.expressions.tree import Bound, Call, Chain, Negative, Number
from benchctl.quantities.units import normalise_unit
from benchctl.store.measuring.columns import relation

__all__ = ["Nature", "declared", "nature"]

_COUNTS = frozenset({"count", "n", "n_failed", "distinct"})
_MAKES = {
    "ratio": "x", "speedup": "x", "paired_ratio": "x", "change_pct": "%", "reduction_pct": "%", "mcnemar_p": None,
}  # fmt: skip


class Nature(NamedTuple):
    """`unit` is None where there is none; `exact` says that it counts, so that no rounding is allowed.

    `plain` says that it is a number of things, so that no time, size, money or percent fits it. A
    product or quotient of counts is not plain: it may well be a percent.
    """

    unit: str | None
    exact: bool = False
    plain: bool = False


_COUNT = Nature(None, exact=True, plain=True)
_UNKNOWN = Nature(None, exact=False, plain=False)


def nature(node: Node) -> Nature:  # noqa: PLR0911 - one line a kind of node
    """Return the nature of a node's value."""
    match node:
        case Probe(query=Query() as query):
            plain = query.exact and query.unit is None
            return Nature(_unit(query.unit), exact=query.exact, plain=plain)
        case Probe():
            return _of_probe(node)
        case Bound() | Negative():
            return nature(node.operand)._replace(exact=False)
        case Over():
            return _of_groups(node)
        case Call() if node.function in _MAKES:
            return Nature(_MAKES[node.function], exact=False, plain=False)
        case Call(function="round"):
            return nature(node.args[0])._replace(exact=False)
        case Call():
            return _common(node.args)._replace(exact=False)
        case Chain() if all(op in "+-" for op, _ in node.rest):
            return _common((node.first, *(operand for _, operand in node.rest)))
        case _:
            return _UNKNOWN


def declared(kind: Nature, named: Definition) -> Nature:
    """Return the nature of a named value: what its definition says, else what its expression does."""
    if named.unit:
        kind = kind._replace(unit=_unit(named.unit), plain=False)
    if named.kind is None:
        return kind
    counts = named.kind == "count"
    return kind._replace(exact=counts, plain=kind.plain or (counts and not kind.unit))


def _unit(unit: str | None) -> str | None:
    return normalise_unit(unit) if unit else None


def _of_probe(probe: Probe) -> Nature:
    try:
        column, statistic = relation(probe.table).resolve(probe.name)
    except ColumnUnknownError:  # a column that only the run knows: of that a count is a count all the same
        return _COUNT if len(probe.name) > 1 and probe.name[-1] in _COUNTS else _UNKNOWN
    if probe.contrast and probe.contrast.function in _MAKES:
        return Nature(_MAKES[probe.contrast.function], exact=False, plain=False)
    if statistic in _COUNTS:
        return _COUNT
    if statistic == "share":
        return Nature("fraction", exact=False, plain=False)
    if column is None:
        return _UNKNOWN
    own = column.column
    return Nature(own.unit, exact=False, plain=own.unit is None and own.type == "BIGINT")


def _of_groups(over: Over) -> Nature:
    if over.how in _COUNTS:
        return _COUNT
    if over.how == "share":
        return Nature("fraction", exact=False, plain=False)
    return nature(over.body)._replace(exact=False)


def _common(nodes: tuple[Node, ...]) -> Nature:
    """Return what all have in common. A written number is as plain as its neighbours, and never counts."""
    natures = [nature(node) for node in nodes]
    units = {item.unit for item in natures}
    measured = [item for node, item in zip(nodes, natures, strict=True) if not isinstance(node, Number)]
    return Nature(
        unit=units.pop() if len(units) == 1 else None,
        exact=all(item.exact for item in natures),
        plain=bool(measured) and all(item.plain for item in measured),
    )
