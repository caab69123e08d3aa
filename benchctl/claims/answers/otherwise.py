"""What an expression would say of other data: one that says the same of all of them says nothing of these.

The data are moved inside what they may be: a share stays between 0 and 1, anything else goes up, down,
to nothing and far away. Each reference moves on its own way, so that a difference moves too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from benchctl.claims.answers.kin import Kin, canonical
from benchctl.claims.answers.nature import nature
from benchctl.errors import EvaluationError
from benchctl.expressions import (
    Filter,
    Measured,
    Node,
    Over,
    Probe,
    Value,
    evaluate,
    evaluate_groups,
    is_vacuous,
    same_value,
    scoped,
    show,
)
from benchctl.expressions.tree import Call, Chain, Compare, Logical, Not, children, with_children

__all__ = ["Data", "Same", "dead_parts", "is_of_all", "todays", "winners"]

_ELSEWHERE = ((0.0, 0, 0.0), (1000.0, 12345, 1.0), (1.0, 7, 0.618), (0.5, 3, 0.382), (3.0, 1, 0.755))
"""How data are moved: a share to the third times its reference's place, modulo 1; anything else times the first
and as much more as that share, plus the second times its place."""

_FREE = frozenset({"count", "n", "distinct", "share"})
"""What counts groups moves as a whole: the groups themselves stay."""

Same = Callable[[Value, Value], bool]


@dataclass(frozen=True, slots=True)
class Data:
    """The answers that an expression is evaluated over, today's first, and the filters of its scope.

    `column` is what it goes through inside `all`, `any`, `none` and `… over`.
    """

    sets: tuple[Mapping[Probe, Measured], ...]
    filters: tuple[Filter, ...]
    column: str | None = None

    def values(self, node: Node, answers: Mapping[Probe, Measured]) -> dict[str | None, Value] | None:
        """Return the value of a node for each group (None where there are none); None for an error."""
        try:
            if self.column is None or is_vacuous(node):
                return {None: evaluate(node, answers, filters=self.filters)}
            return evaluate_groups(Over("mean", self.column, node), answers, filters=self.filters)
        except EvaluationError:
            return None

    def moves(self, node: Node, same: Same) -> bool:
        """Whether a node's value is another one over any of the moved data.

        An error there is no other value, unless there is nothing but errors. What has no value today moves.
        """
        today, *others = (self.values(node, answers) for answers in self.sets)
        told = [values for values in others if values is not None]
        if today is None or not told:
            return True
        return any(
            not same(value, values[name])
            for values in told
            for name, value in today.items()
            if name in values
        )


def todays(
    known: Mapping[Probe, Measured],
    probes: tuple[Probe, ...],
    filters: tuple[Filter, ...],
    steady: Collection[Probe] = (),
) -> Data:
    """Return today's answers of `probes` and what they are moved to. What asks the same of the same rows moves as one.

    No data can move the `steady`.
    """
    places: dict[Probe, int] = {}
    for probe in probes:
        places.setdefault(canonical(probe), len(places) + 1)

    def elsewhere(how: tuple[float, int, float]) -> dict[Probe, Measured]:
        def move(same: Probe, answer: Measured) -> Measured:
            place = places.setdefault(same, len(places) + 1)
            return _moved(answer, how, place, share=_is_share(same))

        kin = Kin.of(known, probes, move)
        return {
            probe: (known[probe] if probe in steady else None)
            or _told(known[probe], _ELSEWHERE.index(how))
            or kin.moved(probe)
            for probe in probes
        }

    today = {probe: known[probe] for probe in probes}
    return Data((today, *map(elsewhere, _ELSEWHERE)), filters)


def is_of_all(probe: Probe) -> bool:
    """Whether a reference is the share of all the rows that it is of: 1, whatever these are."""
    is_share = probe.name == ("share",) and probe.contrast is None and probe.group_by is None
    scope = replace(probe, filters=probe.outer)
    return is_share and probe.query is None and canonical(probe).filters == canonical(scope).filters


def _told(answer: Measured, index: int) -> Measured | None:
    """Return what SQL was found to say of other data; None where that was not asked, or nobody can tell."""
    if answer.elsewhere is None:
        return None
    values = answer.elsewhere or (answer.value,)
    return replace(answer, value=values[index % len(values)])


def _is_share(probe: Probe) -> bool:
    return nature(probe).unit == "fraction" and probe.contrast is None and probe.name[-1] != "sum"


def _moved(answer: Measured, how: tuple[float, int, float], place: int, *, share: bool) -> Measured:
    factor, step, turn = how

    def other(value: Value | None, beside: int = 0) -> Value | None:
        match value:
            case bool():
                return not value
            case int() | float() if share:
                return turn if turn in (0.0, 1.0) else math.fmod(turn * (place + beside), 1.0)
            case int() | float():
                moved = value * factor * (1 + math.fmod(turn * (place + beside), 1.0)) + step * (
                    place + beside
                )
                return int(moved) if isinstance(value, int) else moved
            case str():
                return f"{value}{step}"
            case None:
                return None

    lo, hi = other(answer.lo, 1), other(answer.hi, 2)
    return replace(
        answer,
        value=other(answer.value),
        lo=lo if isinstance(lo, int | float) else None,
        hi=hi if isinstance(hi, int | float) else None,
        groups={
            name: _moved(group, how, place + index, share=share)
            for index, (name, group) in enumerate(answer.groups.items())
        },
    )


def winners(node: Node, data: Data) -> Node:
    """Return the node with each `min` and `max` replaced by the argument that it is today.

    Of equal ones it is the one that refers to data. In groups it must win in all of them.
    """
    if isinstance(node, Over):
        return node
    node = with_children(node, tuple(winners(child, data) for child in children(node)))
    if not isinstance(node, Call) or node.function not in ("min", "max"):
        return node
    whole = data.values(node, data.sets[0])
    won = [arg for arg in node.args if data.values(arg, data.sets[0]) == whole]
    return min(won, key=is_vacuous) if whole and won else node


def dead_parts(node: Node, data: Data, same: Same) -> list[Node]:
    """Return the parts of an expression that no data can move.

    Of a comparison a side must move, and the two sides not as one; of `and`, `or` and `not` every operand; of
    what goes through groups its body. A number must move as a whole, which `same` decides.
    """
    groups = _Groups(data)
    freed = groups.freed(node)
    return groups.dead or list(_dead(freed, groups.data, same))


def _dead(node: Node, data: Data, same: Same) -> Iterator[Node]:
    match node:
        case Not() | Logical():
            for operand in children(node):
                yield from _dead(operand, data, same)
        case Over(how="all" | "any" | "none"):
            yield from _dead(node.body, replace(data, column=node.column), same)
        case Compare():
            if not _compares(node, data):
                yield node
        case _:
            pinned = winners(node, data)
            if is_vacuous(pinned) or not data.moves(pinned, same):
                yield node


def _compares(node: Compare, data: Data) -> bool:
    """Whether a comparison tells data from others: its two sides are not always as far apart as they are today."""
    left, right = winners(node.left, data), winners(node.right, data)
    if is_vacuous(left) and is_vacuous(right):
        return False
    gap = Chain(left, (("-", right),))
    if data.values(gap, data.sets[0]) is not None:
        return data.moves(gap, same_value)
    # Texts and truths have no distance.
    return left != right and (data.moves(left, _equal) or data.moves(right, _equal))


class _Groups:
    """Puts a reference of its own in the place of each count of groups, which then moves as a whole.

    `count over question: score.mean = 0.5` may be 0 over every data tried here, and is no less a result.
    `dead` are the conditions in them that no data can move.
    """

    def __init__(self, data: Data) -> None:
        self._given = data
        self._answers: tuple[dict[Probe, Measured], ...] = tuple({} for _ in data.sets)
        self.dead: list[Node] = []

    @property
    def data(self) -> Data:
        """Return the answers with those of the new references."""
        sets = zip(self._given.sets, self._answers, strict=True)
        return replace(self._given, sets=tuple({**given, **own} for given, own in sets))

    def freed(self, node: Node) -> Node:
        """Return the node with its counts of groups replaced."""
        if not isinstance(node, Over):
            return with_children(node, tuple(self.freed(child) for child in children(node)))
        values = self._given.values(node, self._given.sets[0])
        if node.how not in _FREE or values is None or is_vacuous(node.body):
            return node
        if isinstance(node.body, Compare | Logical | Not):
            self.dead += _dead(node.body, replace(self._given, column=node.column), _equal)
        # No column has such a name, so it meets no other reference.
        name = (show(node),)
        today = Measured(values[None])
        moved = (_moved(today, how, 1, share=node.how == "share") for how in _ELSEWHERE)
        for answers, answer in zip(self._answers, (today, *moved), strict=True):
            answers[scoped(Probe(name), self._given.filters)] = answer
        return Probe(name)


def _equal(left: Value, right: Value) -> bool:
    return left == right
