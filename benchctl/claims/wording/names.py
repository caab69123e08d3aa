"""Who a sentence speaks of: the labels of a table's rows and the values that the page's bindings name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["Mention", "Names"]

_WORD = re.compile(r"[^\W\d_][\w-]*")
_NO_NAMES = frozenset(
    {"all", "none", "total", "other", "others", "mean", "median", "average", "overall", "both", "yes", "no", "a", "an", "the", "it",
     "true", "false", "n/a", "best", "worst", "max", "min", "sum", "n", "any", "each", "every", "only", "more", "less", "time", "cost",
     "tokens", "score", "and", "or", "of", "in", "on", "rest", "unknown", "same", "new", "old", "before", "after", "with", "without"}
)  # fmt: skip
_NO_STEMS = frozenset(
    {"code", "open", "test", "tool", "model", "agent", "time", "token", "cost", "file", "line", "search", "question", "answer", "cell",
     "fast", "slow", "more", "less", "read", "call", "table", "page", "large", "small", "base", "plain", "with", "that", "this"}
)  # fmt: skip
_LEAST_STEM = 5
_LIKE = 0.6
_MOST = 200


@dataclass(frozen=True, slots=True)
class Mention:
    """Where a name stands in a text, and whose it is."""

    start: int
    end: int
    name: str


class Names:
    """Names by what they are written as; equal ones but for case and plural are one."""

    def __init__(self, written: Iterable[str], meant: Mapping[str, str] | None = None) -> None:
        meant = meant or {}
        self._names: dict[str, str] = {}
        self._alike: dict[str, str | None] = {}
        self._last: tuple[str, list[Mention]] = ("", [])
        for label in written:
            folded = " ".join(label.casefold().split())
            if len(folded) > 1 and folded not in _NO_NAMES and not folded.replace(".", "").isdigit():
                self._names[folded] = meant.get(folded, folded)
        if len(self._names) > _MOST:
            self._names = {}
        longest = sorted(self._names, key=len, reverse=True)
        choices = "|".join(r"\s+".join(map(re.escape, name.split())) for name in longest)
        self._pattern = (
            re.compile(rf"(?<![\w-])(?:{choices})(?![\w-]|\.\w)", re.IGNORECASE) if choices else None
        )

    @property
    def all(self) -> frozenset[str]:
        """Return every name."""
        return frozenset(self._names.values())

    def find(self, text: str) -> list[Mention]:
        """Return the mentions of a text in order, each name as long as it can be, then plurals and stems of names."""
        if self._pattern is None:
            return []
        if text != self._last[0]:  # A sentence is asked for a few times in a row.
            self._last = (text, self._find(text, self._pattern))
        return self._last[1]

    def _find(self, text: str, pattern: re.Pattern[str]) -> list[Mention]:
        exact = [
            Mention(match.start(), match.end(), self._names[" ".join(match[0].casefold().split())])
            for match in pattern.finditer(text)
        ]
        taken = [(mention.start, mention.end) for mention in exact]
        loose = [
            Mention(match.start(), match.end(), name)
            for match in _WORD.finditer(text)
            if (name := self._like(match[0].casefold()))
            and not any(start < match.end() and match.start() < end for start, end in taken)
        ]
        return sorted([*exact, *loose], key=lambda mention: mention.start)

    def _like(self, word: str) -> str | None:
        """Return the one name of which a word is the plural or the stem: graphs, of graphify."""
        if word not in self._alike:
            self._alike[word] = self._likeness(word)
        return self._alike[word]

    def _likeness(self, word: str) -> str | None:
        stem = word[:-1] if word.endswith("s") and not word.endswith("ss") else word
        if stem in self._names:
            return self._names[stem]
        if len(stem) < _LEAST_STEM or stem in _NO_STEMS:
            return None
        like = {
            name
            for name in self._names
            if name.startswith(stem)
            and len(stem) >= _LIKE * len(name)
            and " " not in name
            and "-" not in name
        }
        return self._names[like.pop()] if len(like) == 1 else None
