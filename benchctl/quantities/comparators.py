"""What stands before a number and says how it is meant: "about", "at least", `<`, "fewer than".

Looks a bounded number of characters back, and never across a wall or another literal.
"""

from __future__ import annotations

import re
from string import ascii_letters

from benchctl.quantities.fold import HARD_SPACE, WALL

__all__ = ["comparator_before", "phrase_before"]

_WINDOW = 28
# A wall is not among these: it ends the window.
_EMPHASIS = " \t\r\n*_" + HARD_SPACE
_LAST_WORD = {
    **dict.fromkeys(
        ("about", "around", "roughly", "approximately", "approx", "approx.", "circa", "ca", "ca.", "c.", "nearly", "almost",
         "\\approx", "\\sim", "\\simeq", "&asymp;", "environ"), "~"
    ),
    **dict.fromkeys(("over", "above", "exceed", "exceeding", "exceeds", "exceeded", "beyond", "\\gt", "&gt;"), ">"),
    **dict.fromkeys(("under", "below", "\\lt", "&lt;"), "<"),
    **dict.fromkeys(("\\ge", "\\geq", "\\geqslant", "&ge;"), ">="),
    **dict.fromkeys(("\\le", "\\leq", "\\leqslant", "&le;"), "<="),
}  # fmt: skip
_LAST_TWO = {
    "at least": ">=", "at most": "<=", "up to": "<=", "close to": "~", "minimum of": ">=", "maximum of": "<=",
    "excess of": ">", "the above": "=", "the over": "=", "the under": "=",
    **{f"{word} than": ">" for word in ("more", "greater", "higher", "larger", "longer", "bigger", "better")},
    **{f"{word} than": "<" for word in ("less", "fewer", "lower", "smaller", "shorter", "under")},
    **{f"{word} over": "=" for word in (
        "mean", "median", "average", "averaged", "averages", "sum", "summed", "total", "computed", "pooled", "measured",
        "taken", "quantile", "interval", "spread", "maximum", "minimum", "bootstrap", "rate", "results", "evaluated", "collected",
        "repeated", "distributed", "aggregated", "trained", "tested", "judged", "compared", "graded", "counted", "benchmarked",
        "estimates", "deviation", "variance", "percentile", "holds", "stable", "constant",
    )},
}  # fmt: skip
_LAST_THREE = {
    "no more than": "<=", "not more than": "<=", "no less than": ">=", "not less than": ">=", "no fewer than": ">=",
    "no greater than": "<=", "no higher than": "<=", "no lower than": ">=",
    "as much as": "<=", "as many as": "<=", "as high as": "<=", "as low as": ">=", "as few as": ">=", "as little as": ">=",
}  # fmt: skip
_LETTERS = frozenset(ascii_letters)
_LAST_WORDS = frozenset(
    phrase.split()[-1].strip("\\&;.") for phrase in (*_LAST_WORD, *_LAST_TWO, *_LAST_THREE)
)
_HAN = {
    **dict.fromkeys(("约", "約", "大约", "接近", "近", "약"), "~"),
    **dict.fromkeys(("超过", "超過", "大于", "高于", "逾"), ">"),
    **dict.fromkeys(("至少", "不少于", "不低于"), ">="),
    **dict.fromkeys(("不到", "低于", "小于", "少于"), "<"),
    **dict.fromkeys(("最多", "至多", "不超过"), "<="),
}
_LONGEST_HAN = 3
_SYMBOLS = {"~": "~", "\u2265": ">=", "\u2264": "<=", ">": ">", "<": "<"}
_TWO_SYMBOLS = {
    ">=": ">=", "<=": "<=", "~=": "~", "->": "=", "=>": "=", ">>": "=", "<<": "=", "~~": "=", "<>": "=",
}  # fmt: skip
_BRACKET = r"[^\u2029]*[\])%](?: [A-Za-z\u00b5%]{1,7})?[ \n\u00a0*_]+over"
_OVER = re.compile(_BRACKET, re.IGNORECASE)
_ALL_OVER = re.compile(rf"{_BRACKET}|[ \n\u00a0*_]+over", re.IGNORECASE)
"""Behind a number, or its interval, "over" says of how many it is."""
_WORD = re.compile(r"[\\&]?[a-z]++[.;]?")
_LINE_START = re.compile(rf"[^\n{WALL}]*\Z")


def comparator_before(flat: str, at: int, floor: int, tag_end: int) -> str:
    """Return the comparator that stands before the literal at `at`: one of `= ~ > >= < <=`.

    Nothing before `floor` (the end of the literal before) counts, and the `>` of
    an HTML tag, an arrow or a block quote is none.
    """
    lowest = max(floor, at - _WINDOW)
    after = at
    while after > lowest and flat[after - 1] in _EMPHASIS:
        after -= 1
    if after <= lowest:
        return "="
    last = flat[after - 1]
    if last > "\u2e7f":
        return _comparing_han(flat[max(lowest, after - _LONGEST_HAN) : after])
    if last.isalnum() and not _ends_a_phrase(flat, after, lowest):
        return "="
    return _compared(flat, flat[lowest:after], floor=floor, lowest=lowest, tag_end=tag_end)


def phrase_before(flat: str, at: int) -> tuple[int, int]:
    """Return where the comparator before the literal at `at` begins and ends; there has to be one."""
    after = at
    while flat[after - 1] in _EMPHASIS:
        after -= 1
    return _phrase_start(flat, after), after


def _phrase_start(flat: str, after: int) -> int:
    last = flat[after - 1]
    if last > "\u2e7f":
        window = flat[max(0, after - _LONGEST_HAN) : after]
        return after - len(next(window[at:] for at in range(len(window)) if window[at:] in _HAN))
    if not last.isalpha() and last not in ".;":
        return after - len(flat[after - 2 : after]) if flat[after - 2 : after] in _TWO_SYMBOLS else after - 1
    lowest = max(0, after - _WINDOW)
    window = flat[lowest:after].lower()
    words = _neighbours(window)
    size = next(
        (size for size, table in ((3, _LAST_THREE), (2, _LAST_TWO)) if " ".join(words[-size:]) in table), 1
    )
    return lowest + list(_WORD.finditer(window))[-size].start()


def _compared(flat: str, window: str, *, floor: int, lowest: int, tag_end: int) -> str:
    """Return the comparator that the text `window`, which begins at `lowest`, ends with."""
    last = window[-1]
    if (_ALL_OVER if 0 < floor == lowest else _OVER).fullmatch(window):
        return "="  # 0.93 over 48 cells
    if last in _SYMBOLS:
        return _symbol(flat, lowest + len(window), window, tag_end)
    if last == "=":
        return _TWO_SYMBOLS.get(window[-2:], "=") if window[-2:] != "=>" else "="
    if last == "-" and window.endswith("sub-"):
        return "<"
    return _comparing_words(window) if last.isalpha() or last in ".;" else "="


def _ends_a_phrase(flat: str, after: int, lowest: int) -> bool:
    """Say whether the word that ends at `after` is the last of one that compares: most words are not."""
    start = after
    while start > lowest and flat[start - 1] in _LETTERS:
        start -= 1
    return flat[start:after].lower() in _LAST_WORDS


def _comparing_han(window: str) -> str:
    return next((_HAN[window[at:]] for at in range(len(window)) if window[at:] in _HAN), "=")


def _symbol(flat: str, after: int, window: str, tag_end: int) -> str:
    pair = window[-2:]
    if pair in _TWO_SYMBOLS:
        return _TWO_SYMBOLS[pair]
    if window[-1] == ">" and (after <= tag_end or not _line_before(flat, after - 1).strip(" >")):
        return "="
    return _SYMBOLS[window[-1]]


def _line_before(flat: str, at: int) -> str:
    """Return the line before `at`, or its last characters: enough to see whether it is empty."""
    found = _LINE_START.search(flat, max(0, at - _WINDOW), at)
    return found[0] if found else ""


def _comparing_words(window: str) -> str:
    words = _neighbours(window.lower())
    for size, table in ((3, _LAST_THREE), (2, _LAST_TWO)):
        found = table.get(" ".join(words[-size:]))
        if found:
            return found
    return _LAST_WORD.get(words[-1], "=") if words else "="


def _neighbours(window: str) -> list[str]:
    """Return the last words of a window, at most three, that only white space parts."""
    found = list(_WORD.finditer(window))[-3:]
    if found and found[-1].end() != len(window):
        return []
    for index in range(len(found) - 1, 0, -1):
        if window[found[index - 1].end() : found[index].start()].strip(_EMPHASIS):
            found = found[index:]
            break
    return [word[0] for word in found]
