"""Why an assertion does not hold: the sides of what is false in it, and the groups that deny it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchctl.claims.answers.otherwise import Data
from benchctl.expressions import Node, Over, Value, show
from benchctl.expressions.tree import Compare, Logical, Not, children
from benchctl.quantities.format import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchctl.expressions import Filter, Measured, Probe

__all__ = ["Denial", "denial_of"]

_MOST_GROUPS = 8


@dataclass(slots=True)
class Denial:
    """What is false in an assertion: `sides` of comparisons with their values, `groups` in words."""

    sides: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)


def denial_of(node: Node, measured: Mapping[Probe, Measured], filters: tuple[Filter, ...]) -> Denial:
    """Return why a false assertion is false; of what has no value it says nothing."""
    found = Denial()
    _deny(node, Data((measured,), filters), found, whole=True, wanted=True)
    return found


def _deny(node: Node, data: Data, found: Denial, *, whole: bool, wanted: bool) -> None:
    """Add what keeps `node` from being `wanted`; `whole` says that its text stands in the message already."""
    match node:
        case Logical():
            for operand in node.operands:
                if _truth(operand, data) is not wanted:
                    _deny(operand, data, found, whole=False, wanted=wanted)
        case Not():
            _deny(node.operand, data, found, whole=False, wanted=not wanted)
        case Over(how="all" | "any" | "none"):
            found.groups.append(_groups(node, data, wanted=wanted))
        case Compare():
            lead = "" if whole else f"`{show(node)}` is {'not so: ' if wanted else 'so: '}"
            found.sides.append(lead + _sides(node, data).get(None, ""))
        case _ if not whole:
            found.sides.append(f"`{show(node)}` is {str(not wanted).lower()}")


def _groups(over: Over, data: Data, *, wanted: bool) -> str:
    """Return which groups keep `all`, `any` or `none` from being `wanted`, each with the two sides of its comparison."""
    inside = Data(data.sets, data.filters, over.column)
    values = inside.values(over.body, data.sets[0]) or {}
    # `all` is denied by those that are not so, `none` by those that are; of `any` it is the other way round.
    deny = (over.how == "none") if wanted else (over.how != "none")
    names = [name for name, value in values.items() if value is deny]
    sides = _sides(over.body, inside)
    told = [f"{name or 'null'}{f' ({sides[name]})' if name in sides else ''}" for name in names]
    lead = "so" if deny else "not so"
    return f"{lead} for {over.column} {listed(told, _MOST_GROUPS)}"


def _truth(node: Node, data: Data) -> Value | None:
    return (data.values(node, data.sets[0]) or {}).get(None)


def _sides(node: Node, data: Data) -> dict[str | None, str]:
    """Return the two sides of a comparison as numbers, for each group; of another node its operands that compare."""
    if isinstance(node, Not):
        return _sides(node.operand, data)
    if isinstance(node, Logical):
        parts = [_sides(operand, data) for operand in children(node)]
        return {name: ", ".join(part[name] for part in parts if name in part) for name in parts[0]}
    if not isinstance(node, Compare):
        return {}
    left, right = (data.values(side, data.sets[0]) or {} for side in (node.left, node.right))
    told = {}
    for name in dict.fromkeys((*left, *right)):
        # What is written is the same for every group.
        one, other = (side.get(name, side.get(None)) for side in (left, right))
        if one is not None and other is not None:
            told[name] = f"{_number(one)} {node.op} {_number(other)}"
    return told


def _number(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"'{value}'" if isinstance(value, str) else str(value).lower()
