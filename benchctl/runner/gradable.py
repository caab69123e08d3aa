"""Whether a question can be graded at all: its own key has to get 1, and nothing has to get 0."""

from __future__ import annotations

from collections.abc import Sequence

from benchctl.grading import GRADERS
from benchctl.quantities.format import format_number
from benchctl.runner.grade import grade_answer, key_of
from benchctl.schema.suite import Question

__all__ = ["ungradable"]


def ungradable(question: Question, items: Sequence[str]) -> str | None:
    """Return why the key `items` of a question cannot tell right from wrong; None where it can."""
    right = grade_answer(question, items, GRADERS[question.grader].right_answer(key_of(question, items)), ())
    if right.score != 1:
        return f"its grader {question.grader} gives its own key {format_number(right.score)}, not 1"
    for silence in (None, ""):
        if grade_answer(question, items, silence, ()).score != 0:
            return f"its grader {question.grader} gives no answer at all more than 0"
    return None
