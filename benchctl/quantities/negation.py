"""Whether a bound stands under a negation: "no cell took longer than 10 s" says at most 10 s.

Read is the clause before the bound. Where more than one reading is possible (what parts the negation from the
bound may begin another clause, or what compares outlives a negation, as "at least" does) that is said: no
reading is guessed.
"""

from __future__ import annotations

import re
from typing import Literal

from benchctl.quantities.fold import HARD_SPACE, WALL

__all__ = ["TURNED", "Negated", "negated", "negated_behind", "negated_han"]

Negated = Literal["", "turned", "unclear"]
"""Not at all; for certain; or not to be decided."""

TURNED = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}
"""What a bound says under a negation."""

_REACH = 240
_NO = (
    r"(?:no|none|nobody|nothing|nowhere|never|neither|nor|not|cannot|without|fail(?:s|ed|ing)?\s+to|zero"
    r"|[a-z]+n['\u2019]t)"
)
_NEGATION = re.compile(rf"(?<![\w-]){_NO}(?![\w-])")
_HEDGE = re.compile(
    r"(?<![\w-])(?:hardly|barely|scarcely|rarely|seldom|few|little|not\s+(?:all|every|each|always|both|much))(?![\w-])"
)
"""What denies by halves: "hardly more than", "not all took over"."""
_ALL_BUT = re.compile(r"(?<![\w-])(?:nothing|nobody|none|no\s+\w+)\s+(?:but|except)(?![\w-])")
_NO_NEGATION = re.compile(
    r"(?<![\w-])(?:(?:a|the|an|these|those|some|quite|very|last|first|next|past|only)\s+(?:a\s+)?(?:few|little)"
    r"|not\s+(?:only|just|merely|to\s+mention|least)|no\s+(?:doubt|matter|wonder)|whether\s+or\s+not|or\s+not"
    r"|zero[-\s]shot|no[.]\s?\d"
    # "no fewer than 20 and …": it has its own bound already
    r"|(?:no|not)\s+\w+\s+than(?=\s*\d))(?![\w-])"
)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_ASIDE = re.compile(
    r",\s*(?:and\s+)?not\s[^,]*,|(?<![\w-])(?:with\s+no|without|despite\s+no|in\s+no\s+time)\s[^,]*,"
    r"|,\s*(?:however|though|e\.g\.|i\.e\.)[^,]*,"
)
"""What says under what circumstances: "With no tools, …"."""
_END = re.compile(
    rf"[{WALL}|;:!?]|\.(?=[\s{HARD_SPACE}]+(?![a-z\s]))|\n(?=\s*(?:[-*+]|\d+\.)\s)|\(|\s[\u2014\u2013-]+\s|\u2014"
)
_CLAUSE = re.compile(
    r",\s*(?:and|but|so|yet|while|whereas|which|who|whose|where)\b|(?<![\w-])(?:but|whereas|while|although|though|because|since|until|unless)(?![\w-])"
)
"""Where another clause begins for certain."""
_JOINT = re.compile(
    r",|(?<![\w-])(?:and|if|when|then|plus|other\s+than|rather|instead|counting|including|excluding)(?![\w-])|/"
)
"""Where another clause may begin."""
_OUTLIVES = re.compile(r"(?:at least|at most|up to|as \w+ as|minimum of|maximum of|(?:no|not) \w+ than)\Z")
_BEHIND = re.compile(
    r"[^.;:!?\u2029|,]{0,40}?\b(?:(?:by|in|for|with|from|of|under|at)\s+(?:no|none|neither|nobody)\b"
    r"|(?:is|was|are|were|has|have|had)?\s*never\b)"
)
_HAN_END = re.compile(rf"[\u3002\uff0c\u3001\uff1b\uff1a,;:!?.|\n{WALL}]")
_HAN_NEGATION = re.compile("[\u6ca1\u6c92\u672a\u4e0d\u65e0\u7121\u975e\u522b\u5225]")
_HAN_RIGHT_BEFORE = re.compile(
    "(?:\u6ca1\u6709|\u6c92\u6709|\u4ece\u672a|\u5f9e\u672a|\u5e76\u672a|\u4e26\u672a|\u5c1a\u672a|\u672a\u66fe|\u4e0d\u66fe|\u4ece\u4e0d|\u5f9e\u4e0d"
    "|\u4e0d\u4f1a|\u4e0d\u6703|\u4e0d\u80fd|\u5e76\u4e0d|\u4e26\u4e0d|\u6ca1|\u6c92|\u672a|\u4e0d)\\Z"
)
_HAN_REACH = 24


def negated(flat: str, start: int, phrase: str) -> Negated:
    """Say whether the bound `phrase` that begins at `start` (its own "no" included) stands under a negation."""
    before = _BRACKETS.sub(" ", flat[max(0, start - _REACH) : start])
    before = before[_last(_END, before) :].lower()
    before = _NO_NEGATION.sub(" ", _ASIDE.sub(" ", _ALL_BUT.sub(" few ", before)))
    before = before[_last(_CLAUSE, before) :]
    if _HEDGE.search(before):
        return "unclear"
    found = list(_NEGATION.finditer(before))
    if not found:
        return ""
    if found[-1][0] in ("nor", "neither"):  # "neither more than 10 nor less than 5"
        found = found[-1:]
    behind = before[found[-1].end() :]
    apart = _JOINT.search(behind) is not None
    if apart or _OUTLIVES.search(" ".join(phrase.lower().split())):
        return "unclear"
    near = before[max(_last(_JOINT, before[: found[-1].start()]), 0) :]
    return "turned" if len(_NEGATION.findall(near)) == 1 or len(found) == 1 else "unclear"


def negated_behind(flat: str, end: int) -> bool:
    """Say whether the clause behind a bounded number denies it: "more than 10 s was taken by no cell"."""
    return _BEHIND.match(flat[end : end + 80].lower()) is not None


def negated_han(flat: str, start: int) -> Negated:
    """Say whether a Chinese bound that begins at `start` is negated: \u6ca1\u6709\u8d85\u8fc7 is at most."""
    before = flat[max(0, start - _HAN_REACH) : start]
    before = before[_last(_HAN_END, before) :].rstrip()
    if not _HAN_NEGATION.search(before):
        return ""
    right = _HAN_RIGHT_BEFORE.search(before)
    return "turned" if right and not _HAN_NEGATION.search(before[: right.start()]) else "unclear"


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max((found.end() for found in pattern.finditer(text)), default=0)
