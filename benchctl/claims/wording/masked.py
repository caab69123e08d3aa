"""A sentence with every name in it masked, so that patterns can say where a name must stand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchctl.claims.wording.names import Mention

__all__ = ["NAME", "NUMBERS", "THINGS", "Masked", "noun_left"]

_MASK = "\ua66e"
"""A letter that no page uses, so that a masked name is a word to every pattern."""
NAME = f"{_MASK}+"
"""The pattern of a name."""
NUMBERS: dict[str, int] = {
    word: value
    for value, word in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 2
    )
}
"""Small numbers by their word."""
THINGS = frozenset(
    {"arm", "arms", "set-up", "set-ups", "setup", "setups", "tool", "tools", "agent", "agents", "model", "models", "one", "ones", "row",
     "rows", "backend", "backends", "configuration", "configurations", "variant", "variants", "system", "systems", "method", "methods"}
)  # fmt: skip
"""What the rows of a table are called in general."""
_IDLE = frozenset(
    {"of", "all", "the", "them", "these", "our", "overall", "here", "by", "far", "in", "run", "table", "this", "benchmark", "everything",
     "other", "others", "clearly", "easily", "again", "too", "also", "s", *NUMBERS}
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_][\w-]*|\d+")


class Masked:
    """A text with its names masked; every offset is one of the text."""

    def __init__(self, text: str, mentions: Sequence[Mention]) -> None:
        pieces, position = [], 0
        for mention in mentions:
            pieces += [text[position : mention.start], _MASK * (mention.end - mention.start)]
            position = mention.end
        self.text = "".join([*pieces, text[position:]])
        self._names = {mention.start: mention.name for mention in mentions}

    def name(self, start: int) -> str | None:
        """Return whose name begins at an offset."""
        return self._names.get(start)


def noun_left(text: str, keys: frozenset[str]) -> str:
    """Return what a phrase says beyond "of all the four arms": "" where it limits nothing.

    `keys` are the words that the table beside it calls its rows by.
    """
    words = [word.casefold() for word in _WORD.findall(text)]
    return " ".join(
        word for word in words if word not in _IDLE and word not in THINGS and word.rstrip("s") not in keys
    )
