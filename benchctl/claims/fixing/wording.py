"""The words around a number that another number would make wrong: pure text.

Nothing here knows a value of the run. A word that only data could judge is `direction`'s.
"""

from __future__ import annotations

import re
from decimal import Decimal

from benchctl.claims.more_and_less import COMPARATIVE, FALLING, RISING
from benchctl.claims.wording.vocabulary import SUPERLATIVE

__all__ = ["directed", "extreme", "hedged", "names_a_share", "of_size", "words_against"]

_DIRECTED = re.compile(
    rf"\b(?:{COMPARATIVE}|{RISING}|{FALLING}"
    r"|stronger|weaker|sooner|later|earlier|closer|further|farther|wider|narrower|leaner|heavier|lighter"
    r"|up|down|increas\w*|decreas\w*|improv\w*|worsen\w*|degrad\w*|regress\w*|gains?|gained|los(?:e|es|t|s|ses|ing)|leads?|led|leading|trails?|trailed"
    r"|ahead|behind|above|below|beats?|beaten|wins?|won|winn\w+|outperform\w*|exceed\w*|surpass\w*|overt(?:ake|akes|ook)|reduc\w+"
    r"|sav(?:e|es|ed|ing|ings)|cuts?|halv\w+|doubl\w+|tripl\w+|quadrupl\w+|climb\w*|jump\w*|slip\w*|declin\w*|soar\w*|plung\w*"
    r"|overhead|speed-?ups?|slow-?downs?|advantage|penalty|costs? extra|extra|than"
    r"|half|twice|thrice|double|triple)\b",
    re.IGNORECASE,
)
_EXTREME = re.compile(
    rf"{SUPERLATIVE.pattern}|\b(?:strongest|weakest|leader|leads|wins|won|winner|tops)\b",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"\b(?:same|equal\w*|identical\w*|ties?|tied|unchanged|match(?:es|ed)?|alike|no difference|indistinguishable|both|each)\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:only|merely|barely|hardly|scarcely|just|mere|whopping|even|still)\b", re.IGNORECASE
)
_SHARE = re.compile(
    r"\b(?:majority|minority|most of|more than half|less than half|fewer than half|half|mostly|few|mainly|rarely|usually)\b",
    re.IGNORECASE,
)
_OF_SIZE = re.compile(
    r"\b(?:doubl\w+|tripl\w+|trebl\w+|quadrupl\w+|quintupl\w+|halv\w+|twice|thrice|[a-z]+[- ]?fold|orders? of magnitude|half as|by half|magnitudes?"
    r"|(?:nearly|almost|virtually|practically)\s+(?:all|every\w*|none|no|half|a\s+(?:third|quarter|fifth)|(?:two|three)[- ]\w+s)"
    r"|hardly any|vast majority|overwhelming\w*|all but|(?:about|roughly|around|exactly)\s+(?:half|a\s+(?:third|quarter|fifth))"
    r"|one in [a-z]+|(?:two|three)[- ](?:thirds|quarters|fifths)|a (?:third|quarter|fifth) of)\b",
    re.IGNORECASE,
)
"""Words that say how much, and of which another number makes a false one."""
_BOUND_BEHIND = re.compile(
    r"\W{0,4}\s*(?:or|and)\s+(?:more|less|fewer|better|worse|higher|lower|so|longer|shorter|above|below|over|under|up|counting|beyond)\b",
    re.IGNORECASE,
)
_RANK = re.compile(r"(?:\b(?:rank(?:s|ed)?|plac(?:e|es|ed)|position|number|no\.|nr\.?)|#)\s*$", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(an?)\s+[*_(\[$€£]*$", re.IGNORECASE)
_NOUN = re.compile(r"[ \u00a0\n-](?P<word>[A-Za-z]+)")
_VERB_BEFORE = re.compile(r"\bthere\s+(?:is|are|was|were)\s+$", re.IGNORECASE)
_NO_NOUN = frozenset(
    str.split(
    "of in to on at by for from with as and or but nor than per vs versus against the its their a an all more less fewer faster slower higher"
    " lower times over under which that if when while so up down out off min max sec pp ms min s h x k kb mb gb kib mib gib usd percent across"
    " between because then there each both only just"
    )
)  # fmt: skip
_VOWEL = re.compile(r"8|11(?![0-9])|18(?![0-9])|11[,\u00a0 ]|18[,\u00a0 ]")
_REACH = 24


def directed(text: str) -> str:
    """Return the first word of a text that says which of two is more, or that they are the same; else ""."""
    found = _DIRECTED.search(text) or _EXTREME.search(text) or _SAME.search(text)
    return found[0] if found else ""


def extreme(text: str) -> str:
    """Return the first superlative of a text; else ""."""
    found = _EXTREME.search(text)
    return found[0] if found else ""


def hedged(text: str) -> str:
    """Return the first word that calls a number small or large (`only`, `just`); else ""."""
    found = _HEDGE.search(text)
    return found[0] if found else ""


def of_size(text: str) -> str:
    """Return the first word that says how much a number is (`tripled`, `nearly all`); else ""."""
    found = _OF_SIZE.search(text)
    return found[0] if found else ""


def names_a_share(text: str) -> str:
    """Return the first word that says on which side of one half a share lies; else ""."""
    found = _SHARE.search(text)
    return found[0] if found else ""


def words_against(before: str, behind: str, old: Decimal, new: Decimal, written: tuple[str, str]) -> str:
    """Return the reason why the words right before and behind a number forbid the new one; else "".

    `written` are the old and the new figures.
    """
    near = before[-_REACH:]
    if _BOUND_BEHIND.match(behind):
        return "bound"
    if _RANK.search(near):
        return "rank"
    article = _ARTICLE.search(near)
    if article and (_is_vowel(written[1]) != _is_vowel(written[0])):
        return "article"
    if (abs(old) == 1) != (abs(new) == 1):
        noun = _NOUN.match(behind)
        if _VERB_BEFORE.search(near) or (noun and noun["word"].lower() not in _NO_NOUN):
            return "number"
    return ""


def _is_vowel(figures: str) -> bool:
    return _VOWEL.match(figures.lstrip("+-\u2212$€£")) is not None
