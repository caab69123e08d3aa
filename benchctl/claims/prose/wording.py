"""Words that decide what a number beside others is said of: closed lists, on the side of silence."""

from __future__ import annotations

import re

from benchctl.claims.more_and_less import COMPARATIVE, FALLING, RISING
from benchctl.quantities.vocabulary import COUNTED, VERBS

__all__ = ["CHANGING", "MEASURED", "ROUGHLY", "clause", "counts", "ends_named", "labels"]

ROUGHLY = (
    r"i\.e\.,?|that is,?|or|so|just|only|some|about|around|roughly|approximately|approx\.?|nearly|almost|ca?\."
    r"|over|under|more than|less than|at least|at most"
)
"""The pattern of words right before a number that do not change what it is said of."""
_CLAUSE = re.compile(r"[,;:(\[]")
MEASURED = re.compile(
    r"\b(?:F1|F-score|scores?|means?|median|averag\w*|precision|recall|coverage|MRR|NDCG|BLEU|ROUGE|IoU|AUC|similarity|overlap"
    r"|weighted|macro|micro|utili[sz]ation|tokens?|costs?|time|latency|ratio|CPU|GPU|memory|confidence|power|CI|quantile"
    r"|percentile|per)\b",
    re.IGNORECASE,
)
"""What a percent may be of, other than of the counts beside it."""
CHANGING = re.compile(
    rf"\b(?:{COMPARATIVE}|{RISING}|{FALLING}|by|raised?|drop\w*|gain\w*|improv\w*|increas\w*|decreas\w*|reduc\w*|up|down"
    r"|cuts?|cutting|sav\w*|growth|chang\w*|differ\w*|within|speed-?ups?|regress\w*|overhead|margin|lead\w*|ahead|behind|above|below|over|than|relative|discount)\b",
    re.IGNORECASE,
)
"""What makes a percent a change, or a distance from something else."""
_STOP = frozenset(
    str.split(
        "with above at over in on by than per for from to that which where when under below within without and or but as of"
        " improved improving gained lost grew rose fell faster slower better worse more less fewer"
    )
)
_ENDED = frozenset(
    str.split(
        "answered passed failed solved succeeded completed finished correct resolved passing void refused skipped starved left"
    )
)
_MOST_WORDS = 3


def counts(words: str) -> bool:
    """Whether words behind a number are at most the noun that it counts: "", "failed cells", "cells answered"."""
    found = words.split()
    while found and found[-1].lower() in _ENDED:
        found.pop()
    if not found:
        return True
    if len(found) > _MOST_WORDS or any(word.lower() in _STOP for word in found):
        return False
    noun = found[-1].lower()
    plural = noun.endswith("s") and not noun.endswith(("ss", "us", "is", "ments"))
    return noun in COUNTED or (plural and noun not in VERBS)


def ends_named(words: str) -> bool:
    """Whether the last word says what became of the things counted: "4 void"."""
    found = words.split()
    return bool(found) and found[-1].lower() in _ENDED


def labels(words: str) -> bool:
    """Whether words between an operand and an operator only say what it counts: "void", "failed cells"."""
    found = words.split()
    return len(found) <= _MOST_WORDS and not any(word.lower() in _STOP for word in found)


def clause(before: str) -> str:
    """Return the last clause of the text before a number."""
    return _CLAUSE.split(before)[-1]
