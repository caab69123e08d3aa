"""A prompt as parts to look for: five windows spread over it, and every run of four words.

Windows find a copy, whatever was done to its look; runs of words (shingles) find the half of one, a
quotation, and a text with words left out. The share of a prompt's shingles that a file holds is asymmetric
(containment, Broder 1997), which is what a short prompt in a long file needs. Around a shingle that was
found, the words in common in their order tell a copy with many small changes from a phrase in common.
"""

from __future__ import annotations

from benchctl.workspace.leaks.words import normalise, words_of

__all__ = [
    "DECISIVE_ORDER",
    "DECISIVE_SHARE",
    "DECISIVE_WINDOWS",
    "WEAK_SHARE",
    "Prompt",
    "decisive_order",
    "decisive_shingles",
    "decisive_windows",
    "shingles",
    "windows",
]

DECISIVE_WINDOWS = 3
DECISIVE_SHARE = 0.25
DECISIVE_ORDER = 0.6
WEAK_SHARE = 0.10

_WINDOWS = 5
_WINDOW_WORDS = 6
_SHINGLE_WORDS = 4
_FEWEST_WORDS = 8
_FEWEST = 4
"""Fewer shingles in a row are no evidence, however short the prompt is: "in this repository that" is three words of any text."""


def windows(prompt: str) -> tuple[str, ...]:
    """Return up to five windows of six words, spread evenly from the first word to the last."""
    words = normalise(prompt).split()
    last = max(0, len(words) - _WINDOW_WORDS)
    starts = sorted({round(last * part / (_WINDOWS - 1)) for part in range(_WINDOWS)})
    return tuple(f" {' '.join(words[start : start + _WINDOW_WORDS])} " for start in starts if words)


def shingles(prompt: str) -> frozenset[bytes]:
    """Return every different run of four words; none of a prompt that is shorter than that."""
    words = words_of(prompt).split()
    return frozenset(
        b" %b " % b" ".join(words[start : start + _SHINGLE_WORDS])
        for start in range(len(words) - _SHINGLE_WORDS + 1)
    )


def decisive_windows(found: int) -> bool:
    """Say whether so many windows in one file decide."""
    return found >= DECISIVE_WINDOWS


def decisive_shingles(found: int, of: int) -> bool:
    """Say whether so many of a prompt's shingles in one file decide: a quarter of them, and not too few to tell."""
    return of > 0 and found >= min(_FEWEST, of) and found / of >= DECISIVE_SHARE


def decisive_order(found: int, of: int) -> bool:
    """Say whether so many of a prompt's words in their order, in one place, decide."""
    return found >= _FEWEST_WORDS and found / of >= DECISIVE_ORDER


class Prompt:
    """One prompt, ready to be compared word by word with a place in a text."""

    def __init__(self, prompt: str) -> None:
        words = words_of(prompt).split()
        self.words = len(words)
        self._reach = len(words_of(prompt)) * 5 // 4
        self._places: dict[bytes, int] = {}
        for number, word in enumerate(words):
            self._places[word] = self._places.get(word, 0) | 1 << number

    def in_order(self, plain: bytes, at: int) -> int:
        """Return how many words a text has in common with the prompt, in the prompt's order, around a place.

        The length of the longest common subsequence, a bit a word: Hyyrö, "Bit-parallel LCS-length computation
        revisited" (2004).
        """
        near = plain[max(0, at - self._reach) : at + self._reach].split()
        whole = (1 << self.words) - 1
        row = whole
        for word in near:
            matches = row & self._places.get(word, 0)
            row = (row + matches) | (row - matches)
        return self.words - (row & whole).bit_count()
