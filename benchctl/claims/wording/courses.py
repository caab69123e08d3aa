"""Which way the values behind a bound comparison go: from which operand to which, as far as that is beyond doubt.

`change_pct` and `reduction_pct` say by the order of their arguments what was before. Of a difference or a ratio the
sentence says it by whom it names, or the operands do: one of the page's run, the other of an earlier one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from benchctl.claims.sheet import Claim, Sheet
from benchctl.claims.wording.names import Names
from benchctl.expressions import Node, Probe, probes, scoped
from benchctl.expressions.tree import Call, Chain, Negative, Number

__all__ = ["Course", "Side", "core_of", "course_of"]

_ARROWS = frozenset({"change_pct", "reduction_pct"})
_OF_TWO = frozenset({"delta", "ratio", "speedup"})
_SHELLS = frozenset({"abs", "round"})
_CONTRASTS = {"delta": 0.0, "paired_ratio": 1.0}
"""Comparisons of two levels -> what they come to where the levels have equal values."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FIGURES = re.compile(rf"\d{{1,12}}|(?<![a-z])(?:{'|'.join(_MONTHS)})")
_HELD_AGAINST = (
    r"(?:\b(?:than|from|since|against|versus|over|(?:compared|relative)\s+(?:to|with)|below|above|behind)|\bvs\.?)"
    r"\W*(?:(?:in|the|of|run|that|those|its|it\s+was)\W+){0,3}"
)
_AGAINST = re.compile(rf"{_HELD_AGAINST}$", re.IGNORECASE)
_TO = re.compile(rf"(?:{_HELD_AGAINST}|\b(?:to|as|unlike)\W*(?:the\W+)?)$", re.IGNORECASE)
_ONTO = re.compile(
    r"\b(?:from\b[^.;]{1,40}?|(?:switch|mov|chang|go|turn|migrat)\w*)\s+(?:over\s+)?to\W*$", re.IGNORECASE
)
"""Before what is come to: "from grep to graphify", "switching to graphify"."""
_GIVEN_UP = re.compile(
    r"\b(?:by|dropping|removing|leaving|replac\w+|avoiding|skipping|abandoning|excluding|disabling|losing)\W*(?:the\W+)?$",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:earlier|previous(?:ly)?|older?|last|former(?:ly)?|then|prior|original(?:ly)?|before|used\s+to|once|ago|later|after\w*|next|newer?)\b",
    re.IGNORECASE,
)
_LEAST_PART = 2


@dataclass(frozen=True, slots=True)
class Side:
    """One operand: its value, the declared run it is of (None for the page's), and whose it is, by folded filter values."""

    value: float
    run: str | None
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Course:
    """Two operands in the order of their comparison: `sign` is +1 where the first has more than the second.

    `onward` says that the comparison itself goes from the second to the first. `column` is what both measure.
    `later` says that the other run is the later one: then nobody knows which of the two a page speaks of.
    """

    first: Side
    second: Side
    column: str
    sign: int
    onward: bool
    later: bool

    def way(self, text: str, at: int, heading: str) -> int:
        """Return whether what a sentence speaks of has more (+1) or less (-1) than what it is held against; 0 in doubt.

        `at` is where in the sentence the word stands that says so.
        """
        named = self._by_name(text, at)
        if named:
            return named * self.sign
        if self.onward:
            return self.sign
        return self._by_run(text, heading) * self.sign

    def _by_name(self, text: str, at: int) -> int:
        """Return +1 where the sentence speaks of the first, -1 where of the second, by their names; 0 where of neither."""
        first, second = self.first.names - self.second.names, self.second.names - self.first.names
        if len(first) != 1 or len(second) != 1 or self.first.run != self.second.run:
            return 0
        [a], [b] = first, second
        subjects: set[str] = set()
        objects: set[str] = set()
        for mention in _names_of(a, b).find(text):
            before = text[: mention.start]
            against = _TO.search(before) and not _ONTO.search(before)
            if _GIVEN_UP.search(before) or (not against and mention.start > at):
                return 0  # "25 points lower, and grep": who is meant stands before the word
            (objects if against else subjects).add(mention.name)
        if len(subjects) > 1 or len(objects) > 1 or subjects & objects:
            return 0
        if subjects:
            return 1 if subjects == {a} else -1
        return (-1 if objects == {a} else 1) if objects else 0

    def _by_run(self, text: str, heading: str) -> int:
        """Return the same by their runs: a page speaks of its own, unless the sentence names the other one."""
        runs = {self.first.run, self.second.run}
        if len(runs) != 2 or None not in runs or self.first.names != self.second.names:
            return 0
        other = next(run for run in runs if run)
        if self.later:
            return 0
        for said in (text, heading):
            for match in (*_EARLIER.finditer(said), *_named(other).finditer(said)):
                if not _AGAINST.search(said[: match.start()]):
                    return 0
        return 1 if self.first.run is None else -1


@lru_cache(maxsize=256)
def _names_of(a: str, b: str) -> Names:
    """Return the names of two things."""
    return Names((a, b))


@lru_cache(maxsize=256)
def _named(run: str) -> re.Pattern[str]:
    """Return a pattern of a run's id, or of the last part of one."""
    parts = [run, *(part for part in re.split(r"[-_.]", run)[-1:] if len(part) >= _LEAST_PART)]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, parts))})(?![\w-])", re.IGNORECASE)


def course_of(sheet: Sheet, claim: Claim) -> Course | None:
    """Return the two values that a claim's expression compares; None where it compares no two of one column."""
    node = core_of(claim.expression.node)
    if isinstance(node, Probe):
        return _contrasted(sheet, claim, node)
    pair = _pair(node)
    if pair is None:
        return None
    first, second, onward = pair
    sides = [_side(sheet, claim, operand) for operand in (first, second)]
    columns = {probe.name[0] for operand in (first, second) for probe in probes(operand)}
    if sides[0] is None or sides[1] is None or len(columns) != 1:
        return None
    sign = (sides[0].value > sides[1].value) - (sides[0].value < sides[1].value)
    later = any(_is_later(sheet, side.run, claim.scope.run) for side in sides if side and side.run)
    return Course(sides[0], sides[1], columns.pop(), sign, onward, later)


def core_of(node: Node) -> Node:
    """Return a comparison without what only scales, rounds or turns it: `100 * delta(a, b)`, `abs(round(…, 1))`."""
    match node:
        case Negative():
            return core_of(node.operand)
        case Call(args=(inner, *_)) if node.function in _SHELLS:
            return core_of(inner)
        case Chain() if all(op in "*/" for op, _ in node.rest):
            operands = (node.first, *(operand for _, operand in node.rest))
            scaled = [operand for operand in operands if not isinstance(operand, Number)]
            return core_of(scaled[0]) if len(scaled) == 1 else node
    return node


def _pair(node: Node) -> tuple[Node, Node, bool] | None:
    """Return the two operands of a comparison, and whether it goes from the second to the first."""
    match node:
        case Call(args=(a, b)) if node.function in _ARROWS:
            return b, a, True
        case Call(args=(a, b)) if node.function in _OF_TWO:
            return a, b, False
        case Chain() if _subtracts(node):
            # `a - b`, `a / b`, `(a - b) / b`, `1 - a / b`: of two references, whatever is between them.
            leaves = probes(node)
            return (
                (leaves[0], leaves[1], False)
                if len(leaves) == 2 and leaves[0].name == leaves[1].name
                else None
            )
    return None


def _subtracts(node: Node) -> bool:
    """Whether it is made of references, figures, differences and quotients, and nothing is added up."""
    if isinstance(node, Chain):
        operands = (node.first, *(operand for _, operand in node.rest))
        figures = all(op != "+" or isinstance(operand, Number) for op, operand in node.rest)
        return figures and all(map(_subtracts, operands))
    return isinstance(node, Number | Probe)


def _contrasted(sheet: Sheet, claim: Claim, probe: Probe) -> Course | None:
    """Return the course of `delta(score.macro, arm=a, arm=b)`, whose levels have no value of their own here."""
    contrast = probe.contrast
    if contrast is None or contrast.function not in _CONTRASTS:
        return None
    answer = sheet.lookup.answer(replace(claim.expression, node=probe), claim.scope.run)
    if not isinstance(answer.value, int | float):
        return None
    against = _CONTRASTS[contrast.function]
    sides = [Side(against, None, frozenset({name.casefold()})) for name in (contrast.a, contrast.b)]
    sign = (answer.value > against) - (answer.value < against)
    return Course(sides[0], sides[1], probe.name[0], sign, onward=False, later=False)


def _is_later(sheet: Sheet, other: str, own: str) -> bool:
    """Whether another run may be the later one: by the records where both were collected, or by the figures of the ids."""
    runs = [sheet.lookup.runs.get(name) for name in (other, own)]
    began = [run.record.created_at for run in runs if run and run.record.imported is None]
    stamps = [_stamp(name) for name in (other, own)]
    by_record = len(began) == len(runs) and began[0] > began[1]
    return by_record or (len(stamps[0]) == len(stamps[1]) and stamps[0] > stamps[1])


def _stamp(run: str) -> list[int]:
    """Return the figures of a run's id, months by their name among them."""
    found = _FIGURES.findall(run.casefold())
    return [int(figure) if figure.isdigit() else _MONTHS.index(figure) + 1 for figure in found]


def _side(sheet: Sheet, claim: Claim, node: Node) -> Side | None:
    expression = replace(claim.expression, node=node)
    answer = sheet.lookup.answer(expression, claim.scope.run)
    if not isinstance(answer.value, int | float) or isinstance(answer.value, bool):
        return None
    found = [scoped(probe, expression.filters) for probe in probes(node, filters=())]
    runs = {probe.run if probe.run != claim.scope.run else None for probe in found}
    names = frozenset(part.value.casefold() for probe in found for part in probe.filters if part.op == "=")
    other = frozenset(part.value for probe in found for part in probe.filters if part.op != "=")
    return Side(float(answer.value), runs.pop(), names | other) if len(runs) == 1 else None
