"""Numbers in words: the next one up and down, as a hasty writer would have it."""

from __future__ import annotations

from fractions import Fraction

from benchctl.quantities.tokens import Token

__all__ = ["Spelling", "cardinal", "next_words", "spelled"]

Spelling = tuple[str, Fraction, Fraction, str]
"""Words, what they say, what their last place is worth, and their unit."""

_SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_TENTH = Fraction(1, 5)
_MOST = 1000


def _about(words: str, value: Fraction | int, unit: str = "") -> Spelling:
    return words, Fraction(value), Fraction(value) * _TENTH, unit


_BESIDE: dict[str, tuple[Spelling, ...]] = {
    "twice": (_about("thrice", 3, "x"),),
    "thrice": (_about("twice", 2, "x"),),
    "twofold": (_about("threefold", 3, "x"),),
    "threefold": (_about("twofold", 2, "x"), _about("fourfold", 4, "x")),
    "fourfold": (_about("threefold", 3, "x"), _about("fivefold", 5, "x")),
    "fivefold": (_about("fourfold", 4, "x"), _about("tenfold", 10, "x")),
    "tenfold": (_about("fivefold", 5, "x"),),
    "half": (_about("a third", Fraction(1, 3)), _about("two thirds", Fraction(2, 3))),
    "a third": (_about("half", Fraction(1, 2)), _about("a quarter", Fraction(1, 4))),
    "a quarter": (_about("a third", Fraction(1, 3)), _about("a fifth", Fraction(1, 5))),
}


def cardinal(number: int) -> str:
    """Return a number from 0 to 999 in words; "" beyond."""
    if not 0 <= number < _MOST:
        return ""
    hundreds, rest = divmod(number, 100)
    if hundreds:
        return f"{_SMALL[hundreds]} hundred" + (f" and {cardinal(rest)}" if rest else "")
    tens, ones = divmod(rest, 10)
    if rest < 20:
        return _SMALL[rest]
    return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")


def next_words(token: Token) -> list[Spelling]:
    """Return what may stand for a number in words, up and down; never nothing."""
    beside = _BESIDE.get(token.text.lower()) or _counted(token) or (spelled(7), spelled(8))
    capital = token.text[:1].isupper()
    return [
        (words.capitalize() if capital else words, value, place, unit) for words, value, place, unit in beside
    ]


def _counted(token: Token) -> tuple[Spelling, ...]:
    value, place = Fraction(token.value or 0), Fraction(token.place or 1)
    whole = value.denominator == place.denominator == 1
    near = [value + place, value - place] if whole else [value // 1 + 2, value // 1 + 3]
    return tuple(spelled(int(number), token.unit if whole else "") for number in near if 0 < number < _MOST)


def spelled(number: int, unit: str = "") -> Spelling:
    """Return a number from 1 to 999 in words; the last place of `four hundred` is worth a hundred."""
    return cardinal(number), Fraction(number), Fraction(1 if number % 100 else 100), unit
