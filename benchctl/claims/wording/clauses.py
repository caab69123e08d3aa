"""A sentence in clauses, and whether what one of them says is limited, doubted or denied."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from benchctl.claims.wording.names import Mention
from benchctl.claims.wording.vocabulary import HEDGED, LIMITED

__all__ = ["clause_around", "clauses", "is_all_but", "is_plain"]

_SPLIT = re.compile(
    r"[,;:](?=\s)|[()\[\]\u2014]|\s[\u2013-]\s|\b(?:but|while|whereas|although|though|yet|however|because|since|which|who|so)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(
    rf"\W*(?:{LIMITED.pattern}|if|unless|except|only|at\s+(?:least|most))|\W*but\s+(?:only|not|on|for|in)\b",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\bby\s+(?:far|a\s+(?:wide\s+|large\s+|small\s+)?margin|a\s+factor(?:\s+of)?)\b|\bby\s+(?:about\s+|over\s+|roughly\s+)?(?=[~\d])"
    r"|\b(?:on|in|at)\s+(?:average|total|all|median|the\s+(?:median|mean|end|table)|both\s+senses|fact|general|short|sum)\b"
    r"|\b(?:in|on|over)\s+(?:this|our|the)\s+(?:run|benchmark|study|table|machine|suite|page)\b|\bof\s+(?:all|the|them|these)\b"
    r"|\b(?:about|around|over|under|up\s+to|at|to|of|with)\s+(?=(?:only\s+|just\s+)?[~$]?\d)|\bcompared\s+(?:to|with)\b|\bas\s+(?:many|much)\b"
    r"|\bto\s+(?:answer|run|finish|complete|solve)\b|\bthan\b|\bas\s*$|\bof\s*$|\bto\s*$|\bagainst\s*$",
    re.IGNORECASE,
)

_ALL_BUT = re.compile(
    r"\b(?:all|every\w*|none|nothing|no\s+[\w-]+|any\w*|(?:all|every)\s+[\w-]+)\s*$", re.IGNORECASE
)
_APART = re.compile(
    r"\b(?:except\w*|excluding|apart\s+from|aside\s+from|other\s+than|save\s+for|bar)\b", re.IGNORECASE
)


def clauses(text: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of every clause, what parts them left out."""
    begin = 0
    for match in _SPLIT.finditer(text):
        yield begin, match.start()
        begin = match.end()
    yield begin, len(text)


def clause_around(text: str, at: int) -> tuple[int, int]:
    """Return the bounds of the clause that a position lies in."""
    begin, end = 0, len(text)
    for start, stop in _splits(text):
        if stop <= at:
            begin = stop
        elif start > at:
            end = start
            break
    return begin, end


# A sentence is asked for each of its words that compare: what does not depend on the word is found once.
@lru_cache(maxsize=16)
def _splits(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(match.span() for match in _SPLIT.finditer(text))


@lru_cache(maxsize=16)
def _excepts(text: str) -> bool:
    return _APART.search(text) is not None


@lru_cache(maxsize=16)
def _hedged_at(text: str) -> int:
    """Return where the first word of doubt begins, behind the text for none."""
    found = HEDGED.search(text)
    return found.start() if found else len(text)


@lru_cache(maxsize=16)
def _is_limited(clause: str) -> bool:
    return LIMITED.search(clause) is not None


def is_all_but(text: str, begin: int, end: int) -> bool:
    """Say whether a clause ends in "all" and the next one begins with "but": all but two is not all."""
    return bool(_ALL_BUT.search(text[begin:end])) and text[end:].lstrip().casefold().startswith("but")


@lru_cache(maxsize=16)
def _bare(text: str, mentions: tuple[Mention, ...], begin: int, end: int) -> str:
    """Return a stretch with every name taken out, and with it the little words right before it."""
    pieces, position = [], begin
    for mention in mentions:
        if begin <= mention.start and mention.end <= end:
            pieces.append(_HARMLESS.sub(" ", text[position : mention.start].rstrip(" `*_'\"")))
            position = mention.end
    pieces.append(_HARMLESS.sub(" ", text[position:end]))
    return " \ufffc ".join(pieces)


def is_plain(
    text: str, begin: int, end: int, mentions: Sequence[Mention], without: Sequence[str] = ()
) -> bool:
    """Say whether a clause says what it says of everything, without a doubt: no "on", no "if", no "not".

    What stands before it in the sentence, or right behind it, may not limit it either. `without` are phrases that
    are understood, and limit nothing.
    """
    if _excepts(text) or (_hedged_at(text) < end and HEDGED.search(text[:end])):
        return False
    clause = _bare(text, tuple(mentions), begin, end)
    for phrase in without:
        clause = clause.replace(phrase, " ")
    lead, tail = text[:begin], text[end : end + 40]
    if _is_limited(clause):
        return False
    tail = tail.lstrip(",;:()[]\u2014\u2013- ")
    return not (lead.strip() and _LEADING.match(lead)) and not _LEADING.match(tail)
