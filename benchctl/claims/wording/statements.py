"""What a sentence says of two things: which has more of which quantity. Nothing where it may be read otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from benchctl.claims.tables.topics import NARROWER, Topic, better_of, topic_of, words_of
from benchctl.claims.wording.clauses import clause_around, is_plain
from benchctl.claims.wording.names import Mention, Names
from benchctl.claims.wording.passages import Passage
from benchctl.claims.wording.vocabulary import CHANGING, COMPARING, STRETCHED, Meaning, comparative

__all__ = ["Statement", "statements"]

_QUALIFIERS = NARROWER - {"f1"}
"""An F1 is a score like any other: a column that has no other name may be it."""
_UNNAMED = re.compile(r"\b(?:than|as|against|versus|vs)\b", re.IGNORECASE)
"""What something is compared with that has no name here."""
_NEEDS_OBJECT = frozenset(
    {"beats", "beat", "outperforms", "outperformed", "outscores", "outscored", "loses to", "lost to"}
)
_OF_OBJECT = re.compile(r"\b(?:than|as|of|to|with|vs\.?|versus|against|over)\W*$", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:costs?|takes?|took|needs?|needed|uses?|used|reads?|spends?|spent|is|are|was|were|runs?|ran|consumes?|at)\s+"
    r"(?:about\s+|nearly\s+|roughly\s+|around\s+|over\s+|more\s+than\s+|only\s+|just\s+|up\s+to\s+)?$",
    re.IGNORECASE,
)
_COSTS = re.compile(r"\bcosts?\s+(?:\S+\s+){0,3}$", re.IGNORECASE)
_TAKES = re.compile(r"\b(?:takes?|took|lasts?|lasted|runs?|ran)\s+(?:\S+\s+){0,3}$", re.IGNORECASE)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|be|being)\s+(?:\w+\s+)?$", re.IGNORECASE)
_NOUN = re.compile(r"\s*(?:(?:the|its|of|their)\s+)*((?:[\w/-]+\s*){1,4})")
_STOP = re.compile(
    r"\b(?:than|and|or|in|on|for|to|of|at|by|with|as|but|when|where|that|is|are|was|were)\b", re.IGNORECASE
)
_ON_NOUN = re.compile(r"\b(?:on|in|at|by)\s+((?:[\w/-]+\s*){1,3})", re.IGNORECASE)
_LONG: dict[str, tuple[Meaning, ...]] = {
    "long": (("time", 1),), "slow": (("time", 1), ("rate", -1)), "fast": (("time", -1), ("rate", 1)),
    "expensive": (("money", 1),), "cheap": (("money", -1),), "accurate": (("score", 1),),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """`subject` has more (+1) or less (-1) of a quantity than `object`; either may go without saying, as None.

    `qualifiers` are the words that the quantity must have, `place` where on the page the word stands that says so.
    """

    subject: str | None
    object: str | None
    meanings: tuple[Meaning, ...]
    qualifiers: frozenset[str]
    word: str
    place: tuple[int, int]


def statements(passage: Passage, names: Names) -> Iterator[Statement]:
    """Yield what a passage says, each word that compares on its own."""
    if passage.is_question:
        return
    mentions = names.find(passage.text)
    for match in COMPARING.finditer(passage.text):
        yield from _stated(passage, mentions, match, comparative(match[0]))
    for match in STRETCHED.finditer(passage.text):
        if _VERB.search(passage.text[: match.start()]):
            yield from _stated(passage, mentions, match, _stretched(match))
    for match in CHANGING.finditer(passage.text):
        if not _PASSIVE.search(passage.text[: match.start()]):
            sign = 1 if match["up"] else -1
            yield from _stated(passage, mentions, match, ((None, sign),), transitive=True)


def _stretched(match: re.Match[str]) -> tuple[Meaning, ...]:
    if match["factor"]:
        try:
            factor = Decimal(match["factor"].replace(",", "."))
        except InvalidOperation:
            return ()
        sign = (factor > 1) - (factor < 1)
    else:
        sign = 1 if match["up"] else -1
    known = _LONG.get((match["how"] or "").casefold(), ((None, 1),))
    return tuple((topic, way * sign) for topic, way in known) if sign else ()


def _stated(
    passage: Passage,
    mentions: Sequence[Mention],
    match: re.Match[str],
    meanings: tuple[Meaning, ...],
    *,
    transitive: bool = False,
) -> Iterator[Statement]:
    text = passage.text
    begin, end = clause_around(text, match.start())
    here = [mention for mention in mentions if begin <= mention.start and mention.end <= end]
    before = [mention for mention in here if mention.end <= match.start()]
    behind = [mention for mention in here if mention.start >= match.end()]
    subject = before[-1] if before else None
    other = behind[0] if behind and not transitive else None
    if subject and _OF_OBJECT.search(text[begin : subject.start]):
        return
    if len({mention.name for mention in here}) > 2 or (other and not _leads_to(text, match, other)):
        return
    if other is None and (_UNNAMED.search(text, match.end(), end) or match[0].casefold() in _NEEDS_OBJECT):
        return
    if (transitive and behind) or (subject and other and subject.name == other.name):
        return
    noun, understood = _noun(text, match, begin, end, meanings)
    named = tuple(_meanings(meanings, noun))
    if named and is_plain(text, begin, end, mentions, understood):
        qualifiers = _QUALIFIERS.intersection(words_of(noun))
        yield Statement(
            subject.name if subject else None,
            other.name if other else None,
            named,
            qualifiers,
            match[0],
            passage.place(match.start(), match.end()),
        )


def _leads_to(text: str, match: re.Match[str], other: Mention) -> bool:
    """Whether the thing behind a comparative is what it compares with: "than grep", "beats grep", "of grep"."""
    between = text[match.end() : other.start]
    return not between.strip(" `*_'\"") or _OF_OBJECT.search(between) is not None


def _noun_behind(text: str, at: int, end: int) -> str:
    """Return the noun phrase at a position: at most four words, up to the first little word."""
    found = _NOUN.match(text[at:end])
    if not found:
        return ""
    stop = _STOP.search(found[1])
    return found[1][: stop.start()] if stop else found[1]


def _noun(
    text: str, match: re.Match[str], begin: int, end: int, meanings: tuple[Meaning, ...]
) -> tuple[str, list[str]]:
    """Return the noun that the word is about, and what of the clause is thereby understood."""
    noun = _noun_behind(text, match.end(), end)
    if topic_of(noun):
        return noun, []
    if any(topic is not None for topic, _ in meanings):
        on = next((found for found in _ON_NOUN.finditer(text, match.end(), end) if topic_of(found[1])), None)
        return (on[1], [on[0].rstrip()]) if on else ("", [])
    before = text[begin : match.start()]
    if _COSTS.search(before):
        return "cost", []
    if match[0].casefold() in ("longer", "shorter") and _TAKES.search(before):
        return "time", []
    return (before, []) if topic_of(before) else ("", [])


def _meanings(meanings: tuple[Meaning, ...], noun: str) -> Iterator[Meaning]:
    """Yield the quantities that are meant: those of the word, or that of its noun."""
    topic: Topic | None = topic_of(noun)
    for known, sign in meanings:
        if known is None and topic:
            yield topic, sign
        elif known == "score" and topic and topic != "score":
            better = better_of("", topic)
            if better:
                yield topic, sign if better == "higher" else -sign
        elif known:
            yield known, sign
