"""Numbers of a change with the word beside them that says which way it went, and which way the run says it went."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchctl.claims.sheet import Claim, Sheet
from benchctl.claims.tables.topics import Topic, better_of, topic_of, words_of
from benchctl.claims.wording.bound import quantity
from benchctl.claims.wording.clauses import clause_around
from benchctl.claims.wording.courses import Course, core_of, course_of
from benchctl.claims.wording.passages import Passage, passage_at
from benchctl.claims.wording.verbs import Said, said_at
from benchctl.expressions import Probe, Value
from benchctl.expressions.tree import Call, Chain
from benchctl.metrics import METRICS

__all__ = ["Changed", "change_at", "is_unsigned"]

_DOUBT = re.compile(
    r"\b(?:not|never|no|nor|neither|none|cannot|may|might|could|would|should|if|whether|unless|expect\w*|hypothes\w*|suppos\w*|predict\w*"
    r"|goals?|targets?|must|hop(?:ed?|es|ing)|assum\w*|instead|rather|without|claim(?:s|ed)?|than\s+expected)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_TURNED = re.compile(
    r"\b(?:speeds?|throughput|performance|efficiency|pace|velocity|gaps?|leads?|margins?|advantages?|distances?|differences?|deficits?"
    r"|savings?|speed-?ups?|slow-?downs?|overheads?|miss\w*|wrong|incorrect\w*|unanswered|unsolved|unresolved|fail\w*|errors?|timeouts?"
    r"|crash\w*|regret|headroom|remain\w*|reductions?|loss(?:es)?|drops?|gains?|increases?|decreases?|void\w*|rejected|skipped|abstained)\b",
    re.IGNORECASE,
)
"""Nouns of what falls where something else rises, or of what is no amount of it."""
_ALIKE: frozenset[frozenset[Topic]] = frozenset(
    {frozenset({"score", "answers"}), frozenset({"time", "calls"})}
)
_AND = re.compile(r"\band\b", re.IGNORECASE)
_NEXT = re.compile(r"\band\b|\d", re.IGNORECASE)
_STEM = 4


@dataclass(frozen=True, slots=True)
class Changed:
    """A bound number of a change: `said` says that it is more (+1) or less (-1), `went` is what the run has, 0 in doubt."""

    passage: Passage
    word: Said
    said: int
    went: int


def change_at(sheet: Sheet, claim: Claim) -> Changed | None:
    """Return what the words beside a claim's number say of a change, and what the run does; None where they say nothing.

    Only prose is read, and only what compares two values of one column.
    """
    atom = claim.atom
    if atom is None or not atom.token.value or claim.row or not _may_compare(claim):
        return None
    if sheet.page.table_at(atom.start):
        return None
    passage = passage_at(sheet, atom.token.start)
    start, end = (passage.offset(at) for at in (atom.token.start, atom.token.end))
    word = None if passage.is_question else said_at(passage.text, start, end)
    course = course_of(sheet, claim) if word and not _DOUBT.search(passage.text[:end]) else None
    if word is None or course is None or not _is_meant(passage, word, (start, end), claim, course):
        return None
    topic = quantity(course.column)
    metric = METRICS.get(course.column)
    better = better_of("", topic) if metric is None or metric.better == "neither" else metric.better
    heading = passage.heading
    title = "" if heading is None or passage.is_heading else passage.page.text[heading.start : heading.end]
    return Changed(passage, word, word.way(topic, better), course.way(passage.text, word.start, title))


def is_unsigned(sheet: Sheet, claim: Claim, value: Value) -> bool:
    """Say whether a word carries the sign of a change, so that its number may go without: "51.6 % faster" of -51.6.

    Only of `change_pct`, `delta` and a difference that came to less than nothing, where the word says less.
    """
    if (
        not isinstance(value, int | float)
        or value >= 0
        or not claim.atom
        or claim.atom.token.text[:1] in "+-\u2212"
    ):
        return False
    node = core_of(claim.expression.node)
    differs = (
        (isinstance(node, Call) and node.function in ("change_pct", "delta"))
        or (isinstance(node, Chain) and [op for op, _ in node.rest] == ["-"])
        or (isinstance(node, Probe) and node.contrast is not None and node.contrast.function == "delta")
    )
    found = change_at(sheet, claim) if differs else None
    return found is not None and found.said < 0 and found.went <= 0


def _may_compare(claim: Claim) -> bool:
    """Whether an expression has two references, or two levels: most claims are of one, and need not be looked at."""
    found = claim.expression.probes
    return len(found) > 1 or any(probe.contrast for probe in found)


def _is_meant(passage: Passage, word: Said, number: tuple[int, int], claim: Claim, course: Course) -> bool:
    """Whether the clause speaks of what the number measures, and of nothing that falls where that rises."""
    nouns = _nouns(passage, word, number)
    own = f"{claim.expression.text} {' '.join(part.value for part in claim.expression.filters)}".casefold()
    if any(match[0].casefold()[:_STEM] not in own for match in _TURNED.finditer(nouns)):
        return False
    topic = quantity(course.column)
    named = {found for noun in words_of(nouns) if (found := topic_of(noun))}
    if topic is None or not named or topic in named:
        return True
    return all(frozenset({topic, other}) in _ALIKE for other in named)


def _nouns(passage: Passage, word: Said, number: tuple[int, int]) -> str:
    """Return the words around a change, its own word taken out; where its clause begins with it, those before as well."""
    text = passage.text
    first, last = min(word.start, number[0]), max(word.end, number[1])
    begin, end = clause_around(text, first)
    lead = _AND.split(text[begin:first])[-1]
    if not lead.strip(" *_`("):
        lead = text[:first]
    tail = text[last : max(last, end, clause_around(text, last)[1])]
    between = text[number[1] : word.start] if word.start > number[0] else text[word.end : number[0]]
    return f"{lead} {between} {_NEXT.split(tail)[0]}"
