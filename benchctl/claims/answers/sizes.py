"""How many values stand behind an answer: of a quotient of counts that is what it divides by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from benchctl.expressions import Filter, Measured, Node, Probe, probes
from benchctl.expressions.tree import Call, Chain, children

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["least_n"]

_COUNTS = frozenset({"count", "n", "n_failed", "distinct"})
_QUOTIENTS = frozenset({"ratio", "speedup"})


def least_n(node: Node, filters: tuple[Filter, ...], answers: Mapping[Probe, Measured]) -> int | None:
    """Return the least n behind an expression, None without data.

    A count above a fraction line is no sample: 2 failed of 36 is a share of 36.
    """
    behind = [answers[probe] for probe in _samples(node, filters) if probe in answers]
    return min((answer.n or answer.count for answer in behind or answers.values()), default=None)


def _samples(node: Node, filters: tuple[Filter, ...]) -> Iterator[Probe]:
    above, below = _parted(node)
    if not below:
        if isinstance(node, Probe):
            yield from probes(node, filters=filters)
        for child in children(node):
            yield from _samples(child, filters)
        return
    yield from _of(below, filters)
    yield from (probe for probe in _of(above, filters) if probe.name[-1] not in _COUNTS)


def _parted(node: Node) -> tuple[list[Node], list[Node]]:
    """Return what stands above and below the fraction line of a quotient; nothing below for what is none."""
    match node:
        case Chain(first, rest) if any(op == "/" for op, _ in rest):
            return (
                [first, *(operand for op, operand in rest if op != "/")],
                [operand for op, operand in rest if op == "/"],
            )
        case Call(function, (above, below)) if function in _QUOTIENTS:
            return [above], [below]
        case _:
            return [], []


def _of(nodes: Iterable[Node], filters: tuple[Filter, ...]) -> Iterator[Probe]:
    for node in nodes:
        yield from probes(node, filters=filters)
