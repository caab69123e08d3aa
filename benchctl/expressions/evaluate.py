"""A tree and what was measured, in; a value, out. No value is ever made up: what has none is an error."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from benchctl.errors import KindMismatchError, NoRowsError, NullResultError
from benchctl.expressions import arithmetic
from benchctl.expressions.measured import Measured, Value
from benchctl.expressions.names import quantile_of
from benchctl.expressions.probes import bounded, not_expanded, scoped, universes
from benchctl.expressions.show import show
from benchctl.expressions.tree import (
    Bound,
    Call,
    Chain,
    Compare,
    Filter,
    Logical,
    NamedCall,
    Negative,
    Node,
    Not,
    Number,
    Over,
    Probe,
    Text,
    Truth,
)

__all__ = ["evaluate", "evaluate_groups"]

_ZERO_WITHOUT_ROWS: Final = frozenset({("count",), ("share",)})
_OF_TRUTHS: Final[dict[str, Callable[[list[bool]], Value]]] = {
    "all": all,
    "any": any,
    "none": lambda truths: not any(truths),
    "share": lambda truths: sum(truths) / len(truths),
}


def evaluate(node: Node, measured: Mapping[Probe, Measured], *, filters: tuple[Filter, ...] = ()) -> Value:
    """Return the value of `node`: a number, a text, or a truth.

    `measured` answers every probe of `probes(node, filters=filters)`; another is a KeyError.
    Every operand is evaluated, so an error on the far side of an `or` is not hidden.

    Raises leaves of EvaluationError, each a new object, so that a caller may place it.
    """
    return _Evaluation(measured, filters).value(node)


def evaluate_groups(
    over: Over, measured: Mapping[Probe, Measured], *, filters: tuple[Filter, ...] = ()
) -> dict[str | None, Value]:
    """Return the body of `over` for each value of its column: whoever failed `all`, by name; None is no value."""
    return _Evaluation(measured, filters).groups(over)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A node as errors name it; written out only when there is one."""

    node: Node

    def __str__(self) -> str:
        return f"`{show(self.node)}`"


@dataclass(frozen=True, slots=True)
class _Evaluation:
    measured: Mapping[Probe, Measured]
    filters: tuple[Filter, ...]
    column: str | None = None
    group: str | None = None

    def value(self, node: Node) -> Value:  # noqa: PLR0911 - one line a kind of node
        match node:
            case Number() | Text() | Truth():
                return node.value
            case Probe():
                return self._reference(node)
            case Bound():
                return self._bound(node)
            case Compare():
                return self._compare(node)
            case Logical():
                truths = [self._truth(operand) for operand in node.operands]
                return all(truths) if node.op == "and" else any(truths)
            case Not():
                return not self._truth(node.operand)
            case Over():
                return self._over(node)
            case NamedCall():
                raise not_expanded(node)
            case _:
                return self._arithmetic(node)

    def _arithmetic(self, node: Negative | Chain | Call) -> Value:
        match node:
            case Negative():
                return -self._number(node.operand)
            case Chain():
                total = self._number(node.first)
                for op, operand in node.rest:
                    total = arithmetic.apply(op, total, self._number(operand), _Shown(node), _Shown(operand))
                return total
            case _:
                numbers = [self._number(arg) for arg in node.args]
                return arithmetic.call(node.function, numbers, _Shown(node))

    def _number(self, node: Node) -> float | int:
        return arithmetic.number(self.value(node), _Shown(node))

    def _truth(self, node: Node) -> bool:
        value = self.value(node)
        if not isinstance(value, bool):
            raise KindMismatchError(f"`{show(node)}` is neither true nor false", expected="a comparison")
        return value

    def _compare(self, node: Compare) -> bool:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(left, bool | str) and type(left) is type(right) and node.op in {"=", "!="}:
            return (left == right) == (node.op == "=")
        return arithmetic.compare(
            node.op,
            arithmetic.number(left, _Shown(node.left)),
            arithmetic.number(right, _Shown(node.right)),
        )

    def _answer(self, probe: Probe) -> Measured:
        """Return what was measured for the scoped `probe`, in the current group if it is grouped."""
        answer = _sound(self.measured[probe])
        if probe.group_by is None:
            return answer
        found = answer.groups.get(self.group) or _no_rows(probe)
        named = f"`{self.group}`" if self.group is not None else "null"
        return _sound(found, f", for {probe.group_by} {named}")

    def _reference(self, node: Probe) -> Value:
        answer = self._answer(scoped(node, self.filters, self.column))
        if answer.value is None:
            raise NullResultError(f"`{show(node)}` was measured in none of its {answer.count} rows")
        if isinstance(answer.value, bool | str):
            return answer.value
        return arithmetic.number(answer.value, _Shown(node))

    def _bound(self, node: Bound) -> float:
        if not isinstance(node.operand, Probe):
            raise KindMismatchError(
                f"`{show(node.operand)}` has no interval", expected="a comparison of two levels, or a column"
            )
        answer = self._answer(bounded(scoped(node.operand, self.filters, self.column)))
        end = answer.lo if node.side == "lo" else answer.hi
        if end is None:
            raise NullResultError(f"`{show(node.operand)}` has no interval here")
        return end

    def groups(self, over: Over) -> dict[str | None, Value]:
        names: dict[str | None, None] = {}
        for universe in universes(over, self.filters):
            names |= dict.fromkeys(_sound(self.measured[universe]).groups)
        if not names:
            raise NoRowsError(f"no row, so no {over.column} to go through")
        return {
            name: _Evaluation(self.measured, self.filters, over.column, name).value(over.body)
            for name in names
        }

    def _over(self, over: Over) -> Value:
        values = list(self.groups(over).values())
        truths = [value for value in values if isinstance(value, bool)]
        if over.how == "count" and len(truths) == len(values):
            return sum(truths)
        if over.how not in _OF_TRUTHS:
            numbers = [arithmetic.number(value, _Shown(over.body)) for value in values]
            return arithmetic.aggregate(over.how, quantile_of(over.how), numbers, _Shown(over))
        if len(truths) != len(values):
            raise KindMismatchError(f"`{show(over.body)}` is neither true nor false", expected="a comparison")
        return _OF_TRUTHS[over.how](truths)


def _sound(answer: Measured, place: str = "") -> Measured:
    """Return `answer`, or raise a copy of its error: a caller places the copy, others share the answer."""
    if answer.error is None:
        return answer
    error = copy.copy(answer.error)
    error.what += place
    raise error


def _no_rows(probe: Probe) -> Measured:
    if probe.name in _ZERO_WITHOUT_ROWS:
        return Measured(0)
    return Measured(None, error=NoRowsError(f"no row matches `{show(probe)}`"))
