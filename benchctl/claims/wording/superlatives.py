"""What a sentence calls the fastest, the best, the cheapest: a name and a quantity of which it has most or least."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchctl.claims.tables.topics import better_of, topic_of, words_of
from benchctl.claims.wording.clauses import clause_around, is_plain
from benchctl.claims.wording.masked import NAME, NUMBERS, Masked, noun_left
from benchctl.claims.wording.names import Mention, Names
from benchctl.claims.wording.passages import Passage
from benchctl.claims.wording.vocabulary import COMPARING, SUPERLATIVE, Meaning, comparative, superlative

__all__ = ["Extreme", "extremes"]

_SURE = r"(?:(?:by\s+far|clearly|also|still|overall|again|easily|always|simply)\s+)*"
_IS = r"(?:is|was|are|were|remains?|stays?|comes?\s+out|came\s+out|prove[sd])"
_HAS = (
    r"(?:has|had|needs?|needed|uses?|used|takes?|took|shows?|showed|reaches|reached|gets?|got|scores?|scored|reads?|makes?|made|spends?"
    r"|spent|costs?|gives?|gave)"
)
_BEFORE = re.compile(rf"(?P<name>{NAME})\s+(?:{_IS}|{_HAS})\s+{_SURE}(?:the\s+)?$", re.IGNORECASE)
_BEHIND = re.compile(
    rf"(?P<noun>(?:\s+[\w-]+){{0,5}}?)(?:\s+(?:{_IS}|has|had|belongs?\s+to|goes\s+to)\s+|\s*:\s+)(?:the\s+)?(?P<name>{NAME})",
    re.IGNORECASE,
)
_MANY = "|".join(NUMBERS)
_OTHERS = rf"(?:(?:every|all|any|each)\s+(?:of\s+)?(?:the\s+)?(?:{_MANY}|\d+)?\s*(?:others?|of\s+them|rest)?|everything\s+else|the\s+(?:others|rest))"
_THAN_ALL = re.compile(rf"(?:\s+than)?\s+{_OTHERS}(?P<noun>(?:\s+[\w-]+){{0,3}})", re.IGNORECASE)
_NONE_THAN = re.compile(
    r"^\W*(?P<none>no|none|nothing|neither|every|all|each)\b(?P<noun>(?:\s+[\w-]+){0,5}?)\s+(?:(?:is|was|are|were)\s+)?$",
    re.IGNORECASE,
)
_THAN_NAME = re.compile(rf"\s+(?:than\s+)?(?P<name>{NAME})", re.IGNORECASE)
_WINS = re.compile(
    rf"(?P<name>{NAME})\s+(?P<never>never\s+)?(?:wins|won)\b(?!\s+(?:on|in|at|by|a|an|no|only|the|every))",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\b(?:most|fewest|least|highest|lowest|largest|smallest|greatest|biggest|longest|shortest)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Extreme:
    """Nothing has more (+1) or less (-1) of a quantity than `name`.

    `noun` are the words that a column must have where the quantity has no meaning of its own. `denied` says that
    the sentence denies it: "never wins".
    """

    name: str
    meanings: tuple[Meaning, ...]
    noun: frozenset[str]
    word: str
    place: tuple[int, int]
    denied: bool = False


def extremes(passage: Passage, names: Names, keys: frozenset[str]) -> Iterator[Extreme]:
    """Yield what a passage calls an extreme; `keys` are words for the rows of the tables beside it."""
    if passage.is_question:
        return
    mentions = names.find(passage.text)
    if not mentions:
        return
    masked = Masked(passage.text, mentions)
    for match in SUPERLATIVE.finditer(passage.text):
        yield from _called(passage, masked, mentions, match, keys)
    for match in COMPARING.finditer(passage.text):
        yield from _compared(passage, masked, mentions, match, keys)
    for match in _WINS.finditer(masked.text):
        name, blank = masked.name(match.start()), match["never"] or ""
        rest = _rest(masked.text, match.end())
        if (
            name
            and not noun_left(rest, keys)
            and _plain(passage, mentions, match.start(), match.end(), blank)
        ):
            place = passage.place(match.start(), match.end())
            yield Extreme(
                name, (("score", 1),), frozenset(), match[0][len(match["name"]) :].strip(), place, bool(blank)
            )


def _plain(passage: Passage, mentions: Sequence[Mention], start: int, end: int, apart: str = "") -> bool:
    """Whether a clause says it without a doubt, `apart` being understood."""
    text = passage.text
    if apart:
        text = text[:start] + text[start:end].replace(apart, " " * len(apart), 1) + text[end:]
    return is_plain(text, *clause_around(text, start), mentions)


def _rest(text: str, at: int) -> str:
    end = clause_around(text, at)[1]
    return re.split(r"\band\b", text[at:end])[0]


def _called(
    passage: Passage, masked: Masked, mentions: Sequence[Mention], match: re.Match[str], keys: frozenset[str]
) -> Iterator[Extreme]:
    before = _BEFORE.search(masked.text[: match.start()])
    behind = None if before else _BEHIND.match(masked.text, match.end())
    found = before or behind
    if not found:
        return
    name = masked.name(found.start("name"))
    noun = noun_left(behind["noun"] if behind else _rest(masked.text, match.end()), keys)
    rest = _rest(masked.text, behind.end()) if behind else ""
    meant = _meant(superlative(match[0]), noun)
    if name and meant and not noun_left(rest, keys) and _plain(passage, mentions, match.start(), match.end()):
        yield Extreme(name, *meant, match[0], passage.place(match.start(), match.end()))


def _meant(meanings: tuple[Meaning, ...], noun: str) -> tuple[tuple[Meaning, ...], frozenset[str]] | None:
    """Return the quantity of a superlative and the words that its column must have; None where it has another noun."""
    topic, words = topic_of(noun), frozenset(words_of(noun))
    if not noun:
        return None if any(known is None for known, _ in meanings) else (meanings, frozenset())
    if any(known is None for known, _ in meanings):
        return tuple((topic, sign) for _, sign in meanings), words
    better = better_of("", topic)
    if topic and better and any(known == "score" for known, _ in meanings):
        return tuple((topic, sign if better == "higher" else -sign) for _, sign in meanings), words
    return None


def _compared(
    passage: Passage, masked: Masked, mentions: Sequence[Mention], match: re.Match[str], keys: frozenset[str]
) -> Iterator[Extreme]:
    """Yield "faster than every other arm" and "no arm is faster than grep"."""
    meanings = comparative(match[0])
    if any(topic is None for topic, _ in meanings):
        return
    text = masked.text
    place = passage.place(match.start(), match.end())
    subject = re.search(rf"(?P<name>{NAME})\s+(?:{_IS}\s+{_SURE})?$", text[: match.start()])
    than_all = _THAN_ALL.match(text, match.end())
    if subject and than_all:
        name, left = masked.name(subject.start("name")), noun_left(than_all["noun"], keys)
        if name and not left and _plain(passage, mentions, match.start(), match.end()):
            yield Extreme(name, meanings, frozenset(), match[0], place)
        return
    begin, _ = clause_around(text, match.start())
    none, than = _NONE_THAN.match(text[begin : match.start()]), _THAN_NAME.match(text, match.end())
    if none and than and not noun_left(none["noun"], keys) and not noun_left(_rest(text, than.end()), keys):
        name, every = masked.name(than.start("name")), none["none"].casefold() in ("every", "all", "each")
        sign = -1 if every else 1
        if name and _plain(passage, mentions, begin, match.end(), none["none"]):
            yield Extreme(
                name, tuple((topic, way * sign) for topic, way in meanings), frozenset(), match[0], place
            )
