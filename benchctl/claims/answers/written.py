"""How much of a value is written in its expression: `977 + n_failed`, or `977 * score.max` where every best score is 1.

What a run gives to a product counts for nothing where it is a factor that could hardly be another one: a share at
its end, or a small plain factor that is the same in every other run. Such an expression moves with moved
data, so that it is not vacuous, and yet the page prints what its author wrote.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchctl.claims.answers.nature import nature
from benchctl.claims.answers.otherwise import Data
from benchctl.expressions import Node, Probe, is_vacuous, show
from benchctl.expressions.tree import Call, Chain, Negative, children
from benchctl.metrics import METRICS

__all__ = ["WHOLES", "Written", "written_part"]

WHOLES = (1, 100)
"""What a share is taken from, or written in: `1 - x` is no constant with a little data beside it."""

_NATURAL = frozenset({365, 1024, 1440, 86_400, 1_048_576})
"""Factors between units that are no round numbers."""
_MANY_DIGITS = 3
_FEW_DIGITS = 2

Held = Callable[[Node], bool]
"""Whether a part of an expression has today's value in every other run."""


@dataclass(frozen=True, slots=True)
class Written:
    """`part` of the value `whole` is written; `factors` are those of the run that count for nothing in it, as text."""

    part: float
    whole: float
    factors: tuple[str, ...] = ()

    @property
    def is_most(self) -> bool:
        """Whether more is written than the run gives, and it is no whole that a share is taken from."""
        return abs(self.part) > abs(self.whole - self.part) and abs(self.part) not in WHOLES


def written_part(node: Node, data: Data, held: Held) -> Written | None:
    """Return how much of a node's value is written today; None where it has no number."""
    value = _value(node, data)
    if value is None:
        return None
    if is_vacuous(node):
        return Written(value, value)
    match node:
        case Negative():
            inside = written_part(node.operand, data, held)
            return inside and Written(-inside.part, -inside.whole, inside.factors)
        case Chain() if all(op in "+-" for op, _ in node.rest):
            return _sum(node, data, held)
        case Chain() | Call(function="ratio" | "speedup"):
            return _product(node, data, held, value)
        case _:
            return Written(0.0, value)


def _value(node: Node, data: Data) -> float | None:
    value = (data.values(node, data.sets[0]) or {}).get(None)
    return None if value is None or isinstance(value, bool | str) else float(value)


def _sum(node: Chain, data: Data, held: Held) -> Written | None:
    part = whole = 0.0
    factors: tuple[str, ...] = ()
    for op, term in (("+", node.first), *node.rest):
        found = written_part(term, data, held)
        if found is None:
            return None
        sign = -1 if op == "-" else 1
        part, whole, factors = (
            part + sign * found.part,
            whole + sign * found.whole,
            (*factors, *found.factors),
        )
    return Written(part, whole, factors)


def _product(node: Node, data: Data, held: Held, value: float) -> Written:
    constant, given = 1.0, 1.0
    of_run: list[Node] = []
    for factor, inverse in _factors(node):
        number = _value(factor, data)
        if number is None or (inverse and not number):
            return Written(0.0, value)
        if is_vacuous(factor):
            constant = constant / number if inverse else constant * number
        else:
            given = given / number if inverse else given * number
            of_run.append(factor)
    if _counts_for_nothing(of_run, given) or (
        _may_be_held(given, constant) and all(held(factor) for factor in of_run)
    ):
        return Written(value, value, tuple(show(factor) for factor in of_run))
    inside = written_part(of_run[0], data, held) if len(of_run) == 1 else None
    if inside is None or not inside.whole or abs(inside.part) in WHOLES:
        return Written(0.0, value)
    share = inside.part / inside.whole
    # Beyond the whole of it something is taken away, and `(score.mean - 0.5) / 0.5` is a result.
    return Written(share * value, value, inside.factors) if 0 < share <= 1 else Written(0.0, value)


def _factors(node: Node, *, inverse: bool = False) -> Iterator[tuple[Node, bool]]:
    """Yield each factor of a product, and whether the product divides by it."""
    match node:
        case Chain() if all(op in "*/" for op, _ in node.rest):
            yield from _factors(node.first, inverse=inverse)
            for op, operand in node.rest:
                yield from _factors(operand, inverse=inverse != (op == "/"))
        case Call(function="ratio" | "speedup", args=(a, b)):
            yield from _factors(a, inverse=inverse)
            yield from _factors(b, inverse=not inverse)
        case _:
            yield node, inverse


def _counts_for_nothing(of_run: list[Node], given: float) -> bool:
    """Whether a run gives a share of exactly all, which any good run does: one of its own, or a count of a count."""
    if not math.isclose(abs(given), 1, rel_tol=1e-12):
        return False
    probes = [probe for factor in of_run for probe in _probes(factor)]
    counts = len(of_run) > 1 and all(nature(probe).exact for probe in probes)
    return counts or all(map(_is_share, probes))


def _is_share(probe: Probe) -> bool:
    """Whether a probe gives something between 0 and 1: a share, or how many of some truths."""
    metric = METRICS.get(probe.name[0])
    return nature(probe).unit == "fraction" or (
        metric is not None and metric.domain[1] == 1 and not nature(probe).exact and probe.name[-1] != "sum"
    )


def _may_be_held(given: float, constant: float) -> bool:
    """Whether all that a print tells is written: a factor of a few digits, at most 1, of a number of many."""
    many = _digits(constant) >= _MANY_DIGITS and abs(constant) not in _NATURAL
    return many and 0 < abs(given) <= 1 and _digits(given) <= _FEW_DIGITS


def _digits(number: float) -> int:
    return len(f"{abs(number):.12f}".replace(".", "").strip("0"))


def _probes(node: Node) -> Iterator[Probe]:
    if isinstance(node, Probe):
        yield node
    for child in children(node):
        yield from _probes(child)
