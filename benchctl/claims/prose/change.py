"""Two numbers and what a sentence says of the way from one to the other: `9.42 → 5.27 (−44 %)`.

Only what stands side by side is read, and nothing where the two numbers may be a setting
(`from 8 to 32 threads, 12 % faster`), a range, or versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from benchctl.claims.more_and_less import BETTER, CHEAPER, FASTER, LESS, MORE, SLOWER, WORSE
from benchctl.claims.prose.prose import Prose, is_signed
from benchctl.claims.prose.wording import CHANGING, ROUGHLY, clause, counts
from benchctl.quantities.tokens import Token
from benchctl.quantities.units import family, normalise_unit

__all__ = ["Change", "changes"]

_ARROW = re.compile(r"\s*(?:[\u2192\u27f6\u2794\u21d2]|[-=]>)\s*")
_TO = re.compile(r"(?P<words>(?:\s+[a-z-]+)?)\s+(?:down |up )?to\s+(?:only |just |about )?")
_AGAINST = re.compile(r",?\s+(?:vs\.?|versus|against|compared (?:to|with)|down from|up from)\s+")
_FROM = re.compile(r"\bfrom\s+(?:about |around |roughly |over |under )?\s*\Z", re.IGNORECASE)
_HEDGE = rf"(?:(?:{ROUGHLY}|an?|by|down|up)\s+)*[~\u2248<>\u2264\u2265]*\s*"
_THEN = re.compile(
    rf"(?P<words>(?:\s+[A-Za-z-]+){{0,2}}?)(?:(?P<paren>\s*\(\s*)|\s*[,;:]\s+|\s+[\u2014\u2013]\s+){_HEDGE}"
)
_OPENS = re.compile(r"(?P<words>(?:\s+[A-Za-z-]+){0,4})\s*\(\s*(?:from\s+)?")
_DOWN = "reductions? decreases? drops? falls? cuts? savings? saved declines? dip below"
_UP = "increases? rises? jumps? growth above"
_EITHER = "improvements? gains? changes? difference slow-?downs? speed-?ups? regressions?"
_CHANGE = re.compile(
    rf"\s*-?\s*(?:relative\s+)?(?:(?P<down>{'|'.join((*_DOWN.split(), *LESS, *CHEAPER))})|(?P<up>{'|'.join((*_UP.split(), *MORE))})|(?P<either>{'|'.join((*_EITHER.split(), *FASTER, *SLOWER, *BETTER, *WORSE))}))"
    r"(?![\w-])(?:\s+(?P<noun>[a-z]+))?"
)
_END = re.compile(r"\s*(?:[.,;:)\]](?!\d)|\Z|\s[\u2014\u2013]\s|\s(?:and|but|while)\s)")
_CLOSED = re.compile(r"\s*\)")
_LISTED = re.compile(r"\s*(?:[,;/]|and|or)\s*(?:and\s+|an?\s+)?")
_PART = re.compile(r"\s*(?:[/\u2013\u00b1-]|\bof\b|\bto\b|\bout of\b|\band\b|\+)\s*(?:the\s+|its\s+)?")
_SETTING = re.compile(
    r"\b(?:rais|increas|lower|reduc|go|mov|switch|chang|scal|doubl|halv|grow|extend|expand|bump|cutt|vary|widen|allow|giv|us|add)ing\b"
    r"|\b(?:caps?|timeouts?|limits?|budgets?|threads?|workers?|batch\w*|sizes?|temperatures?|windows?|contexts?|cores?|cpus?|gpus?|reps?"
    r"|repetitions|repeats|depth|thresholds?|caches?|buffers?|pools?|shards?|chunks?|beams?|dim\w*|layers?|versions?|upgrad\w*|releases?"
    r"|bump\w*|migrat\w*|concurren\w*|parallel\w*|nodes?|replicas|lengths?|ports?|python|effort|seeds?|epochs?|rows|samples?|n|k"
    r"|rang\w*|var(?:y|ies|ied|ying)|between|spread|intervals?|sweeps?|swept|grid|scan\w*|scal\w*|steps?"
    r"|turns? allowed|continuations?|quality|prices?)\b",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"\b(?:at|with|under|on|for|given|using|after|of|when|if)\s+(?:an?\s+|the\s+)?\Z", re.IGNORECASE
)
_PREPOSITION = re.compile(
    r"\b(?:on|in|for|that|which|with|at|when|where|over|per|from|by|and|but|to|of|than)\b", re.IGNORECASE
)
_PRAISE = re.compile(r"improv|gain|better|sav(?:ed|ing)|reduc|speed|faster", re.IGNORECASE)
"""Words after which a plus may be less of something bad."""
_TIMES = re.compile(r"\s+times\b")
_MULTIPLIER = re.compile(r"[kKMBT]\b|thousand|million|billion")
_LONGEST_CHAIN = 12
_POWERS_OF_TWO = frozenset(2**power for power in range(21))


@dataclass(frozen=True, slots=True)
class Change:
    """Items `first` and `last`, and the item `said` of the way between them.

    `earlier` are all items that the way may begin at (of a chain of arrows). `ordered` says that the first came
    first; `bare` that no word says what kind of change it is. `unit` is that of what is said, `x` also for "2 times".
    """

    earlier: tuple[int, ...]
    last: int
    said: int
    ordered: bool
    bare: bool
    unit: str
    direction: Literal["down", "up", ""] = ""

    @property
    def first(self) -> int:
        """Return the item right before the last."""
        return self.earlier[-1]


def changes(prose: Prose) -> Iterator[Change]:
    """Yield every change that a page says in one place, the two numbers of one unit and none of them a setting."""
    for index, gap in enumerate(prose.gaps):
        joint = _joint(prose, index, gap)
        if not joint or not _pairs(prose, index):
            continue
        found = _behind(prose, index, joint) or _ahead(prose, index, joint)
        if found and not _is_setting(prose, found) and not _is_contrary(prose, found):
            yield found


def _joint(prose: Prose, index: int, gap: str) -> str:
    if _ARROW.fullmatch(gap):
        return "arrow"
    towards = _TO.fullmatch(gap)
    if towards and counts(towards["words"]) and index and _FROM.search(prose.before(index - 1)):
        return "from"
    return "against" if _AGAINST.fullmatch(gap) else ""


def _pairs(prose: Prose, last: int) -> bool:
    """Whether both numbers may be computed with, are of one unit, and belong to no range or share."""
    first = last - 1
    if not (prose.usable(first) and prose.usable(last)) or _PART.fullmatch(prose.gap(first)):
        return False
    a, b = prose.token(first), prose.token(last)
    if a.cmp not in ("=", "~") or b.cmp not in ("=", "~") or a.kind == "param" or b.kind == "param":
        return False
    left, right = normalise_unit(a.unit), normalise_unit(b.unit)
    alike = left == right or not left or (family(left) is not None and family(left) == family(right))
    scaled = bool(_MULTIPLIER.search(a.text)) == bool(_MULTIPLIER.search(b.text))
    return alike and (scaled or (a.value or 0) >= 1000)


def _earlier(prose: Prose, last: int) -> tuple[int, ...]:
    first = last - 1
    while last - first < _LONGEST_CHAIN and _ARROW.fullmatch(prose.gap(first)) and prose.usable(first - 1):
        first -= 1
    return tuple(range(first, last))


def _unit(prose: Prose, index: int) -> str:
    """Return the unit of what is said: "2.0 times" is a factor, too."""
    unit = prose.token(index).unit
    return "x" if not unit and _TIMES.match(prose.after(index, 8)) else unit


def _speaks(token: Token) -> bool:
    return token.unit in ("%", "pp", "x") or (is_signed(token) and not token.word)


def _behind(prose: Prose, last: int, joint: str) -> Change | None:
    """Return what is said behind the two: `9.42 → 5.27 (−44 %)`, `from 9.42 to 5.27, a 44 % reduction`."""
    said = last + 1
    found = _THEN.fullmatch(prose.gap(said))
    if not found or not prose.usable(said) or not _speaks(prose.token(said)) or not counts(found["words"]):
        return None
    if _more_follow(prose, said):
        return None
    token, tail = prose.token(said), prose.after(said)
    bare = _CLOSED.match(tail) if found["paren"] else _END.match(tail) and is_signed(token)
    word = None if bare else _CHANGE.match(tail)
    if not bare and not (word and _ends(prose, last, word, tail)):
        return None
    if bare and not is_signed(token) and token.unit != "x" and not CHANGING.search(prose.before(last - 1)):
        return None
    if token.unit not in ("%", "pp", "x") and not bare:
        return None
    return _change(prose, last, said, word, joint, bare=bool(bare))


def _ends(prose: Prose, last: int, word: re.Match[str], tail: str) -> bool:
    """Whether the sentence goes on with nothing that the change could be of, but what was named before."""
    noun = word["noun"]
    if noun and noun not in ("and", "but", "while"):
        named = prose.before(last - 1) + prose.gap(last) + prose.gap(last + 1) + prose.token(last).text
        return noun in named.split() and bool(_END.match(tail, word.end()))
    return bool(_END.match(tail, word.start("noun") - 1 if noun else word.end()))


def _more_follow(prose: Prose, said: int) -> bool:
    """Whether another percent or factor follows in a list: then nobody knows which is whose."""
    behind = said + 1
    return (
        bool(_LISTED.fullmatch(prose.gap(behind))) and prose.usable(behind) and _speaks(prose.token(behind))
    )


def _ahead(prose: Prose, last: int, joint: str) -> Change | None:
    """Return what is said before the two: `2.0× the tokens (139,810 vs 69,164)`."""
    said = last - 2
    if not prose.usable(said) or _unit(prose, said) not in ("%", "pp", "x"):
        return None
    opens = _OPENS.fullmatch(prose.gap(last - 1))
    behind = re.match(r"(?:\s+[A-Za-z-]+){0,2}\s*\)", prose.after(last))
    before = prose.before(said)
    if not opens or not behind or _PREPOSITION.search(opens["words"]) or _GIVEN.search(before):
        return None
    token = prose.token(said)
    word = _CHANGE.match(opens["words"])
    if _unit(prose, said) != "x" and not word and not (is_signed(token) or CHANGING.search(clause(before))):
        return None
    return _change(prose, last, said, word, joint, bare=False)


def _change(
    prose: Prose, last: int, said: int, word: re.Match[str] | None, joint: str, *, bare: bool
) -> Change:
    direction: Literal["down", "up", ""] = ""
    if word and not word["either"]:
        direction = "down" if word["down"] else "up"
    earlier = _earlier(prose, last)
    praised = _PRAISE.search(f"{prose.before(earlier[0])} {prose.header(last)}")
    return Change(
        earlier, last, said, joint != "against", bare and not praised, _unit(prose, said), direction
    )


def _is_contrary(prose: Prose, change: Change) -> bool:
    """Whether the word and the numbers go different ways: then the change may well be of something else."""
    a, b = prose.token(change.first).value or 0, prose.token(change.last).value or 0
    return change.ordered and {"down": b > a, "up": b < a}.get(change.direction, False)


def _is_setting(prose: Prose, change: Change) -> bool:
    """Whether the two numbers may be what was set, and the change what came of it."""
    around = " ".join(
        (
            prose.before(change.earlier[0], 100),
            prose.gap(change.said),
            prose.header(change.last),
            prose.after(change.last, 24),
        )
    )
    if _SETTING.search(around) or _GIVEN.search(prose.before(change.earlier[0])):
        return True
    a, b, said = prose.token(change.first), prose.token(change.last), prose.token(change.said)
    plain = [token for token in (a, b) if not token.unit and token.place == 1 and (token.value or 0) < 1000]
    if len(plain) == 2 and not change.direction:
        return not is_signed(said) or all(int(token.value or 0) in _POWERS_OF_TWO for token in plain)
    return False
