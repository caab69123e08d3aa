"""Words beside a number that say which way something went by it: `fell by 25`, `a loss of 25 points`, `25 % lower`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchctl.claims.more_and_less import FALLING, RISING
from benchctl.claims.tables.topics import Better, Topic
from benchctl.claims.wording.vocabulary import COMPARING, Meaning, comparative

__all__ = ["Said", "said_at"]

_UP = rf"{RISING}|rais(?:es?|ed|ing)|soar(?:s|ed)?|surg(?:es?|ed)|boost(?:s|ed)?"
_DOWN = rf"{FALLING}|reduc(?:es?|ed|ing)|lower(?:s|ed|ing)|cuts?|cutting|trim(?:s|med)?|slash(?:es|ed)?|plunge[sd]?|slip(?:s|ped)?|tumble[sd]?"
_NEUTRAL: tuple[Meaning, ...] = ((None, 1),)
_SAVED: tuple[Meaning, ...] = (("tokens", -1), ("time", -1), ("money", -1), ("calls", -1), ("memory", -1))
_GAINED: tuple[Meaning, ...] = (("score", 1), ("answers", 1))
_FAST: tuple[Meaning, ...] = (("time", -1), ("rate", 1))
_LITTLE = (
    r"(?:\s+(?:by|about|around|roughly|approximately|nearly|almost|only|just|some|another|an?|further|over|under|up\s+to|more\s+than"
    r"|less\s+than|as\s+much\s+as|at\s+least|at\s+most|sharply|slightly|steeply|significantly|substantially|modestly|markedly|even"
    r"|fully|exactly|the\s+full))*[\s*_`(~\u2248$\u20ac+]*$"
)
_OBJECT = r"(?:\s+(?!(?:and|but|while|or|which|that|from|to)\b)[\w'\u2019/-]+){0,6}?\s+by"
_OF = r"(?:\s+(?:in|of)(?:\s+[\w'\u2019-]+){1,4}?)?\s+(?:of|by)"
_UNIT = (
    r"[*_`)]*\s*-?\s*(?:relative\s+|percentage\s+)?(?:(?:points?|pp|percent|tokens?|s|seconds?|secs?|ms|milliseconds?|minutes?|hours?"
    r"|dollars?|cents?|calls?|cells?|questions?|answers?|times|usd)\b)?[*_`]*\s*-?\s*"
)
_NOUN_UP = r"increase|rise|jump|growth|climb"
_NOUN_DOWN = r"reduction|decrease|drop|decline|fall|cut|dip"
_WAYS = rf"(?P<up>{_UP}|{_NOUN_UP})|(?P<down>{_DOWN}|{_NOUN_DOWN})"
_FURTHER = (
    r"(?P<saved>sav(?:es?|ed|ings?))|(?P<gained>gain(?:s|ed|ing)?)|(?P<lost>loses?|lost|losing|loss(?:es)?)"
    r"|(?P<better>improv(?:es?|ed|ing|ements?))|(?P<worse>worsen(?:s|ed|ing)?|regress(?:es|ed|ions?)?|degrad(?:es?|ed|ation))"
    r"|(?P<slower>slow(?:s|ed|ing)?(?:[\s-]?downs?)?|slowdowns?)|(?P<faster>sp(?:eeds?|ed|eeding)[\s-]?ups?|speedups?)"
)
_BEFORE = (
    re.compile(rf"\b(?:{_WAYS}|{_FURTHER})(?:{_OBJECT}|{_OF})?{_LITTLE}", re.IGNORECASE),
    re.compile(rf"\b(?P<saved>sav(?:es?|ed|ing))\s+[\w-]+{_LITTLE}", re.IGNORECASE),
    re.compile(rf"\b(?P<word>{COMPARING.pattern})(?:\s+than(?:\s+[\w'\u2019.-]+){{1,4}}?)?\s+by{_LITTLE}", re.IGNORECASE),
    re.compile(
        r"(?:^|[,;:(\u2014]|\b(?:is|was|are|were|been|goes?|went|gone|going|came|moves?|moved|ticked|edged|inched|still|now))"
        rf"\s*\b(?:(?P<up>up)(?!\s+to\b)|(?P<down>down)){_LITTLE}", re.IGNORECASE
    ),
)  # fmt: skip
_BEHIND = (
    re.compile(rf"{_UNIT}(?P<word>{COMPARING.pattern})(?!\s+or\b)", re.IGNORECASE),
    re.compile(
        rf"{_UNIT}(?:(?P<up>{_NOUN_UP}|above(?=\s+[^\W\d]))|(?P<down>{_NOUN_DOWN}|below(?=\s+[^\W\d]))|{_FURTHER})\b"
        r"(?!\s+(?:short|into|under|outside|within|out|off))", re.IGNORECASE
    ),
    re.compile(rf"{_UNIT}(?:(?P<up>up)|(?P<down>down))(?=\s*(?:[.,;:)]|$|(?:on|from|against|over|compared|since|vs)\b))", re.IGNORECASE),
)  # fmt: skip
_MEANT: dict[str, tuple[tuple[Meaning, ...], int]] = {
    "up": (_NEUTRAL, 1), "down": (_NEUTRAL, -1), "saved": (_SAVED, 1), "gained": (_GAINED, 1), "lost": (_GAINED, -1),
    "faster": (_FAST, 1), "slower": (_FAST, -1),
}  # fmt: skip
_PRAISE = {"better": 1, "worse": -1}
_CONTESTS = re.compile(r"beats?|outperform\w*|outscor\w*|los(?:es|t)\s+to", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """A word that says which way something went, from `start` to `end` of its text.

    `meanings` are the quantities that it may be said of, None for any, each with +1 for more; `praise` is +1 where it
    says better and -1 where worse, whichever way that is.
    """

    word: str
    start: int
    end: int
    meanings: tuple[Meaning, ...]
    praise: int = 0

    def way(self, topic: Topic | None, better: Better | None) -> int:
        """Return whether it says more (+1) or less (-1) of a quantity; 0 where it is not said of such a one."""
        for known, sign in self.meanings:
            if known is None or known == topic:
                return sign
        return self.praise * (1 if better == "higher" else -1) if better else 0


def said_at(text: str, start: int, end: int) -> Said | None:
    """Return the word that a number from `start` to `end` of a sentence belongs to; None for none, or for two at odds."""
    before = next((match for pattern in _BEFORE if (match := _last(pattern, text[:start]))), None)
    behind = next((match for pattern in _BEHIND if (match := pattern.match(text, end))), None)
    found = [_said(match) for match in (before, behind) if match]
    if len(found) == 2 and (found[0].meanings, found[0].praise) != (found[1].meanings, found[1].praise):
        return None
    return found[0] if found and not _CONTESTS.fullmatch(found[0].word) else None


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the match that ends a text and begins last: the verb nearest to the number."""
    found, at = None, 0
    while match := pattern.search(text, at):
        found, at = match, match.start() + 1
    return found


def _said(match: re.Match[str]) -> Said:
    groups = match.groupdict()
    name = next(name for name, written in groups.items() if written)
    word, (start, end) = match[name], match.span(name)
    if name == "word":
        return Said(word, start, end, comparative(word), _praise_of(word))
    if name in _PRAISE:
        return Said(word, start, end, (), _PRAISE[name])
    meanings, sign = _MEANT[name]
    return Said(word, start, end, tuple((topic, way * sign) for topic, way in meanings))


def _praise_of(word: str) -> int:
    return {"better": 1, "worse": -1}.get(word.casefold(), 0)
