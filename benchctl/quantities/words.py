"""Numbers written in words: two to 999 (and thousands), dozens, fractions, twice.

A table of our own, because libraries sum what stands side by side: "nine of its
nine" is two numbers, and so is "ten to twelve". "one" and "zero" are numbers
only in `N of M`; ordinals are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

__all__ = ["WORD_PATTERN", "WordNumber", "is_number_word", "letters_end", "read_words"]

_SMALL = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2
    )
}
_SCALES = {"thousand": 1000, "million": 10**6, "billion": 10**9}
_PARTS = {
    "half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
}  # fmt: skip
_PLURAL_PARTS = {"halves": 2, **{f"{word}s": number for word, number in _PARTS.items() if word != "half"}}
_TIMES = {
    "twice": 2, "thrice": 3, "twofold": 2, "threefold": 3, "fourfold": 4, "fivefold": 5, "sixfold": 6, "sevenfold": 7,
    "eightfold": 8, "ninefold": 9, "tenfold": 10, "hundredfold": 100}  # fmt: skip
_VERBS: dict[str, Decimal] = {
    "doubled": Decimal(2), "doubles": Decimal(2), "tripled": Decimal(3), "triples": Decimal(3), "quadrupled": Decimal(4), "halved": Decimal("0.5"),
}  # fmt: skip
"""What multiplies without a number in it: it may be bound, and like `one` need not be."""
_STARTS = (*_SMALL, *_TENS, *_TIMES, *_VERBS, "single", "dozen", "hundred", *_SCALES, *_PARTS)

WORD_PATTERN = (
    "(?:["
    + "".join(sorted({word[0] + word[0].upper() for word in _STARTS}))
    + "](?:"
    + "|".join(
        sorted(
            {rest for word in _STARTS for rest in (word[1:], word[1:].upper())},
            key=lambda rest: (-len(rest), rest),
        )
    )
    + r"))(?![A-Za-z0-9_])"
)
"""Matches every word that may begin a number, and a few that may not (tone, sour): `read_words` decides."""

_NEXT = re.compile(
    r"(?P<gap>[ \u00a0-]|\r?\n {0,4})(?P<and>(?i:and)[ -])?(?P<article>(?i:an?)[ -])?(?P<word>[A-Za-z]{3,9})(?![A-Za-z0-9_])"
)
_ARTICLE = re.compile(r"(?<![A-Za-z0-9_])([Aa]n?)[ \u00a0]\Z")
_ADJECTIVE = re.compile(r"-(?!fold|percent|point|second|minute|hour|day|token|byte)[A-Za-z]")
_SIZE = re.compile(
    r"-(?:question|cell|run|rep|repetition|row|arm|task|word|item|file|line|repo|token|char|character|agent|model|call)s?(?![A-Za-z-])"
)
"""Sizes of a run and of what it measures: results, where `three-way` is a parameter."""
_FOLD = re.compile(r"-fold(?![A-Za-z])")
_SHARE = re.compile(
    r"[ \n](?:of|more|less|fewer|faster|slower|as|the|lower|higher|smaller|larger|cheaper|longer|shorter|to|off|failed|passed|was|were|is|are|had|has|have|timed|ran|answered|solved|ended|did|got|went|came|took|needed|used|gave|made|found|missed)(?![a-z])|[.,;:)!?]|[ \t\r]*(?:\Z|\u2029)|\*"
)
_NOT_A_SHARE = frozenset(
    {"first", "second", "other", "latter", "upper", "lower", "top", "bottom", "later", "former"}
)
_HALF_A_DOZEN = re.compile(
    r"(?i:half)-(?P<word>(?i:dozen|hundred|thousand|million|billion))(?![A-Za-z0-9_-])"
)
_VAGUE = re.compile(r"-(?:odd|some|plus|ish)(?![A-Za-z-])")
"""`twenty-odd failures` counts them, where `three-way` is a parameter."""
_TENTH = Decimal("0.2")


@dataclass(frozen=True, slots=True)
class WordNumber:
    """A number in words; `kind` is "word", "word-one" (one, zero, single), or "param" (`three-way`)."""

    start: int
    end: int
    value: Decimal
    place: Decimal
    kind: str
    unit: str = ""


def read_words(flat: str, at: int, end: int, floor: int) -> WordNumber | None:
    """Read the longest number in words that starts at `at` (or at an article before it); None where it is none."""
    stop = _letters_end(flat, at, end)
    word = flat[at:stop].lower()
    if word in _TIMES:
        return WordNumber(at, stop, Decimal(_TIMES[word]), _TIMES[word] * _TENTH, "word", "x")
    if word in _VERBS:
        return WordNumber(at, stop, _VERBS[word], _VERBS[word] * _TENTH, "word-one", "x")
    if word == "single":
        return WordNumber(at, stop, Decimal(1), Decimal(1), "word-one")
    if word in _PARTS:
        return _share(flat, at, stop, end, floor)
    if word in _SMALL or word in _TENS:
        return _cardinal(flat, at, stop, end)
    return _round_number(flat, at, stop, floor) if word in ("dozen", "hundred", *_SCALES) else None


def is_number_word(word: str) -> bool:
    """Return whether a single word, small letters or not, is a number from two on, a share or a multiple."""
    small = word.lower()
    return (
        _SMALL.get(small, 0) > 1
        or any(small in words for words in (_TENS, _TIMES, _PARTS, _SCALES))
        or small in ("dozen", "hundred")
    )


def letters_end(flat: str, at: int) -> int:
    """Return where the word of any script that starts at `at` ends."""
    stop = at
    while stop < len(flat) and flat[stop].isalpha():
        stop += 1
    return stop


def _letters_end(flat: str, at: int, end: int) -> int:
    stop = at
    while stop < end and flat[stop].isalpha() and flat[stop].isascii():
        stop += 1
    return stop


def _share(flat: str, at: int, stop: int, end: int, floor: int) -> WordNumber | None:
    """Read `half` and `a third`; "the first half", "half-open" and "a third attempt" are none."""
    word = flat[at:stop].lower()
    article = _ARTICLE.search(flat, max(floor, at - 4), at)
    many = _HALF_A_DOZEN.match(flat, at, end)
    if many:
        count = Decimal(_multiple(many))
        return WordNumber(article.start(1) if article else at, many.end(), count / 2, count / 10, "word")
    before = flat[max(0, at - 12) : at].split()
    if (
        flat[stop : stop + 1] == "-"
        or flat[at - 1 : at] == "-"
        or (before and before[-1].lower() in _NOT_A_SHARE)
    ):
        return None
    if word != "half" and not (article and _SHARE.match(flat, stop, end)):
        return None
    value = Decimal(1) / _PARTS[word]
    follower = _NEXT.match(flat, stop, end)
    factor = _multiple(follower) if word == "half" and follower and follower["article"] else 0
    if follower and factor:
        return WordNumber(at, follower.end(), value * factor, Decimal(factor) / 10, "word")
    start = article.start(1) if article else at
    return WordNumber(start, stop, value, value * _TENTH, "word")


def _multiple(follower: re.Match[str]) -> int:
    return {"dozen": 12, "hundred": 100, **_SCALES}.get(follower["word"].lower(), 0)


def _round_number(flat: str, at: int, stop: int, floor: int) -> WordNumber | None:
    """Read `a dozen`, `a hundred`, `a million`; without the article they count nothing."""
    article = _ARTICLE.search(flat, max(floor, at - 4), at)
    if article is None:
        return None
    value = Decimal({"dozen": 12, "hundred": 100, **_SCALES}[flat[at:stop].lower()])
    return WordNumber(article.start(1), stop, value, value if value > 12 else Decimal(1), "word")


def _cardinal(flat: str, at: int, stop: int, end: int) -> WordNumber:
    """Add up what belongs together: tens and ones, hundreds, thousands; stop where a second number begins."""
    total, group, place = 0, _worth(flat[at:stop].lower()), 1
    last = flat[at:stop].lower()
    while (follower := _NEXT.match(flat, stop, end)) is not None:
        word = follower["word"].lower()
        fraction = _fraction(follower, group + total, last)
        if fraction is not None:
            return WordNumber(at, follower.end(), fraction, fraction * _TENTH, "word")
        if follower["article"] or (follower["and"] and (last != "hundred" or not _is_of_one_kind(follower))):
            break
        if word == "hundred" and 0 < group < 10:
            group, place = group * 100, 100
        elif word in _SCALES and 0 < group < 1000 and not total:
            total, group, place = group * _SCALES[word], 0, _SCALES[word]
        elif word == "dozen" and not total:
            group, place = group * 12, 1
        elif _adds(word, last, total):
            group, place = group + _worth(word), 1
        else:
            break
        last, stop = word, follower.end()
    return _finished(flat, at, stop, end, value=Decimal(total + group), place=Decimal(place))


def _is_of_one_kind(follower: re.Match[str]) -> bool:
    """Say whether "and" is joined on both sides as on the other: `hundred and five`, `hundred-and-five`."""
    return (follower["gap"] == "-") == follower["and"].endswith("-")


def _worth(word: str) -> int:
    return _SMALL.get(word, 0) or _TENS.get(word, 0)


def _adds(word: str, last: str, total: int) -> bool:
    worth = _worth(word)
    if last in _TENS:
        return 0 < worth < 10
    return worth > 0 and (last == "hundred" or (last in _SCALES and total > 0))


def _fraction(follower: re.Match[str], count: int, last: str) -> Decimal | None:
    """Return the value of `two thirds`, `one half`, `two and a half`; None where the next word is no part."""
    word = follower["word"].lower()
    if follower["and"] and follower["article"]:
        return count + Decimal(1) / _PARTS[word] if word in ("half", "quarter", "third") else None
    if word in _PLURAL_PARTS and count > 1 and not follower["and"]:
        return Decimal(count) / _PLURAL_PARTS[word]
    is_one_part = last == "one" and word in _PARTS and not follower["and"] and not follower["article"]
    return Decimal(1) / _PARTS[word] if is_one_part else None


def _finished(flat: str, at: int, stop: int, end: int, *, value: Decimal, place: Decimal) -> WordNumber:
    fold = _FOLD.match(flat, stop, end)
    if fold:
        return WordNumber(at, fold.end(), value, value * _TENTH, "word", "x")
    if _SIZE.match(flat, stop, end) or _VAGUE.match(flat, stop, end):
        return WordNumber(at, stop, value, place, "word" if value > 1 else "word-one")
    if _ADJECTIVE.match(flat, stop, end):
        return WordNumber(at, stop, value, place, "param")
    return WordNumber(at, stop, value, place, "word" if value > 1 else "word-one")
