"""Whether an answer names the one expected path.

1 for the path itself, alone or at the end of a longer one; 0.5 for another path with the
same file name; 0 otherwise. Every value is divided by the number of distinct paths that
the answer names, so that listing a folder is no way to find a file in it.

A path is read out of a sentence as well: a word with a file extension that starts with a
letter (`v2.0` is none), or one that fits an expected path. Where several paths are
expected, any of them will do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchctl.grading.base import Key
from benchctl.grading.text import clip, item_text, normalise_item
from benchctl.schema.grade import Fact, Grade

__all__ = ["NAME", "grade", "right_answer"]

NAME = "path"

_AROUND = "\"'`*()[]{}<>,;:!?"
_LINE = re.compile(r"(:\d+)+$")
_EXTENSION = re.compile(r"[^/]\.[A-Za-z]\w*$")


def grade(key: Key, answer: str | None) -> Grade:
    """Return the grade; total."""
    expected = sorted({_path(item_text(path), key.prefixes) for path in key.expected} - {""})
    words = {_path(word, key.prefixes) for word in item_text(answer or "").split()}
    named = sorted(word for word in words if _EXTENSION.search(word) or _nearness(word, expected) == 1)
    best = max((_nearness(path, expected) for path in named), default=0.0)
    return Grade(
        score=best / max(1, len(named)),
        grader=NAME,
        answered=bool(named),
        answer_items=len(named),
        facts=(
            *(Fact(clip(path), "hit" if _nearness(path, expected) == 1 else "extra") for path in named),
            *(Fact(clip(path), "missed") for path in expected if best < 1),
        ),
        note=_note(best, len(named)),
    )


def right_answer(key: Key) -> str:
    """Return an answer that has to get 1: an expected path."""
    return key.expected[0] if key.expected else ""


def _path(word: str, prefixes: Sequence[str]) -> str:
    bare = _LINE.sub("", word.strip(_AROUND).rstrip(".")).strip(_AROUND)
    return normalise_item(bare, prefixes).lstrip("/")


def _nearness(path: str, expected: Sequence[str]) -> float:
    """Return 1 for an expected path or one that ends in it, 0.5 for its file name elsewhere, else 0."""
    if any(path == wanted or path.endswith(f"/{wanted}") for wanted in expected):
        return 1.0
    return 0.5 if path.rpartition("/")[2] in {wanted.rpartition("/")[2] for wanted in expected} else 0.0


def _note(best: float, named: int) -> str:
    what = {1.0: "the expected path", 0.5: "its file name only"}.get(best, "not the expected path")
    count = "1 path" if named == 1 else f"{named} paths"
    return f"{what}; {count} named" if named else "no path named"
