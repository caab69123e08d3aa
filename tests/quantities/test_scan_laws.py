# ruff: noqa: RUF001
"""Laws of the scanner on any text: nothing is lost, nothing raises, a block says nothing of the next, prints are read."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchctl.quantities import affixes, comparators, dates, durations, forms, scanner
from benchctl.quantities.format import format_number
from benchctl.quantities.numerals import CLAIM_KINDS, NOT_CLAIM_KINDS, UNREADABLE, Token, scan
from benchctl.quantities.rounding import agreement, as_decimal
from benchctl.quantities.units import FAMILIES

PIECES = [
    *"0123456789.,:;-+/x×%$€#@&^_*`~<>=()[]{}|\\'\"! \n\t", "−", "–", "—", "±", "≈", "≥", "→", "…", "\u00a0", "\u2009", "\u200b", "\u2029",
    "½", "⅔", "²", "⁻", "⁴", "₂", "１", "２", "，", "．", "٣", "१", "①", "Ⅳ", "万", "三", "百", "分之", "第", "倍", "秒", "年", "月", "日", "약", "배",
    "one", "two", "nine", "twelve", "twenty", "hundred", "half", "a third", "dozen", "twice", "of its", "of", "and", "to", "at least ", "over ",
    "minus ", "about ", "between ", "k", "M", "e", "e-3", "ms", "s", "h", "min", " times", "pp", "GB", "A100", "v1.2", "p99", "F1", "n=", "Table ",
    "section ", "lines ", "Python ", "May ", "2026", "2026-11-30", "10:30", "17:10", "http://a.b/1", "](", "[^", "<sup>", "</sup>", "<td>", "<a b='",
    "&times;", "&nbsp;", "&#215;", "10^{-4}", " \\times 10^", "a3f9c21", "x86_64", "a.py:12", "#12", "1.", "- ", "# ", "\n\n", "\r\n", "\ufe0f\u20e3",
    "(1) a, ", "9.79(22)", ") ms", ") × 10⁻⁴", "\ud800", "\x00", "é", "Δ", "F(", "USD ", "│", "//", "::",
]  # fmt: skip
SOUP = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
ANY = st.one_of(SOUP, st.text(max_size=60), st.builds(lambda a, b: a + b, SOUP, st.text(max_size=10)))
UNITS = sorted({unit for members in FAMILIES.values() for unit in members} - {"fraction"})


def numeric(char: str) -> bool:
    """What Unicode calls a decimal digit, or another digit or numeral that is no letter of a script."""
    return unicodedata.category(char) in ("Nd", "No", "Nl")


@settings(max_examples=600)
@given(ANY)
def test_every_digit_lies_in_exactly_one_token_and_nothing_raises(text):
    tokens = scan(text)
    owners = [0] * len(text)
    for token in tokens:
        for place in range(token.start, token.end):
            owners[place] += 1
    assert max(owners, default=0) <= 1
    assert [char for char, owner in zip(text, owners, strict=True) if numeric(char) and not owner] == []


@settings(max_examples=400)
@given(ANY)
def test_a_token_is_what_stands_at_its_place(text):
    tokens = scan(text)
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)
    for token in tokens:
        assert token.text == text[token.start : token.end] != ""
        first, last = token.digits
        assert token.start <= first < last <= token.end
        assert token.kind in CLAIM_KINDS | NOT_CLAIM_KINDS | {UNREADABLE}
        assert token.cmp in ("=", "~", ">", ">=", "<", "<=")
        if token.is_claim:
            assert token.value is not None
            assert token.value.is_finite()
            assert token.place is not None
            assert token.place > 0


def shifted(tokens: list[Token], by: int) -> list[Token]:
    return [
        replace(t, start=t.start + by, end=t.end + by, digits=(t.digits[0] + by, t.digits[1] + by))
        for t in tokens
    ]


@settings(max_examples=600)
@given(ANY, ANY)
def test_a_block_says_nothing_of_the_next(first, second):
    first = first.rstrip(" \t\r>\n\u2029")
    whole = scan(f"{first}\n\n{second}")
    assert whole == scan(first) + shifted(scan(second), len(first) + 2)


@settings(max_examples=400)
@given(SOUP, st.integers(0, 200), st.integers(0, 200))
def test_a_slice_keeps_every_digit_and_its_place(text, start, end):
    tokens = scan(text, start=start, end=end)
    covered = {place for token in tokens for place in range(token.start, token.end)}
    assert all(place in covered for place in range(start, min(end, len(text))) if numeric(text[place]))
    assert all(token.text == text[token.start : token.end] for token in tokens)


@given(
    st.one_of(
        st.integers(-(10**15), 10**15),
        st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15),
    ),
    st.sampled_from(["", *UNITS]),
    st.one_of(st.none(), st.integers(0, 9)),
)
def test_what_the_formatter_prints_is_read_as_what_it_printed(value, unit, places):
    text = format_number(value, unit=unit, places=places)
    (token,) = scan(text)
    assert token.is_claim
    assert (token.text, token.unit, token.cmp) == (text, unit, "=")
    assert agreement(as_decimal(value), token.value, token.place) != "false"


class Everything:
    """A set that holds whatever one asks for: no short cut is taken."""

    def __contains__(self, item: object) -> bool:
        return True


def scanned_the_long_way(text: str) -> list[Token]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "plain_figure_at", lambda *_: None)
        patch.setattr(forms, "_NO_FORM", re.compile("(?!)"))
        patch.setattr(dates, "_MAYBE", re.compile(""))
        patch.setattr(durations, "_TIMED", re.compile(""))
        for room, name in (
            (affixes, "_LEADING"),
            (affixes, "_BEFORE_SPACE"),
            (affixes, "_SIGN_WORD_ENDS"),
            (comparators, "_LAST_WORDS"),
        ):
            patch.setattr(room, name, Everything())
        return scan(text)


PROSE = re.findall(
    "[^ ]+",
    "of cells CI interval May am PM UTC Mar Dec k M bn million x times d h min s ms % pp and to over at least about minus the Python"
    " Table line seed (c) 95% 5 12 0.93 1,234 2024 2026 3.11 10 000 935 bit h7 \\approx",
)
SENTENCES = st.lists(
    st.tuples(
        st.sampled_from(PROSE),
        st.sampled_from(
            [" ", " ", " ", "\n", ", ", ". ", "", " | ", ": ", ") ", "(", " \u2013 ", "-", "/", "**", "="]
        ),
    ).map("".join),
    max_size=16,
).map("".join)


@settings(max_examples=600)
@given(st.one_of(SOUP, SENTENCES))
def test_the_short_cuts_change_nothing(text):
    assert scan(text) == scanned_the_long_way(text)


@given(st.integers(2, 999))
def test_a_number_in_words_is_its_number(number):
    (token,) = scan(in_words(number))
    assert (token.kind, token.value, token.text) == ("word", Decimal(number), in_words(number))
    assert [t.value for t in scan(in_words(number).upper())] == [number]


_WORDS = re.compile("[^ ]+")
ONES = _WORDS.findall(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
TENS = _WORDS.findall("twenty thirty forty fifty sixty seventy eighty ninety")


def in_words(number: int) -> str:
    if number >= 100:
        rest = f" and {in_words(number % 100)}" if number % 100 else ""
        return f"{ONES[number // 100]} hundred{rest}"
    if number < 20:
        return ONES[number]
    return TENS[number // 10 - 2] + (f"-{ONES[number % 10]}" if number % 10 else "")


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_a_chinese_numeral_is_its_number(hundreds, tens, ones):
    digits = "零一二三四五六七八九"
    number = hundreds * 100 + tens * 10 + ones
    text = f"{digits[hundreds]}百" if hundreds else ""
    text += f"{digits[tens]}十" if tens else "零" if hundreds and ones else ""
    text += digits[ones] if ones else ""
    found = [token.value for token in scan(f"共{text}个") if token.is_claim]
    assert found == ([number] if number > 1 else [])


@pytest.mark.parametrize("wall", ["\n\n", "\u2029", "\n> \n", "\r\n\r\n"])
def test_words_behind_a_wall_name_no_number_before_it(wall):
    kinds = [
        [t.kind for t in scan(text)]
        for text in (f"since 2025{wall}2 cells", f"a third{wall}five", f"lines 1{wall}2")
    ]
    assert kinds == [["datetime", "number"], ["word", "word"], ["fileline", "number"]]
