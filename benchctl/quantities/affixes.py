"""What stands around the figures of a number: sign and currency before it, unit after it.

Works on folded text (`fold.flatten`) and looks a bounded number of characters
either way, so that a page costs linear time.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from benchctl.quantities.fold import GLUED_MINUS, HARD_SPACE, HIDDEN, SUPERSCRIPTS, WALL
from benchctl.quantities.units import SPELLINGS, normalise_unit
from benchctl.quantities.vocabulary import COUNTED

__all__ = ["Lead", "read_lead", "read_unit", "sign_word_before"]

_CURRENCIES = "$\u20ac\u00a3\u00a5"
_CODES = frozenset({"USD", "EUR", "GBP", "JPY"})
_EN_DASH = "\u2013"
_BEFORE_SIGN = frozenset(
    " \t\r\n([{|,;:=<>~\u2264\u2265'\"*_/\u2192\u00b1\u201c\u2018`^\u21d2"
    + HARD_SPACE
    + HIDDEN
    + WALL
    + _CURRENCIES
)
_BEFORE_SPACED_SIGN = frozenset("|('\"`\u2018\u201c")
_LEADING = frozenset("-+ *_" + GLUED_MINUS + _EN_DASH + HARD_SPACE + _CURRENCIES)
_BEFORE_SPACE = frozenset("-+seSE" + "DRPY")
"""What ends a sign, a sign word or a currency's code that one space parts from its figures."""
_FIRST_CJK = "\u2e80"

_SIGN_WORD = re.compile(rf"(?<![A-Za-z0-9_-])(?P<word>minus|negative)[ {HARD_SPACE}]\Z", re.IGNORECASE)
_SIGN_WORD_ENDS = ("us", "ve")
_NO_SIGN = re.compile(r"(?:[0-9%)]|(?<![a-z])(?:true|false))[ \u00a0*_]{0,3}\Z", re.IGNORECASE)
_MARKS = re.compile(rf"[-{_EN_DASH}](?:\*{{1,3}}|__?)\Z")
_EMPHASIS = " \t\r\n*_" + HARD_SPACE


class Lead(NamedTuple):
    """Where a literal begins once its sign and currency are counted in."""

    start: int
    negative: bool
    explicit: bool
    currency: str


def read_lead(flat: str, at: int, floor: int) -> Lead:
    """Return what stands glued before the figures at `at`, never reaching before `floor`."""
    before = flat[at - 1] if at > floor else ""
    if before not in _LEADING or (before == " " and flat[at - 2] not in _BEFORE_SPACE):
        return Lead(at, negative=False, explicit=False, currency="")
    at, sign = _take_sign(flat, at, floor)
    at, currency = _take_currency(flat, at, floor)
    if currency and not sign:
        at, sign = _take_sign(flat, at, floor)
    if not sign and not currency:
        at, sign = _take_spaced_sign(flat, at, floor)
    if not sign:
        at, sign = sign_word_before(flat, at, floor)
    return Lead(at, sign not in ("", "+"), bool(sign), currency)


def _take_sign(flat: str, at: int, floor: int) -> tuple[int, str]:
    """Take a glued sign; where a renderer bolds it or what follows, marks may stand between."""
    figures = at
    if at > floor and flat[at - 1] == " ":
        return figures, ""
    marks = _MARKS.search(flat, max(floor, at - 6), at)
    if marks:
        at = marks.start() + 1
    sign = flat[at - 1] if at > floor else ""
    if sign == GLUED_MINUS:
        return at - 1, sign
    if sign not in ("-", "+", _EN_DASH) or flat.startswith("+/-", at - 3):
        return figures, ""
    before = flat[at - 2 : at - 1] or "\n"
    if before in _BEFORE_SIGN or before >= _FIRST_CJK:
        return at - 1, sign
    if sign == "+" and before.isalpha():
        return at - 1, sign
    return figures, ""


def _take_spaced_sign(flat: str, at: int, floor: int) -> tuple[int, str]:
    """Take the sign of `| + 98.30 % |`: only where nothing but a border stands before it."""
    if at - 2 < floor or flat[at - 1] not in (" ", HARD_SPACE) or flat[at - 2] not in ("-", "+"):
        return at, ""
    before = flat[max(0, at - 8) : at - 2].rstrip(_EMPHASIS)
    return (at - 2, flat[at - 2]) if before and before[-1] in _BEFORE_SPACED_SIGN else (at, "")


def sign_word_before(flat: str, at: int, floor: int) -> tuple[int, str]:
    """Return where `minus` or `negative` begins before `at`, and "-"; `(at, "")` where none does.

    Behind a number `minus` subtracts, and "false negative 12" counts negatives.
    """
    if flat[max(0, at - 3) : at - 1].lower() not in _SIGN_WORD_ENDS:
        return at, ""
    word = _SIGN_WORD.search(flat, max(floor, at - 10), at)
    if word is None or _NO_SIGN.search(flat, max(0, word.start() - 10), word.start()):
        return at, ""
    return word.start(), "-"


def _take_currency(flat: str, at: int, floor: int) -> tuple[int, str]:
    glyph = flat[at - 1] if at > floor else ""
    if glyph == " " and at - 4 >= floor and flat[at - 4 : at - 1] in _CODES:
        named = flat[at - 5 : at - 4]
        return (at, "") if named.isalnum() else (at - 4, flat[at - 4 : at - 1])
    if not glyph or glyph not in _CURRENCIES:
        return at, ""
    start = at - 1
    if glyph == "$" and start - 2 >= floor and flat[start - 2 : start] == "US":
        start -= 2
    return start, SPELLINGS[glyph]


_LETTERS = "A-Za-z\u00b5\u03bc"
_HAN = "毫秒|微秒|ミリ秒|秒|分钟|分鐘|小时|小時|時間|个百分点|個百分點|倍|배|초|시간"
_GLUED_UNIT = re.compile(
    rf"%-?points?(?![A-Za-z])|%pt|%|\\%|\u2030|\u00d7|&times;|&#215;|\\times(?![A-Za-z])|\u00b0[CF]?"
    rf"|[\u20ac\u00a3\u00a5\u00a2]|-fold(?![A-Za-z])|(?P<han>{_HAN})"
    rf"|(?P<letters>[{_LETTERS}]{{1,14}}[{SUPERSCRIPTS}]?)(?P<per>/[{_LETTERS}]{{1,14}})?(?![A-Za-z0-9_])|[\u3300-\u33ff]"
)
_APART_UNIT = re.compile(
    rf"(?:[ {HARD_SPACE}~]|&nbsp;|&#160;|&thinsp;|\\,)(?:(?P<phrase>%|\\%|\u2030|percentage points?|per cent|p\.p\.|&times;|\u00d7|[\u20ac\u00a3\u00a2](?![0-9])|{_HAN})"
    rf"|(?P<word>[{_LETTERS}]{{1,14}}[{SUPERSCRIPTS}]?)(?P<per>/[{_LETTERS}]{{1,14}})?(?![A-Za-z0-9]))"
    rf"|\r?\n {{0,4}}(?P<wrapped>[A-Za-z]{{2,14}}|[sh])(?![A-Za-z0-9_])"
)
_RATE = re.compile(r"[kKMGTP]?(?:bps|FLOPS|FLOPs|QPS|FPS|RPS|TPS|IOPS|LOC)")
_TIMES_MORE = re.compile(
    rf"[ {HARD_SPACE}]times(?=[ {HARD_SPACE}](?:faster|slower|more|less|fewer|as|higher|lower|larger|smaller|bigger|cheaper|longer|shorter)(?![a-z]))"
)
_VARIABLES = frozenset({"min", "d", "h", "s"})
_LEAST = re.compile(r":?[ ][-+]?[0-9][0-9.,]*[a-z%]{0,3}[,; ]{1,2}(?:max|mean|median|avg|p[0-9])")
_FACTOR = re.compile(r"(?<!\\times)[0-9]|(?<=\\times) ?[0-9]")
_PRODUCT = re.compile(rf"[ {HARD_SPACE}]?(?:[0-9]|[A-Z][A-Za-z]{{0,9}}[0-9])")
_TIMES = frozenset({"\u00d7", "&times;", "&#215;", "\\times"})
_HYPHEN_UNIT = re.compile(
    r"-(second|minute|hour|day|week|percent|point|token|byte|times|min|hr|ms|s)s?(?![A-Za-z0-9_])"
)
_HYPHENED = {"point": "pp", "times": "x"}
_GAPS = frozenset(" \n\r~" + HARD_SPACE)
_NEVER_APART = frozenset({"m", "G", "X", "fraction", "Ki", "Mi", "Gi", "Ti", "Pi", "i"})
_DENOMINATORS = frozenset(
    {
        "s", "sec", "second", "min", "minute", "h", "hr", "hour", "day", "op", "ops", "test", "token", "tok", "call", "run",
        "query", "question", "request", "req", "cell", "file", "item", "task", "iter", "step", "sample", "byte", "B", "core",
    }
)  # fmt: skip


def read_unit(flat: str, at: int, end: int) -> tuple[int, str]:
    """Return the end and the name of the unit that follows the figures ending at `at`; `(at, "")` for none."""
    if at >= end:
        return at, ""
    if flat[at] in _GAPS or flat.startswith(("&nbsp;", "&#160;", "&thinsp;", "\\,"), at):
        return _unit_apart(flat, at, end)
    if flat[at] == "-":
        hyphen = _HYPHEN_UNIT.match(flat, at, end)
        if hyphen:
            return hyphen.end(), _HYPHENED.get(hyphen[1]) or normalise_unit(hyphen[1])
    match = _GLUED_UNIT.match(flat, at, end)
    if match is None:
        return at, ""
    if match["letters"] is None:
        return _sign_unit(flat, match)
    return _letters_unit(match, at)


def _sign_unit(flat: str, match: re.Match[str]) -> tuple[int, str]:
    glyph = match[0]
    if glyph in _TIMES and _FACTOR.match(flat, match.end()):
        return match.start(), ""  # 2\u00d748 is a product
    tail = glyph.removeprefix("-") if glyph == "-fold" else glyph
    return match.end(), "pp" if "p" in glyph and "%" in glyph else normalise_unit(tail)


def _letters_unit(match: re.Match[str], at: int) -> tuple[int, str]:
    letters, per = match["letters"], match["per"] or ""
    if per and (letters in SPELLINGS or per[1:] in _DENOMINATORS):
        return match.end(), normalise_unit(letters + per)
    if (
        letters in SPELLINGS
        or (len(letters) > 1 and (letters.islower() or _is_noun(letters.lower())))
        or _RATE.fullmatch(letters)
    ):
        return at + len(letters), normalise_unit(letters)
    return at, ""


def _is_noun(word: str) -> bool:
    """Say whether a word in capitals is one that numbers have, and no name: 977Tokens, 48CELLS."""
    return len(word) > 2 and (word in SPELLINGS or word in COUNTED)


def _unit_apart(flat: str, at: int, end: int) -> tuple[int, str]:
    times = _TIMES_MORE.match(flat, at, end)
    if times:
        return times.end(), "x"
    match = _APART_UNIT.match(flat, at, end)
    if match is None:
        return at, ""
    phrase, word, wrapped = match["phrase"], match["word"], match["wrapped"]
    if phrase or word == "x":
        is_product = (word or phrase) in ("x", "\u00d7", "&times;") and _PRODUCT.match(flat, match.end(), end)
        return (at, "") if is_product else (match.end(), normalise_unit(phrase or word))
    if word and match["per"] and (match["per"][1:] in _DENOMINATORS):
        return match.end(), normalise_unit(word + match["per"])
    name = word or wrapped
    if name not in SPELLINGS or name in _NEVER_APART or _is_variable(flat, name, match.end(), end):
        return at, ""
    return match.end() - len(match["per"] or ""), normalise_unit(name)


def _is_variable(flat: str, name: str, at: int, end: int) -> bool:
    """Tell a name from a unit: `max=9 min=2`, `mean 9.1 min 2.0 max 12.3`."""
    if name not in _VARIABLES:
        return False
    return flat[at : at + 1] == "=" or (name == "min" and _LEAST.match(flat, at, end) is not None)
