"""Set F1 of a JSON list against a gold list.

With A the distinct items answered and G the distinct gold items: precision = |A∩G|/|A|,
recall = |A∩G|/|G|, score = F1 = 2·|A∩G| / (|A|+|G|). Items are compared exactly, after
`text.normalise_item`. No answer, an empty list and anything that is no JSON list score 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from benchctl.grading.base import Key
from benchctl.grading.text import clip, item_text, normalise_item, read_list
from benchctl.schema.grade import Fact, Grade

__all__ = ["NAME", "grade", "right_answer"]

NAME = "gold"

_MOST_EXTRAS = 100
"""Extra items named one by one; the rest is counted in the note."""


def grade(key: Key, answer: str | None) -> Grade:
    """Return the grade; total.

    An item that is no string is compared by its JSON, so it lowers precision instead of vanishing.
    """
    gold = {normalise_item(item_text(item)) for item in key.gold}
    listed = read_list(answer) if answer is not None else None
    if not listed:
        return _unanswered(gold, _why(answer, listed))
    answered = {normalise_item(item_text(item), key.prefixes) for item in listed}
    hits = gold & answered
    extras = sorted(answered - gold)
    return Grade(
        score=2 * len(hits) / (len(answered) + len(gold)),
        grader=NAME,
        answered=True,
        precision=len(hits) / len(answered),
        recall=len(hits) / len(gold) if gold else None,
        answer_items=len(answered),
        gold_items=len(gold),
        hit_items=len(hits),
        facts=(
            *_facts(hits, "hit"),
            *_facts(gold - answered, "missed"),
            *_facts(extras[:_MOST_EXTRAS], "extra"),
        ),
        note=_note(len(hits), len(gold), extras),
    )


def right_answer(key: Key) -> str:
    """Return an answer that has to get 1: the list itself."""
    return json.dumps(list(key.gold), ensure_ascii=False)


def _unanswered(gold: set[str], why: str) -> Grade:
    return Grade(
        score=0.0,
        grader=NAME,
        answered=False,
        recall=0.0 if gold else None,
        answer_items=0,
        gold_items=len(gold),
        hit_items=0,
        facts=_facts(gold, "missed"),
        note=why,
    )


def _why(answer: str | None, listed: list[object] | None) -> str:
    if answer is None or not answer.strip():
        return "no answer"
    return "the answer is not a JSON list" if listed is None else "an empty list"


def _note(hits: int, gold: int, extras: list[str]) -> str:
    unnamed = max(0, len(extras) - _MOST_EXTRAS)
    more = f", of which {unnamed} are not named here" if unnamed else ""
    return f"{hits} of {gold} found, {len(extras)} extra{more}"


def _facts(items: Iterable[str], state: str) -> tuple[Fact, ...]:
    return tuple(Fact(clip(item), state) for item in sorted(items))
