"""Numbers that a word makes a name: "Table 2", "line 42", "Python 3.11", "seed 7", "in May 2026".

A word names a number only where it is glued to it by one space, and only a number of the
shape that such names have: "tokens per question 977", "Claude 0.977" and "Table 977 cells" are
results. The lists are closed on purpose: what they do not hold stays a claim.
"""

from __future__ import annotations

import re

from benchctl.quantities.dates import is_year_end
from benchctl.quantities.fold import HARD_SPACE
from benchctl.quantities.vocabulary import (
    ABBREVIATED,
    COUNTED,
    LABELS,
    LIBRARIES,
    LIBRARY,
    MACHINES,
    MODEL,
    MODEL_NUMBER,
    MODELS,
    MONTHS,
    NAMING,
    OPENING,
    PRODUCT,
    PRODUCTS,
    QUANTIFIED,
    QUARTER,
    RELEASES,
    SMALL,
    SMALL_PRODUCTS,
    STATUS,
    VERBS,
    YEAR,
    YEAR_WORDS,
    Label,
)

__all__ = ["counts_follow", "reference_of", "required_version"]

_FOLLOWING = re.compile(
    rf"(?:[ {HARD_SPACE}]|\r?\n {{0,4}})(?P<first>[A-Za-z]{{2,20}})(?![A-Za-z0-9_])(?:[ {HARD_SPACE}](?P<second>[a-z]{{3,20}})(?![A-Za-z0-9_]))?"
)
_WORD_BEFORE = re.compile(
    rf"(?<![\w-])(?P<word>[\w\u2116\u00a9]{{1,16}}|\(c\))(?P<dot>\.?)(?P<gap>[ {HARD_SPACE}])\Z"
)
_GAPS = (" ", HARD_SPACE)
_COMPARING = frozenset("><=~\u2265\u2264")
_SIGNS = ("\u2116", "\u00a9")
_LONGEST_WORD = 17
_EARLIER = re.compile(rf"(?<!\w)(?P<word>[A-Za-z]{{1,12}})[ {HARD_SPACE}]\Z")
_SHORT = {"no": "rank", "nr": "rank", "p": "section", "pp": "section"}
_SHAPES = ((PRODUCTS, PRODUCT), (LIBRARIES, LIBRARY), (MODELS, MODEL), (MACHINES, MODEL_NUMBER))
_AT_LEAST = re.compile(r"(?<!\w)(?P<word>[A-Za-z]{3,10}) ?(?:>=?|<=?|\u2265|\u2264|~) ?\Z")
_OF_NUMBER = re.compile(r" of (?:(?:the|its|all|their) )?[0-9]")
_MINOR = re.compile(r"[1-9][0-9]?\.[0-9]{1,2}")


def reference_of(flat: str, start: int, stop: int, end: int) -> str:
    """Return the kind that the word before the figures `flat[start:stop]` makes of them; "" where none does."""
    glyph = flat[start - 1 : start]
    if glyph == "\u2116":
        return "rank"
    digits = flat[start:stop]
    if glyph not in _GAPS or not _names(flat, start - 1):
        compared = glyph in _COMPARING or flat[max(0, start - 2) : start - 1] in _COMPARING
        return (required_version(flat, start, digits) if compared else "") or _leading_zero(digits)
    before = _WORD_BEFORE.search(flat, max(0, start - 19), start)
    if before is None or (before["dot"] and before["word"].lower() not in ABBREVIATED):
        return _leading_zero(digits)
    return _by_word(flat, before, digits, stop, end) or _leading_zero(digits)


def _names(flat: str, after: int) -> bool:
    """Say whether the word that ends at `after` is one that names numbers: most are not, and cost a look-up."""
    stop = after - (flat[after - 1 : after] == ".")
    start = stop
    while (
        start > 0 and stop - start < _LONGEST_WORD and (flat[start - 1].isalnum() or flat[start - 1] == "_")
    ):
        start -= 1
    word = flat[start:stop]
    if not word:
        return flat[after - 1 : after] in _SIGNS or flat[max(0, after - 3) : after].lower() == "(c)"
    return word.lower() in NAMING or QUARTER.fullmatch(word) is not None


def _by_word(flat: str, before: re.Match[str], digits: str, stop: int, end: int) -> str:
    word, lower = before["word"], before["word"].lower()
    if _is_date(word, digits, flat, stop, end):
        return "datetime"
    if lower in _SHORT or word == "\u2116":
        is_sign = bool(before["dot"]) or word == "\u2116"
        return _SHORT.get(lower, "rank") if is_sign and _named(flat, digits, SMALL, stop, end) else ""
    place = (before.start(), stop, end)
    label = LABELS.get(lower)
    return _labelled(flat, label, word, digits, place) if label else _product(flat, word, digits, place)


def counts_follow(flat: str, stop: int, end: int, *, wide: bool = False, title: bool = False) -> bool:
    """Say whether a noun that the number ending at `stop` would count comes next: "977 cells", "12 failed cells".

    `wide` takes any plural for one, not only what a benchmark counts; `title` reads capitals like small letters.
    """
    following = _FOLLOWING.match(flat, stop, end)
    if following is None:
        return False
    first, second = following["first"], following["second"] or ""
    if first in COUNTED or second in COUNTED or (title and first.lower() in COUNTED):
        return True
    return (
        wide
        and first.islower()
        and first.endswith("s")
        and not first.endswith(("ss", "us", "is"))
        and first not in VERBS
    )


def _is_date(word: str, digits: str, flat: str, stop: int, end: int) -> bool:
    lower = word.lower()
    if lower in MONTHS and digits.isdigit() and not counts_follow(flat, stop, end, wide=True):
        return YEAR.fullmatch(digits) is not None or (word[0].isupper() and len(digits) < 3)
    if YEAR.fullmatch(digits) is None:
        return False
    if QUARTER.fullmatch(word):
        return not counts_follow(flat, stop, end, wide=True)
    return lower in YEAR_WORDS and is_year_end(flat, stop, end)


def _named(flat: str, digits: str, shape: re.Pattern[str], stop: int, end: int) -> bool:
    return shape.fullmatch(digits) is not None and not counts_follow(flat, stop, end, wide=True)


def _labelled(flat: str, label: Label, word: str, digits: str, place: tuple[int, int, int]) -> str:
    """Return the label's kind; `place` is where the word begins, the figures end, and the text ends."""
    begin, stop, end = place
    earlier = _EARLIER.search(flat, max(0, begin - 14), begin)
    opening = earlier["word"].lower() if earlier else ""
    if label.shape.fullmatch(digits) is None or opening in QUANTIFIED:
        return ""
    if word[0].isupper():
        return "" if counts_follow(flat, stop, end) else label.kind
    if _OF_NUMBER.match(flat, stop, end):
        return ""
    if label.capital and opening not in OPENING:
        return ""
    # "section 8.1 requires" and "version 3 serializes": no plural is counted by such a number.
    named = label.kind == "version" or "." in digits
    return "" if counts_follow(flat, stop, end, wide=not named) else label.kind


def _product(flat: str, word: str, digits: str, place: tuple[int, int, int]) -> str:
    """Return what a product's name makes of a number: a version of its shape, a machine's model number."""
    _, stop, end = place
    lower = word.lower()
    if flat.startswith((" of ", "/"), stop) or counts_follow(flat, stop, end):
        return ""
    if lower == "error":
        return "ident" if STATUS.fullmatch(digits) and not _quantified(flat, place[0]) else ""
    if not (word[0].isupper() or lower in SMALL_PRODUCTS or "." in digits):
        return ""
    shape = RELEASES.get(lower) or next((shape for names, shape in _SHAPES if lower in names), None)
    if shape is None or not (shape.fullmatch(digits) or (lower == "http" and STATUS.fullmatch(digits))):
        return ""
    return "ident" if lower in MACHINES else "version"


def _quantified(flat: str, begin: int) -> bool:
    earlier = _EARLIER.search(flat, max(0, begin - 14), begin)
    return earlier is not None and earlier["word"].lower() in QUANTIFIED - {"an", "a"}


def required_version(flat: str, start: int, digits: str) -> str:
    """Tell `Python >= 3.11`: a comparator does not part a product of plain versions from its version."""
    word = _AT_LEAST.search(flat, max(0, start - 14), start)
    name = word["word"].lower() if word else ""
    is_product = name in PRODUCTS or name in LIBRARIES or name in RELEASES
    return "version" if is_product and _MINOR.fullmatch(digits) else ""


def _leading_zero(digits: str) -> str:
    """Tell an id that begins with 0 from a count."""
    return "ident" if digits.isdigit() and len(digits) >= 10 and digits[0] == "0" else ""
