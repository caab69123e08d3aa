"""The same numbers compared in another way: the arguments the other way round, another comparison, another aggregate.

None of it needs more data than the claim's own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchctl.claims.judging.variant import Rank, Variant
from benchctl.errors import BenchctlError
from benchctl.expressions import Node, Probe, parse, show
from benchctl.expressions.tree import Call, Chain, NamedCall, Negative, Number, Over, children, with_children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchctl.claims.answers.lookup import Expression
    from benchctl.claims.sheet import Sheet

__all__ = ["turned"]

_OF_TWO = ("ratio", "change_pct", "reduction_pct", "delta")
_DIRECTED = frozenset({*_OF_TWO, "speedup"})
_OVER = ("median", "mean", "min", "max", "sum", "count", "p90")


def turned(sheet: Sheet, expression: Expression) -> Iterator[Variant]:
    """Yield the expression with one comparison, quotient, difference or aggregate of it put otherwise.

    It is named as it is written; where it is a named value as a whole, as that is defined.
    """
    written = parse(expression.text)
    for whole in dict.fromkeys((written, expression.node)):
        for node in _otherwise(whole):
            try:
                other = sheet.lookup.read(show(node), expression.filters)
            except BenchctlError:
                continue
            kind = other.nature._replace(unit=other.nature.unit or expression.nature.unit)
            other = replace(other, nature=kind)
            yield Variant(f"equals {show(node)}", Rank.TURNED, other)


def _otherwise(node: Node) -> Iterator[Node]:
    yield from _here(node)
    below = children(node)
    for index, child in enumerate(below):
        for other in _otherwise(child):
            yield with_children(node, (*below[:index], other, *below[index + 1 :]))


def _here(node: Node) -> Iterator[Node]:  # noqa: C901 - one case a kind of node
    match node:
        case Call(args=(a, b)) if node.function in _DIRECTED:
            yield replace(node, args=(b, a))
            for function in _OF_TWO:
                if function != node.function and (function, node.function) != ("ratio", "speedup"):
                    yield replace(node, function=function)
                    yield Call(function, (b, a))
        case NamedCall(args=(first, second)):
            yield replace(node, args=(second, first))
        case Chain(rest=((("/" | "-") as op, other),)):
            yield Chain(other, ((op, node.first),))
            if op == "/" and not isinstance(other, Number):
                for function in ("change_pct", "reduction_pct"):
                    yield Call(function, (node.first, other))
                    yield Call(function, (other, node.first))
        case Probe(contrast=contrast) if contrast:
            yield replace(node, contrast=replace(contrast, a=contrast.b, b=contrast.a))
        case Over() if node.how in _OVER:
            for how in _OVER:
                if how != node.how:
                    yield replace(node, how=how)
        case Negative():
            yield node.operand
