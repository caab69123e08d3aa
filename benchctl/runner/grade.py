"""An answer to its grade: the one way that a cell is graded when it ends and years later."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from benchctl.grading import GRADERS
from benchctl.grading.base import Key
from benchctl.grading.text import read_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchctl.schema.grade import Grade
    from benchctl.schema.suite import Question

__all__ = ["grade_answer", "key_of", "trees_in"]

_TREE = r"/benchctl-[a-z0-9_]{8}/cell-[a-z0-9_]{8}/tree"
"""How the tree of a cell ends, in whatever temporary folder it stood: the names that `workspace.cells` gives."""

_IN_TEXT = re.compile(rf"{_TREE}(?=/)")
_IN_ITEM = re.compile(rf"\s*(/.*?{_TREE}|{_TREE})/", re.DOTALL)
_BETWEEN_WORDS = re.compile(r"[\s\"'`()<>\[\]{}*,;]")
_LONGEST_PATH = 4096


def grade_answer(question: Question, items: Sequence[str], answer: str | None, trees: Sequence[str]) -> Grade:
    """Return the grade of an answer; pure and total.

    `items` are the question's key: its gold list, or what `contains` and `path` expect. `trees` are the
    paths of the tree as the agent saw it, which an answer may carry in front of an item.
    """
    return GRADERS[question.grader].grade(key_of(question, items, trees), answer)


def key_of(question: Question, items: Sequence[str], trees: Sequence[str] = ()) -> Key:
    """Return a question's key in the form of its grader."""
    gold, expected = (tuple(items), ()) if question.grader == "gold" else ((), tuple(items))
    return Key(gold=gold, expected=expected, prefixes=tuple(trees))


def trees_in(answer: str | None) -> tuple[str, ...]:
    """Return the paths of cells' trees that an answer names, sorted: what the grader was told when the cell ended.

    The tree is gone and its place is in no column; an answer that does not name it needs it for nothing.
    """
    if answer is None:
        return ()
    items = [item for item in read_list(answer) or () if isinstance(item, str)]
    listed = {match[1] for item in items if (match := _IN_ITEM.match(item))}
    return tuple(sorted({_word(answer, match) for match in _IN_TEXT.finditer(answer)} | listed))


def _word(text: str, match: re.Match[str]) -> str:
    """Return the match with what stands before it in the same word."""
    before = text[max(0, match.start() - _LONGEST_PATH) : match.start()]
    return _BETWEEN_WORDS.split(before)[-1] + match[0]
