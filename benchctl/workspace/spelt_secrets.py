"""Secrets that are spelt with escapes in a text, as JSON lets any character be: whoever reads the text decodes them.

`secret_forms` knows a secret as programs write it. Here each of its characters may be written as its number or stand
behind a backslash, in any mixture and inside JSON in JSON, which no table of forms could hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Final

from benchctl.workspace.secret_forms import MIN_LENGTH

__all__ = ["spelt_secrets"]

_BACKSLASHES: Final = r"\\{1,15}"
"""As many as JSON four deep writes; a bound keeps the search linear."""

_LETTERS: Final = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
"""What JSON has a letter for."""


def spelt_secrets(text: str, secrets: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, name) of each secret that is spelt with escapes in a text, from left to right."""
    known = tuple(sorted((name, value) for name, value in secrets.items() if len(value) >= MIN_LENGTH))
    if known and "\\" in text:
        for found in _search(known).finditer(text):
            yield found.start(), found.end(), known[int(str(found.lastgroup)[1:])][0]


@lru_cache(maxsize=8)
def _search(known: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    longest_first = sorted(enumerate(known), key=lambda each: -len(each[1][1]))
    return re.compile("|".join(f"(?P<s{at}>{_spelt(value)})" for at, (_, value) in longest_first))


def _spelt(value: str) -> str:
    parts = []
    for character, run in groupby(value):
        count = len(list(run))
        if character == "\\":
            parts.append(rf"(?:\\{{{count},}}|(?:{_escape(character)}){{{count}}})")
        else:
            plain = re.escape(character)
            behind = "" if character.isalnum() else r"\\{0,15}"
            parts += [f"(?:{behind}{plain}|{_escape(character)})"] * count
    return "".join(parts)


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    coded = "".join(f"{_BACKSLASHES}u(?i:{units[at : at + 4]})" for at in range(0, len(units), 4))
    return f"{coded}|{_BACKSLASHES}{_LETTERS[character]}" if character in _LETTERS else coded
