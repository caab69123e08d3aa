"""Chinese and Japanese numerals: in characters (三百二十), and as multipliers behind figures (12万).

Read only where they are certain: a numeral of several characters, or a single one before a word of counting.
What may as well be a word (十分, 一般, 千万), an estimate (五六) or a shortened form (一万五) is left alone.
"""

from __future__ import annotations

import re
from decimal import Decimal

from benchctl.quantities.words import WordNumber

__all__ = ["HAN_STARTS", "han_scale", "numeral_end", "read_han"]

_DIGITS = {glyph: number for number, glyph in enumerate("零一二三四五六七八九")} | {
    "\u3007": 0,
    "两": 2,
    "兩": 2,
}
_POWERS = {"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4, "만": 4, "亿": 8, "億": 8, "억": 8}
_LARGE = "万萬만亿億억"

HAN_STARTS = "一二两兩三四五六七八九十百"
"""The characters that may begin a numeral; `read_han` decides."""

_NUMERAL = re.compile("[零\u3007一二两兩三四五六七八九十百千万萬亿億]++")
_COUNTED = re.compile(
    "個|个(?!人)|次|倍|种|種|组|組|项|項|条|條|台|行|名|人|天|年|秒|小时|小時|時間|件|回|问|問|题|題|つ|份|轮|輪|家|款|位"
)
_CALENDAR = re.compile("[月日号號]")
_LAST_DAY = 31
_SHARE = re.compile("(?P<whole>[一二三四五六七八九十百千]{1,3})分之(?P<part>[零一二三四五六七八九十百]++)")
_SCALE = re.compile(f"[百千]?(?:[万萬][亿億]|[{_LARGE}])|[百千]")
_MORE = re.compile(f"[0-9零\u3007一二两兩三四五六七八九十百千{_LARGE}]++")


def numeral_end(flat: str, at: int, end: int) -> int:
    """Return where the run of numeral characters that starts at `at` ends."""
    run = _NUMERAL.match(flat, at, end)
    return run.end() if run else at


def read_han(flat: str, at: int, end: int) -> WordNumber | None:
    """Read the numeral that starts at `at`; None where it is none for certain.

    Its kind is "word", "datetime" (十二月) or "ordinal" (第三).
    """
    share = _SHARE.match(flat, at, end)
    if share:
        return _share(share)
    stop = numeral_end(flat, at, end)
    value = _value(flat[at:stop])
    if value is None:
        return None
    number = Decimal(value)
    if flat[max(0, at - 1) : at] == "第":
        return WordNumber(at, stop, number, Decimal(1), "ordinal")
    if _CALENDAR.match(flat, stop, end) and value <= _LAST_DAY:
        return WordNumber(at, stop + 1, number, Decimal(1), "datetime")
    if value < 2 or (stop - at == 1 and not _COUNTED.match(flat, stop, end)):
        return None
    return WordNumber(at, stop, number, Decimal(1), "word")


def _share(share: re.Match[str]) -> WordNumber | None:
    """Read 三分之一 as a third and 百分之五 as five per cent."""
    whole = {"百": 100, "千": 1000}.get(share["whole"]) or _value(share["whole"])
    part = _value(share["part"])
    if not whole or part is None:
        return None
    if whole == 100:
        return WordNumber(share.start(), share.end(), Decimal(part), Decimal(1), "word", "%")
    value = Decimal(part) / whole
    return WordNumber(share.start(), share.end(), value, value / 5, "word")


def _value(run: str) -> int | None:
    """Add up a well-formed numeral; None for anything else."""
    total = section = digit = 0
    small, large, before = 4, 99, ""
    for glyph in run:
        if glyph in _DIGITS:
            # A digit behind another is an estimate; one behind 百, 千 or 万 without 零 may stand for tens.
            if digit:
                return None
            digit = _DIGITS[glyph]
        elif glyph in _LARGE:
            if _POWERS[glyph] >= large or not section + digit:
                return None
            total, section, digit = total + (section + digit) * 10 ** _POWERS[glyph], 0, 0
            small, large = 4, _POWERS[glyph]
        else:
            power = _POWERS[glyph]
            if power >= small or (not digit and (glyph != "十" or before)):
                return None
            section, digit, small = section + (digit or 1) * 10**power, 0, power
        before = glyph
    is_short = len(run) > 1 and bool(digit) and run[-2] not in "十零\u3007"
    return None if is_short or not run else total + section + digit


def han_scale(flat: str, at: int, end: int) -> tuple[int, int] | None:
    """Return the end and the power of ten of a multiplier behind figures (万, 千万); None where none stands.

    Where more of the numeral follows (1万2千) the power is -1 and the end is its: it cannot be read.
    """
    match = _SCALE.match(flat, at, end)
    if match is None:
        return None
    more = _MORE.match(flat, match.end(), end)
    if more:
        return more.end(), -1
    return match.end(), sum(_POWERS[glyph] for glyph in match[0])
