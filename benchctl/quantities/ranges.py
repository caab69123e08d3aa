"""What two neighbouring atoms lend each other: "20-25s" are two durations, "5-10k" two thousands.

Atoms stay apart; only unit, multiplier, sign and "about" pass from one to the
other, where a reader would read them into both.
"""

from __future__ import annotations

import re
from dataclasses import replace

from benchctl.quantities.dates import is_year_end
from benchctl.quantities.figures import EXACT, SCALES
from benchctl.quantities.fold import WALL
from benchctl.quantities.tokens import CLAIM_KINDS, Token

__all__ = ["share_across"]

_DASH = re.compile(r"(?:-{1,3}|[\u2013\u2014~\u301c]|\.{2,3}|\u2026)")
_JOINT = re.compile(r"\s?(?:\u00b1|&plusmn;|\\pm|\+/-|\sto\s)\s?|\s?\u2013\s?")
_SCALE = re.compile(r"(?<=[0-9])[\s-]?([kKMBT]|bn|thousand|million|billion|trillion)\Z")
_PYTHON = re.compile(r"3\.(?:[6-9]|1[0-9])")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_ONE_IN = re.compile(r"\s(?:of|in|out of)(?: the| its| these| those| our| all)?\s", re.IGNORECASE)
_LABELLED = frozenset({"section", "fileline", "issue", "version", "port"})
_ONWARD = re.compile(r"\s?[-\u2013/\u2192]\s?|\s?->\s?")
_LIST_ONWARD = re.compile(r",? (?:and |or |to )?|, ")
_PLURAL_HEAD = re.compile(
    r"(?i:sections|chapters|figures|tables|steps|phases|pages|rules|defects|lines|issues|prs|ports|versions|python)[ \u00a0]\Z"
)


def share_across(flat: str, tokens: list[Token]) -> list[Token]:
    """Return the tokens with what each lends to its neighbour; spans, order and number stay the same."""
    shared: list[Token] = []
    plural = False
    for token in tokens:
        now = token
        if shared:
            last = shared[-1]
            gap = flat[last.end : now.start] if now.start - last.end < 16 else None
            if gap is not None and WALL not in gap:
                shared[-1], now = _share(last, now, gap)
                now = _labelled(flat, last, now, gap, plural=plural)
        plural = now.kind in _LABELLED and (_heads_a_list(flat, now) or (plural and now is not token))
        shared.append(now)
    return shared


def _heads_a_list(flat: str, token: Token) -> bool:
    return _PLURAL_HEAD.search(flat, max(0, token.start - 12), token.start) is not None


def _share(a: Token, b: Token, gap: str) -> tuple[Token, Token]:
    if a.kind == "number" and b.kind == "number":
        if _DASH.fullmatch(gap):
            return _range(a, b, gap)
        return (replace(a, unit=b.unit), b) if _JOINT.fullmatch(gap) and not a.unit and b.unit else (a, b)
    if a.kind == "word-one" and b.is_claim and _ONE_IN.fullmatch(gap):
        return replace(a, kind="word"), b
    return a, b


def _range(a: Token, b: Token, gap: str) -> tuple[Token, Token]:
    first, last = a, b
    if not a.unit and b.unit:
        first = _scaled(replace(a, unit=b.unit), b)
    elif not a.unit:
        first = _scaled(a, b)
    elif not b.unit and a.text[-1:].isdigit():
        last = replace(b, unit=a.unit)
        first = _scaled(a, b)
    if a.cmp == "~" and b.cmp == "=":
        last = replace(last, cmp="~")
    if (
        gap == "\u2013"
        and a.value is not None
        and last.value is not None
        and a.value < 0 <= last.value
        and last.text[0].isdigit()
    ):
        last = replace(last, value=last.value.copy_negate())
    return first, last


def _figures(token: Token) -> str:
    """Return the figures of a literal with their multiplier, without its unit."""
    return token.text[token.digits[0] - token.start : token.digits[1] - token.start]


def _scaled(a: Token, b: Token) -> Token:
    """Give the multiplier of "5-10k" to its first number, unless that would turn the range round ("500-1k")."""
    scale = _SCALE.search(_figures(b))
    if scale is None or _SCALE.search(_figures(a)) or a.value is None or a.place is None or b.value is None:
        return a
    power = SCALES[scale[1]]
    value = a.value.scaleb(power, EXACT)
    return (
        replace(a, value=value, place=a.place.scaleb(power, EXACT))
        if value.copy_abs() < b.value.copy_abs()
        else a
    )


def _is_python_beside_its_job(last: Token, now: Token, gap: str) -> bool:
    """Say whether `now` is the cell after a job's id, and a Python version: `| 32462533819 | 3.11 |`."""
    return (
        last.kind == "ident"
        and last.text.isdigit()
        and gap.strip() == "|"
        and bool(_PYTHON.fullmatch(now.text))
    )


def _labelled(flat: str, last: Token, now: Token, gap: str, *, plural: bool) -> Token:
    """Carry a label on: "lines 10-25", "sections 2.1, 2.4 and 3", "Python 3.10 -> 3.11"."""
    if last.kind in CLAIM_KINDS:
        return now
    if _is_python_beside_its_job(last, now, gap):
        return replace(now, kind="version")
    if last.kind == "datetime" and gap in (", ", " ") and now.kind == "number" and _YEAR.fullmatch(now.text):
        return replace(now, kind="datetime") if is_year_end(flat, now.end, len(flat)) else now
    if (
        last.kind not in _LABELLED
        or now.kind != "number"
        or now.unit
        or now.cmp != "="
        or now.value is None
        or now.value < 0
    ):
        return now
    onward = _ONWARD.fullmatch(gap) or (plural and _LIST_ONWARD.fullmatch(gap))
    is_like = last.kind != "version" or ("." in now.text and last.text[0].isdigit() and now.text[0] != "0")
    if not onward or not is_like or not now.text.replace(".", "").isdigit():
        return now
    return replace(now, kind=last.kind)
