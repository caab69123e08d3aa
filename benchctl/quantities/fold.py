"""Fold the many glyphs of one meaning into one, without moving a single offset.

Every character becomes exactly one character, so a position in the folded text
is a position in the text. What compatibility folding would widen (1 -> many
characters) is left as it is.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = [
    "GLUED_MINUS",
    "HARD_SPACE",
    "HIDDEN",
    "ODD_NUMERAL",
    "SUBSCRIPTS",
    "SUPERSCRIPTS",
    "WALL",
    "flatten",
]

WALL = "\u2029"
"""The end of a block: nothing on its one side says what a number on the other side is."""
HARD_SPACE = "\u00a0"
"""Every space that is no plain one: no-break, thin, figure, ideographic."""
HIDDEN = "\u200b"
"""Every character that a reader cannot see: zero-width, soft hyphen, direction marks."""
GLUED_MINUS = "\u2212"
"""A minus sign between a letter and a figure, the one that stays: no name is joined by it, as by a hyphen.

Behind a single letter it subtracts (`n\u22121`) and is folded like any other.
"""
ODD_NUMERAL = "\u09f4"
"""Numerals that are neither digits nor fractions: circled, Roman, of scripts whose counting nobody here knows."""
SUPERSCRIPTS = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
SUBSCRIPTS = "\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089"
_FRACTIONS = "\u00bc\u00bd\u00be\u2150\u2151\u2152\u2153\u2154\u2155\u2156\u2157\u2158\u2159\u215a\u215b\u215c\u215d\u215e"

_SPELT: dict[str, str] = {
    **dict.fromkeys("\u2212\u2010\u2011\u2012\ufe63\uff0d\u2796", "-"),
    **dict.fromkeys("\u2715\u2716\u2a2f\u2a09", "\u00d7"),
    **dict.fromkeys("\u2248\u2243\u223c\u2245\uff5e", "~"),
    **dict.fromkeys("\u2a7e\u2267\u2273", "\u2265"),
    **dict.fromkeys("\u2a7d\u2266\u2272", "\u2264"),
    **dict.fromkeys("\u2502\u2503\u2551\u254e\u2506", "|"),
    **dict.fromkeys("\u066b", "."),
    **dict.fromkeys("\u066c", ","),
    "\u2019": "'",
    "\u0130": "I",
    # Full-width punctuation parts clauses; read as an ASCII comma it would glue two numbers into one.
    "\uff0c": "\uff0c",
    "\u00ba": "\u00ba",
    "\u00aa": "\u00aa",
    **{char: char for char in SUPERSCRIPTS + "\u207a\u207b" + SUBSCRIPTS + _FRACTIONS},
}
_FEW_GLYPHS = 40
_BLANK_LINES = re.compile(r"\n(?:[ \t\r>]*+\n)++")
_TRUE_MINUSES = "\u2212\u2796\uff0d"
_MINUS_BEHIND_LETTER = re.compile(
    r"(?:(?<=[^\W\d_\u00b2\u00b3\u00b9\u2070-\u209f]{2})|(?<=[\u0394\u03b4\u2206\u2e80-\ud7af]))[\u2212\u2796\uff0d](?=\.?\d)"
)
_WIDE_COMMA = re.compile(r"(?<=[\uff10-\uff19])\uff0c(?=[\uff10-\uff19]{3}(?![\uff10-\uff19]))")


def flatten(text: str) -> str:
    """Return `text` with one glyph for each meaning and the very same length; blank lines become walls."""
    text = _BLANK_LINES.sub(lambda blank: blank[0].replace("\n", WALL), text)
    if text.isascii():
        return text
    grouped = _WIDE_COMMA.sub(",", text) if "\uff0c" in text else text
    strangers = {char for char in set(grouped) if char > "\x7f"}
    flat = _folded(grouped, {char: _fold(char) for char in strangers})
    return _with_glued_minuses(text, flat) if not strangers.isdisjoint(_TRUE_MINUSES) else flat


def _folded(text: str, glyphs: dict[str, str]) -> str:
    """Replace glyphs by their folds; folding twice changes nothing, so that the order does not matter."""
    changing = {char: fold for char, fold in glyphs.items() if fold != char}
    if len(changing) > _FEW_GLYPHS:
        return text.translate({ord(char): fold for char, fold in changing.items()})
    for char, fold in changing.items():
        text = text.replace(char, fold)
    return text


def _with_glued_minuses(text: str, flat: str) -> str:
    places = [found.start() for found in _MINUS_BEHIND_LETTER.finditer(text)]
    if not places:
        return flat
    chars = list(flat)
    for place in places:
        chars[place] = GLUED_MINUS
    return "".join(chars)


@lru_cache(maxsize=4096)
def _fold(char: str) -> str:
    if char in _SPELT:
        return _SPELT[char]
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category in ("No", "Nl"):
        return ODD_NUMERAL
    if category == "Zs":
        return HARD_SPACE
    if category == "Cf":
        return HIDDEN
    folded = unicodedata.normalize("NFKC", char)
    return char if len(folded) != 1 or folded == char else _fold(folded)
