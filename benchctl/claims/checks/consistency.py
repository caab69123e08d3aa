"""One value, one print: the same quantity is not rounded two ways on one page.

Quantities are the same where their expressions mean the same, however they are written. Each new print is held
against all that came before it: 16.25 here, 16.2 there and 16.3 behind are two findings.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from benchctl.claims.answers.lookup import Expression
from benchctl.claims.sheet import Judged, Sheet
from benchctl.expressions import Node, Over, Probe, scoped
from benchctl.expressions.tree import Call, Chain, children
from benchctl.quantities.units import normalise_unit

__all__ = ["check"]

_SAME_STATISTIC = {"p0": "min", "p25": "q1", "p50": "median", "p75": "q3", "p100": "max"}
_CHAINS = {"ratio": ("*", "/"), "speedup": ("*", "/"), "delta": ("+", "-")}
"""Functions that are an operator, by the sign of their first argument and of their second."""


class _Chain(NamedTuple):
    """A sum (`kind` +) or a product (*) with its terms in one order."""

    kind: str
    terms: tuple[tuple[str, Hashable], ...]


def check(sheet: Sheet) -> None:
    """Find values that stand on the page as two different numbers of one unit, neither of them called about."""
    prints: dict[Hashable, list[Judged]] = {}
    for item in sheet.judged:
        atom = item.claim.atom
        if atom is None or atom.token.value is None or atom.token.cmp != "=" or not item.judgement.holds:
            continue
        key = (item.claim.scope.run, _meaning(item.claim.expression), normalise_unit(atom.token.unit))
        known = prints.setdefault(key, [])
        if all(_value(earlier) != _value(item) for earlier in known):
            if known:
                _say(sheet, _nearest(known, item), item)
            known.append(item)


def _value(item: Judged) -> Decimal:
    """Return what is printed; where a word carries the sign of it, with that sign: "51.6 % faster" of -51.6."""
    printed = (item.claim.atom.token.value if item.claim.atom else None) or Decimal(0)
    carried = isinstance(item.answer.value, int | float) and item.answer.value < 0 < printed
    return -printed if carried else printed


def _place(item: Judged) -> Decimal:
    return (item.claim.atom.token.place if item.claim.atom else None) or Decimal(0)


def _nearest(known: list[Judged], item: Judged) -> Judged:
    """Return the earlier print to name: one of as many places, which the reader cannot take for a rounding."""
    return next((earlier for earlier in known if _place(earlier) == _place(item)), known[0])


def _say(sheet: Sheet, earlier: Judged, item: Judged) -> None:
    atom, before = item.claim.atom, earlier.claim.atom
    if atom and before:
        line, _ = sheet.page.place(earlier.claim.start)
        message = f"printed {atom.literal} here and {before.literal} on line {line}"
        text = item.claim.expression.text
        sheet.record.find(
            "printed-two-ways", atom.start, atom.end, message, claim=text, n=item.answer.n, related=line
        )


def _meaning(expression: Expression) -> Hashable:
    """Return what it asks, the scope's and the row's filters in their places: a cell and a sentence may ask one thing."""
    return _asked(expression, expression.node, None)


def _asked(expression: Expression, node: Node, group: str | None) -> Hashable:
    match node:
        case Probe():
            return _probe(scoped(node, expression.filters, group))
        case Call() if node.function in _CHAINS:
            kind, onward = _CHAINS[node.function]
            terms = [(kind, node.args[0]), (onward, node.args[1])]
        case Chain():
            kind = "*" if node.rest[0][0] in "*/" else "+"
            terms = [(kind, node.first), *node.rest]
        case _:
            below = node.column if isinstance(node, Over) else group
            return (_bare(node), tuple(_asked(expression, child, below) for child in children(node)))
    return _chain(kind, [(op, _asked(expression, term, group)) for op, term in terms])


def _chain(kind: str, terms: list[tuple[str, Hashable]]) -> Hashable:
    """Return a sum or a product as one flat set of terms: it is the same whichever way it is written."""
    turned = {"+": "-", "-": "+", "*": "/", "/": "*"}
    flat: list[tuple[str, Hashable]] = []
    for op, term in terms:
        if isinstance(term, _Chain) and term.kind == kind:
            flat += [(inner if op == kind else turned[inner], part) for inner, part in term.terms]
        else:
            flat.append((op, term))
    return _Chain(kind, tuple(sorted(flat, key=repr)))


def _bare(node: Node) -> Hashable:
    """Return a node without what is below it."""
    below = children(node)
    if not below:
        return node
    names = ("function", "side", "op", "how", "column")
    return (type(node).__name__, *(getattr(node, name, None) for name in names))


def _probe(probe: Probe) -> Hashable:
    if probe.name == ("share",):
        some = replace(probe, name=("count",), outer=())
        terms: list[tuple[str, Hashable]] = [
            ("*", _probe(some)),
            ("/", _probe(replace(some, filters=probe.outer))),
        ]
        return _chain("*", terms)
    order = sorted(set(probe.filters), key=lambda item: (item.column, item.op, item.value))
    *column, statistic = probe.name
    name = (*column, _SAME_STATISTIC.get(statistic, statistic)) if column else probe.name
    return replace(probe, filters=tuple(order), name=name)
