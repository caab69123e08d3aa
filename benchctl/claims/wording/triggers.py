"""Where a long text holds one of some phrases: looked for by their words first, for most words of a page are none of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = ["Triggers", "words_in"]

_PART = re.compile(r"\w")


@dataclass(frozen=True)
class Triggers:
    """A pattern, and `words` of which each of its matches begins with one, in lower case, a part of a word being enough.

    `inner` are such words inside of what begins with a figure or a little word; `reach` is how far before them it may.
    `behind` matches right behind each of them, where something has to.
    """

    pattern: re.Pattern[str]
    words: tuple[str, ...]
    inner: tuple[str, ...] = ()
    reach: int = 24
    behind: re.Pattern[str] | None = None

    def found(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches of the pattern in order, none over another, as its `finditer` does."""
        lower = _lowered(text)
        done = 0
        for at, leads in sorted(_places(lower, self.words, self.inner, self.behind)):
            if at < done:
                continue
            if leads:
                match = self.pattern.match(text, at) if not _within_word(lower, at) else None
            else:
                match = self.pattern.search(text, max(done, at - self.reach), at + 2 * self.reach)
            if match:
                done = match.end()
                yield match


def words_in(phrases: Iterable[str]) -> tuple[str, ...]:
    """Return the first words of some phrases, each once."""
    return tuple(sorted({phrase.split()[0] for phrase in phrases}))


def _lowered(text: str) -> str:
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(char.lower()[:1] for char in text)


def _places(
    lower: str, words: Iterable[str], inner: Iterable[str], behind: re.Pattern[str] | None
) -> Iterator[tuple[int, bool]]:
    for some, leads in ((words, True), (inner, False)):
        for word in some:
            at = lower.find(word)
            while at >= 0:
                if leads or behind is None or behind.match(lower, at + len(word)):
                    yield at, leads
                at = lower.find(word, at + 1)


def _within_word(lower: str, at: int) -> bool:
    return at > 0 and _PART.match(lower, at - 1) is not None
