"""The share of expected strings that an answer holds, compared as folded literals.

Text is prepared by `text.fold` on both sides, so that `**a-b**` holds "a b". The grader
cannot see whether a string is asserted or denied; a question where that matters needs a
checklist.
"""

from __future__ import annotations

from benchctl.grading.base import Key
from benchctl.grading.text import clip, fold, item_text
from benchctl.schema.grade import Fact, Grade

__all__ = ["NAME", "grade", "right_answer"]

NAME = "contains"


def grade(key: Key, answer: str | None) -> Grade:
    """Return the grade; total. An expected string that folds to nothing is never found."""
    text = fold(answer or "")
    wanted = sorted({item_text(needle) for needle in key.expected})
    found = {needle for needle in wanted if fold(needle) and fold(needle) in text}
    facts = (Fact(clip(needle), "hit" if needle in found else "missed") for needle in wanted)
    share = len(found) / len(wanted) if wanted else 0.0
    return Grade(
        score=share,
        grader=NAME,
        answered=bool(text),
        recall=share if wanted else None,
        gold_items=len(wanted),
        hit_items=len(found),
        facts=tuple(facts),
        note=f"{len(found)} of {len(wanted)} found" if text else "no answer",
    )


def right_answer(key: Key) -> str:
    """Return an answer that has to get 1: every expected string, each on its line."""
    return "\n".join(key.expected)
