"""What the measured values behind a page's bindings say of two things: which has more of which quantity."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from benchctl.claims.sheet import Judged, Sheet
from benchctl.claims.tables.topics import KINDS, Topic, is_general, topic_of, words_of
from benchctl.expressions import Filter, Node, Probe, scoped
from benchctl.expressions.tree import Call, Chain
from benchctl.metrics import METRICS

__all__ = ["PEOPLE", "Asked", "Bound", "Compared", "quantity"]

PEOPLE = ("arm", "agent", "model")
"""Columns whose values a sentence speaks of by name."""
_CENTRAL = frozenset({"mean", "median", "macro", "sum", "p50", ""})
_RATIOS = frozenset({"ratio", "speedup", "paired_ratio", "/"})
_CALLS = frozenset({"ratio", "speedup", "change_pct", "reduction_pct", "delta"})
_ONWARD = frozenset({"change_pct"})


@dataclass(frozen=True, slots=True)
class Compared:
    """One bound number that compares `a` with `b` (folded values of one column): `sign` is +1 where `a` has more.

    `plain` says that it is of the page's run and of all that its scope holds, no part of that.
    """

    start: int
    column: str
    topic: Topic
    a: str
    b: str
    sign: int
    plain: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """Whether `a` has more of a quantity than `b`; None is every other thing.

    Only columns that have `words` speak of it; one of a narrower quantity only where the sentence `said` so.
    """

    a: str
    b: str | None
    topic: Topic
    words: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Value:
    """One bound number of one thing; values with equal `like` are of one quantity, measured alike."""

    start: int
    column: str
    topic: Topic
    name: str
    like: object
    value: float
    plain: bool


_Group = dict[str, float]
"""The values of one quantity, measured alike, by the name of whose each is."""


class Bound:
    """The comparisons and the plain values of a page's bindings, by place."""

    def __init__(self, sheet: Sheet) -> None:
        numeric = [
            item for item in sheet.judged if item.claim.atom and isinstance(item.answer.value, int | float)
        ]
        self._judged = sorted(numeric, key=_place)
        self._compared: dict[tuple[int, int], list[Compared]] = {}
        self._grouped: dict[tuple[int, int], dict[str, list[tuple[_Value, _Group]]]] = {}

    def in_stretch(self, start: int, end: int) -> list[Compared]:
        """Return the comparisons that stand in a raw stretch."""
        if (start, end) not in self._compared:
            self._compared[start, end] = [
                found for item in self._between(start, end) for found in _compared(item)
            ]
        return self._compared[start, end]

    def _between(self, start: int, end: int) -> list[Judged]:
        first, last = (
            bisect_left(self._judged, start, key=_place),
            bisect_right(self._judged, end, key=_place),
        )
        return self._judged[first:last]

    def signs(self, start: int, end: int, asked: Asked) -> list[tuple[int, bool]]:
        """Return for every bound comparison in a raw stretch whether `a` has more (+1), less (-1) or as much (0).

        With each stands whether it is of all that the scope holds.
        """
        found = [
            (sign, item.plain and is_general(_words(item.column), asked.said))
            for item in self.in_stretch(start, end)
            if _speaks_of(item, asked) and (sign := _seen_from(item, asked)) is not None
        ]
        return [*found, *self._pairs(start, end, asked)]

    def _pairs(self, start: int, end: int, asked: Asked) -> Iterator[tuple[int, bool]]:
        for value, group in self._groups(start, end).get(asked.a, []):
            others = [other for name, other in group.items() if name != asked.a and asked.b in (None, name)]
            if others and _speaks_of(value, asked):
                signs = {_sign_of(group[asked.a], other) for other in others}
                plain = value.plain and is_general(_words(value.column), asked.said)
                yield (signs.pop() if len(signs) == 1 else 0), plain

    def _groups(self, start: int, end: int) -> dict[str, list[tuple[_Value, _Group]]]:
        """Return the groups of a stretch by each name in them, one of its values with each."""
        if (start, end) not in self._grouped:
            groups: dict[object, _Group] = defaultdict(dict)
            of_name: dict[str, dict[object, _Value]] = defaultdict(dict)
            for value in (value for item in self._between(start, end) for value in _values(item)):
                groups[value.like][value.name] = value.value
                of_name[value.name][value.like] = value
            self._grouped[start, end] = {
                name: [(value, groups[like]) for like, value in found.items()]
                for name, found in of_name.items()
            }
        return self._grouped[start, end]


def _place(item: Judged) -> int:
    return item.claim.start


def _speaks_of(item: Compared | _Value, asked: Asked) -> bool:
    return item.topic == asked.topic and asked.words <= _words(item.column)


def _sign_of(a: float, b: float) -> int:
    return (a > b) - (a < b)


def _seen_from(item: Compared, asked: Asked) -> int | None:
    if item.a == asked.a and asked.b in (None, item.b):
        return item.sign
    return -item.sign if item.b == asked.a and asked.b in (None, item.a) else None


@lru_cache(maxsize=1024)
def _words(column: str) -> frozenset[str]:
    return frozenset(words_of(column))


def quantity(column: str) -> Topic | None:
    """Return what a column of a run measures."""
    metric = METRICS.get(column)
    if metric and metric.kind in KINDS:
        return KINDS[metric.kind]
    return topic_of(column.replace("_", " "))


def _compared(item: Judged) -> Iterator[Compared]:
    expression, value = item.claim.expression, item.answer.value
    parts = _operands(expression.node)
    if parts is None or not isinstance(value, int | float):
        return
    function, left, right = parts
    a, b = scoped(left, expression.filters), scoped(right, expression.filters)
    apart = set(a.filters) ^ set(b.filters)
    columns = {part.column for part in apart}
    topic = quantity(a.name[0])
    if (
        a.name != b.name
        or a.run != b.run
        or len(columns) != 1
        or any(part.op != "=" for part in apart)
        or not topic
    ):
        return
    first = [part.value.casefold() for part in a.filters if part in apart]
    second = [part.value.casefold() for part in b.filters if part in apart]
    if len(first) == len(second) == 1 and _is_central(a):
        sign = _sign(function, value)
        yield Compared(item.claim.start, a.name[0], topic, first[0], second[0], sign, _is_plain(item, a))


def _is_plain(item: Judged, probe: Probe) -> bool:
    """Whether a probe is of the page's run, and filters no more than the scope does and who is meant."""
    scope = {part.column for part in item.claim.scope.filters}
    return probe.run is None and all(part.column in scope or part.column in PEOPLE for part in probe.filters)


def _operands(node: Node) -> tuple[str, Probe, Probe] | None:
    match node:
        case Call(function=function, args=(Probe() as left, Probe() as right)) if function in _CALLS:
            return function, left, right
        case Chain(first=Probe() as left, rest=(("/" | "-" as op, Probe() as right),)):
            return op, left, right
        case Probe(contrast=contrast) if contrast and contrast.function in ("delta", "paired_ratio"):
            plain = replace(node, contrast=None)
            a, b = (
                replace(plain, filters=(*plain.filters, Filter(contrast.column, "=", level)))
                for level in (contrast.a, contrast.b)
            )
            return contrast.function, a, b
    return None


def _sign(function: str, value: float) -> int:
    """Return whether the first operand has more, by what a function of the two came to."""
    against = 1 if function in _RATIOS else 0
    sign = (value > against) - (value < against)
    return -sign if function in _ONWARD else sign


def _is_central(probe: Probe) -> bool:
    return (probe.name[-1] if len(probe.name) > 1 else "") in _CENTRAL


def _values(item: Judged) -> Iterator[_Value]:
    node, value = item.claim.expression.node, item.answer.value
    if not isinstance(node, Probe) or node.contrast or not isinstance(value, int | float):
        return
    probe = scoped(node, item.claim.expression.filters)
    topic = quantity(probe.name[0])
    if not topic or not _is_central(probe):
        return
    for part in set(probe.filters):
        if part.op == "=":
            rest = frozenset(other for other in probe.filters if other != part)
            like = (item.claim.scope.run, probe.run, probe.name, part.column, rest)
            yield _Value(
                item.claim.start,
                probe.name[0],
                topic,
                part.value.casefold(),
                like,
                float(value),
                _is_plain(item, probe),
            )
