"""What a grader is: a pure function from a question's key and an answer to a grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from benchctl.schema.grade import Grade

__all__ = ["Grader", "Key"]


@dataclass(frozen=True, slots=True)
class Key:
    """The answer key of one question: a gold list, or the strings that `contains` and `path` expect.

    `prefixes` are the tree's own paths, which an answer may carry in front of an item.
    """

    gold: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()


class Grader(Protocol):
    """The names a module must have to be a grader."""

    def grade(self, key: Key, answer: str | None) -> Grade:
        """Return the grade. Total: any text, or none, gets a grade in [0, 1] and never an exception."""
        ...

    def right_answer(self, key: Key) -> str:
        """Return an answer that `grade` gives 1, whenever the key can be answered at all."""
        ...
