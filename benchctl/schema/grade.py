"""A grade: a score with every reason for it, so that nobody has to trust the number."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Fact", "Grade"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing the grader looked for or found.

    `state` is `hit` (wanted and there), `missed` (wanted and not there) or `extra`
    (there and not wanted).
    """

    id: str
    state: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Grade:
    """The verdict on one answer. `score` is in [0, 1]; the other figures are null where the grader has none.

    `answered` is false for no answer, an abstention, or one that could not be read.
    """

    score: float
    grader: str
    answered: bool
    precision: float | None = None
    recall: float | None = None
    answer_items: int | None = None
    gold_items: int | None = None
    hit_items: int | None = None
    facts: tuple[Fact, ...] = ()
    note: str = ""
