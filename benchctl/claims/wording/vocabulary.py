"""Words that compare, and what they say of which quantity: closed lists, on the side of silence."""

from __future__ import annotations

import re

from benchctl.claims.more_and_less import BETTER, CHEAPER, DEARER, FASTER, LESS, MORE, SLOWER, WORSE, any_of
from benchctl.claims.tables.topics import Topic
from benchctl.claims.wording.triggers import Triggers, words_in

__all__ = [
    "CHANGING",
    "COMPARING",
    "DIRECTED",
    "HEDGED",
    "LIMITED",
    "STRETCHED",
    "SUPERLATIVE",
    "SUPERLATIVES",
    "Meaning",
    "comparative",
    "superlative",
]

Meaning = tuple[Topic | None, int]
"""A quantity (None: of the noun that follows), and +1 for more of it, -1 for less."""

_FAST: tuple[Meaning, ...] = (("time", -1), ("rate", 1))
_SLOW: tuple[Meaning, ...] = (("time", 1), ("rate", -1))
_CHEAP: tuple[Meaning, ...] = (("money", -1),)
_DEAR: tuple[Meaning, ...] = (("money", 1),)
_GOOD: tuple[Meaning, ...] = (("score", 1),)
_BAD: tuple[Meaning, ...] = (("score", -1),)
_MORE: tuple[Meaning, ...] = ((None, 1),)
_FEWER: tuple[Meaning, ...] = ((None, -1),)

_COMPARATIVES: dict[str, tuple[Meaning, ...]] = {
    **dict.fromkeys(FASTER, _FAST),
    **dict.fromkeys(SLOWER, _SLOW),
    **dict.fromkeys((*CHEAPER, "less expensive", "less costly"), _CHEAP),
    **dict.fromkeys((*DEARER, "more expensive", "more costly"), _DEAR),
    **dict.fromkeys((*BETTER, "more accurate", "beats", "outperforms", "outperformed", "outscores", "outscored", "beat"), _GOOD),
    **dict.fromkeys((*WORSE, "less accurate", "loses to", "lost to"), _BAD),
    **dict.fromkeys(MORE, _MORE),
    **dict.fromkeys(LESS, _FEWER),
}  # fmt: skip
_SUPERLATIVES: dict[str, tuple[Meaning, ...]] = {
    **dict.fromkeys(("fastest", "quickest"), _FAST),
    "slowest": _SLOW,
    **dict.fromkeys(("cheapest", "least expensive", "least costly"), _CHEAP),
    **dict.fromkeys(("priciest", "costliest", "dearest", "most expensive", "most costly"), _DEAR),
    **dict.fromkeys(("most accurate", "best"), _GOOD),
    **dict.fromkeys(("least accurate", "worst"), _BAD),
    **dict.fromkeys(("most", "highest", "largest", "greatest", "biggest", "longest"), _MORE),
    **dict.fromkeys(("fewest", "least", "lowest", "smallest", "shortest"), _FEWER),
}  # fmt: skip


COMPARING = re.compile(rf"\b(?:{any_of(tuple(_COMPARATIVES))})\b", re.IGNORECASE)
"""A comparative, or a verb that is one."""
SUPERLATIVE = re.compile(rf"\b(?:{any_of(tuple(_SUPERLATIVES))})\b", re.IGNORECASE)
"""A superlative."""
STRETCHED = re.compile(
    r"\b(?:(?P<up>twice|thrice|double|triple|(?:two|three|four|five|six|ten)\s+times)|(?P<down>half|a\s+third|a\s+quarter|a\s+fifth|a\s+tenth)"
    r"|(?P<factor>\d+(?:[.,]\d+)?)\s*(?:\u00d7|x|times))\s+(?:the|as|of\s+the|its)\s+(?P<how>much|many|long|fast|slow|expensive|cheap|accurate)?",
    re.IGNORECASE,
)
"""`twice the tokens`, `2.0× the time`, `half as fast`."""
CHANGING = re.compile(
    r"\b(?:(?P<up>doubles?|doubled|triples?|tripled|raises?|raised|increases?|increased)"
    r"|(?P<down>halves?|halved|saves?|saved|cuts?|reduces?|reduced|lowers?|lowered))\b",
    re.IGNORECASE,
)
"""Verbs whose object is the quantity: `halves the tokens`, `saves time`."""

HEDGED = re.compile(
    r"\b(?:not|never|no|nor|neither|none|cannot|can|nearly|almost|hardly|barely|may|might|could|would|should|if|whether|unless|expected"
    r"|expect\w*|hypothes\w*|suppos\w*|sometimes|often|usually|mostly|tends?|once|claim\w*|nobody|nothing|without|until|than\s+before"
    r"|used\s+to|previous\w*|earlier|former\w*|originally|yesterday|predict\w*|goal\w*|must|want\w*|hop\w+|assum\w*|let\s+us|say\w*|second"
    r"|third|next|another|instead|rather)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""What keeps a sentence from saying that something is so."""
LIMITED = re.compile(
    r"\b(?:on|in|for|at|when|where|while|with|by|under|over|after|before|during|except|but|per|among|within|from|only|besides|apart|despite"
    r"|against|between|across|through|as|to|of|via|about|around)\b",
    re.IGNORECASE,
)
"""What may limit a sentence to a part of what the table holds."""

_DIRECTED = re.compile(f"{COMPARING.pattern}|{STRETCHED.pattern.replace('?P<up>', '').replace('?P<down>', '').replace('?P<factor>', '').replace('?P<how>', '')}"
                      f"|{CHANGING.pattern.replace('?P<up>', '').replace('?P<down>', '')}", re.IGNORECASE)  # fmt: skip
_CHANGES = ("doubl", "tripl", "rais", "increas", "halve", "save", "cut", "reduce", "lower")
DIRECTED = Triggers(
    _DIRECTED,
    (*words_in(_COMPARATIVES), *_CHANGES, "twice", "thrice", "half"),
    ("\u00d7", "x ", "x\n", "times", "third", "quarter", "fifth", "tenth"),
    behind=re.compile(r"\s*(?:the|as|of|its)\b"),
)
"""Any of them."""
SUPERLATIVES = words_in(_SUPERLATIVES)
"""The words that a superlative begins with."""


def comparative(written: str) -> tuple[Meaning, ...]:
    """Return what a match of COMPARING says."""
    return _COMPARATIVES[" ".join(written.casefold().split())]


def superlative(written: str) -> tuple[Meaning, ...]:
    """Return what a match of SUPERLATIVE says."""
    return _SUPERLATIVES[" ".join(written.casefold().split())]
