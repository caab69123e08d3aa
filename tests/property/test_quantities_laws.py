"""Laws of numbers: every digit in one token, never an exception, parse after format, exact rounding intervals."""

# ruff: noqa: RUF001
from __future__ import annotations

import sys
import unicodedata
from decimal import Decimal, localcontext

from hypothesis import assume, example, given
from hypothesis import strategies as st

from benchctl.quantities.fold import flatten
from benchctl.quantities.format import format_number
from benchctl.quantities.numerals import CLAIM_KINDS, NOT_CLAIM_KINDS, UNREADABLE, is_quantity, scan
from benchctl.quantities.rounding import agreement, as_decimal, holds, interval
from benchctl.quantities.units import FAMILIES, convert, normalise_unit

# What a page is made of: pieces that meet in every order make stranger text than random characters do.
_PIECES = st.sampled_from(
    ["0", "1", "12", "007", "2026", ",", ".", "-", "–", "−", "+", "/", ":", "=", "<", ">", "~", "≥", "(", ")", "[", "]", "](", "[^",
     "|", "\n", "\n# ", "\n- ", "\n| ", " ", "\u00a0", "\u2009", "\u200b", "$", "€", "%", "×", "x", "k", "M", "B", "e", "E", "s", " ms",
     "h", "m", "st", "@", "#", "&#", ";", "&nbsp;", "&times;", "<sup>", "</sup>", "<td a=", "http://", "v", "F", "F(", "p", "n=", "^", "{",
     "}", "\\times 10", "²", "⁻", "³", "₂", "½", "①", "Ⅳ", "٣", "５", "，", "中", "é", "µ", "one", "half", " a third", "hundred", " and ",
     " of ", "twenty", "-", "thousand", "dozen", "about ", "at least ", "section ", "python ", "lines ", "port ", "\ufe0f\u20e3", "_", "*", "`", "'"]
)  # fmt: skip
_PAGES = st.lists(_PIECES, max_size=40).map("".join)
_TEXTS = st.one_of(_PAGES, st.text(max_size=60), st.text(alphabet="0123456789.,-:/ exk", max_size=60))
_FLOATS = st.floats(allow_nan=False, allow_infinity=False)
_DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12)

_UNITS = st.sampled_from(
    [None, "x", "%", "pp", "USD", "EUR", "s", "ms", "min", "MB", "KiB", "tokens", "fraction", "µs"]
)


def is_numeral(char: str) -> bool:
    return unicodedata.category(char) in ("Nd", "No", "Nl")


def assert_conserves_digits(text: str, start: int = 0, end: int | None = None) -> None:
    tokens = scan(text, start=start, end=end)
    stop = len(text) if end is None else end
    at = start
    for token in tokens:
        assert at <= token.start < token.end <= stop
        assert token.text == text[token.start : token.end]
        assert token.start <= token.digits[0] <= token.digits[1] <= token.end
        assert token.kind in CLAIM_KINDS | NOT_CLAIM_KINDS | {UNREADABLE}
        assert (token.value is not None and token.place is not None) or token.kind not in CLAIM_KINDS
        assert token.cmp in ("=", "~", ">", ">=", "<", "<=")
        assert not any(is_numeral(char) for char in text[at : token.start]), (text, at, token)
        at = token.end
    assert not any(is_numeral(char) for char in text[at:stop]), (text, at)


@given(_TEXTS)
@example("1" * 5000)
@example("1e99999")
@example("\ud800" + "1\udc00")
def test_every_digit_lies_in_exactly_one_token_and_nothing_raises(text):
    assert_conserves_digits(text)
    is_quantity(text)


@given(_TEXTS, st.data())
def test_a_slice_keeps_the_offsets_of_its_text(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert_conserves_digits(text, start, end)


def test_every_numeral_of_unicode_is_found():
    text = " ".join(chr(code) for code in range(sys.maxunicode + 1) if is_numeral(chr(code)))
    assert_conserves_digits(text)


@given(_TEXTS)
def test_folding_moves_no_offset(text):
    assert len(flatten(text)) == len(text)
    assert flatten(flatten(text)) == flatten(text)


@given(_FLOATS | st.integers(-(10**30), 10**30), st.integers(0, 8) | st.none(), _UNITS)
def test_what_is_printed_reads_back_as_a_rounding_of_what_was_measured(value, places, unit):
    printed = format_number(value, places=places, unit=unit)
    (token,) = scan(printed)
    assert token.kind == "number"
    assert (token.start, token.end) == (0, len(printed))
    assert token.unit == ("" if unit in (None, "fraction") else unit)
    assert agreement(as_decimal(value), token.value, token.place) != "false"


@given(_DECIMALS, _DECIMALS, st.integers(-6, 6))
def test_agreement_is_membership_in_the_closed_interval(true_value, printed, power):
    place = Decimal(1).scaleb(power)
    lo, hi = interval(printed, place)
    verdict = agreement(true_value, printed, place)
    assert (verdict != "false") == (lo <= true_value <= hi)
    assert (verdict == "tie") == (true_value in (lo, hi))
    assert agreement(-true_value, -printed, place) == verdict


@given(_DECIMALS, _DECIMALS)
def test_a_bound_and_its_opposite_share_the_line(true_value, printed):
    place = Decimal(1)
    assert (holds(true_value, printed, place, ">") == "true") != (
        holds(true_value, printed, place, "<=") == "true"
    )
    assert (holds(true_value, printed, place, "<") == "true") != (
        holds(true_value, printed, place, ">=") == "true"
    )


@given(_DECIMALS, st.sampled_from(sorted(FAMILIES)), st.data())
def test_converting_there_and_back_changes_nothing(value, family, data):
    assume(value)
    units = st.sampled_from(sorted(FAMILIES[family]))
    unit, other = data.draw(units), data.draw(units)
    with localcontext(prec=60):
        assert abs(convert(convert(value, unit, other), other, unit) / value - 1) < Decimal("1e-20")


@given(st.text(max_size=12))
def test_the_name_of_a_unit_is_its_own_name(glyphs):
    assert normalise_unit(normalise_unit(glyphs)) == normalise_unit(glyphs)
