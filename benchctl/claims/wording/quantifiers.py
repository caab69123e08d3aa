"""What a sentence says of all, of none or of one alone: a bound that every row keeps, questions answered, nothing failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from benchctl.claims.numbers import Atom
from benchctl.claims.tables.topics import NARROWER, Topic, singular, topic_of, words_of
from benchctl.claims.wording.clauses import clause_around, clauses, is_all_but, is_plain
from benchctl.claims.wording.masked import NAME, NUMBERS, THINGS, Masked, noun_left
from benchctl.claims.wording.names import Mention, Names
from benchctl.claims.wording.passages import Passage
from benchctl.quantities.units import family, normalise_unit

__all__ = ["Quantified", "quantified"]

Claim = Literal["bound", "full", "failures"]

_MANY = "|".join(NUMBERS)
_HEAD = (
    rf"(?P<all>all|every|each|both|no|none|neither|nothing)\b(?:\s+of)?(?:\s+(?:the|these|them|our|its))*"
    rf"(?:\s+(?P<many>{_MANY}|\d+))?(?:\s+(?P<noun>[^\W\d_][\w-]*))??"
)
_ONE = rf"(?:(?P<only>only)\s+)?(?P<name>{NAME})(?:\s+(?P<never>never))?"
_OF_ALL = r"(?:all|every|everything|each)\b[^.;]*"
_ANSWERED = r"(?P<verb>answered|solved|passed|completed|finished|resolved)"
_FAILED = r"(?P<verb>failed|timed\s+out|crashed|errored)"
_BE = r"(?:(?:is|are|was|were|have|has|had|been|be|lies?|stays?|remains?|scores?|scored|takes?|took|costs?|needs?|needed|uses?|used|reach(?:es|ed)?)\s+)*"
_CMP = r"(?P<cmp>above|over|below|under|at\s+least|at\s+most|more\s+than|less\s+than|fewer\s+than|higher\s+than|lower\s+than|exceeds?|exceeded)\s+"
_FULL = re.compile(
    rf"^\W*(?:{_HEAD}|{_ONE})\s+{_BE}{_ANSWERED}(?:\s+(?P<object>{_OF_ALL}))?\W*$", re.IGNORECASE
)
_FAILURES = re.compile(rf"^\W*(?:{_HEAD}|{_ONE})\s+{_BE}{_FAILED}\W*$", re.IGNORECASE)
_BOUND = re.compile(
    rf"^\W*(?:{_HEAD}|{_ONE})\s+(?P<said>{_BE}){_CMP}(?P<number>[$\u20ac]?\d[\d.,]*)(?P<tail>[^.;]*)",
    re.IGNORECASE,
)
_LESS = frozenset({"below", "under", "at most", "less than", "fewer than", "lower than"})
_SAID: dict[str, Topic] = {"score": "score", "scored": "score", "scores": "score", "takes": "time", "took": "time", "take": "time",
                           "cost": "money", "costs": "money"}  # fmt: skip
_IN_TERMS_OF = re.compile(r"\b(?:in|of)\s+([\w-]+)")
_LARGEST_POWER = 30
_ASKED = frozenset(
    {
        "question",
        "questions",
        "cell",
        "cells",
        "run",
        "runs",
        "trial",
        "trials",
        "attempt",
        "attempts",
        "task",
        "tasks",
        "issue",
        "issues",
    }
)
_FAILING = {"failed": "failed", "timed out": "timeout", "crashed": "crash", "errored": "error"}


@dataclass(frozen=True, slots=True)
class Quantified:
    """What is said of all rows (`name` None), of one, or (`only`) of one alone; `none` says that it is said of none.

    A "bound" is that a figure of `topic` (None: whichever is alike) lies above (+1) or below (-1) `limit`; "full"
    that as many were answered as asked, under a header with `verb`; "failures" that there is one. `many` is of how
    many rows it is said, where the sentence counts them.
    """

    claim: Claim
    word: str
    place: tuple[int, int]
    name: str | None = None
    noun: str = ""
    only: bool = False
    none: bool = False
    many: int | None = None
    verb: str = ""
    topic: Topic | None = None
    words: frozenset[str] = frozenset()
    sign: int = 0
    limit: Decimal = Decimal(0)
    unit: str = ""


def quantified(
    passage: Passage, names: Names, keys: frozenset[str], atoms: Sequence[Atom]
) -> Iterator[Quantified]:
    """Yield what a passage says of all or none; `atoms` are the numbers that stand in it."""
    if passage.is_question:
        return
    mentions = names.find(passage.text)
    masked = Masked(passage.text, mentions)
    for begin, end in clauses(passage.text):
        for kind, pattern in _PATTERNS:
            found = pattern.match(masked.text[begin:end])
            if is_all_but(passage.text, begin, end):
                break
            if found and _understood(found, keys) and _is_plain(passage, mentions, (begin, end), found):
                said = _READ[kind](found, masked, begin, passage, atoms)
                yield from [said] if said else []
                break


def _understood(found: re.Match[str], keys: frozenset[str]) -> bool:
    """Whether what is counted is a row of a table, or what was asked of all."""
    noun = (found["noun"] or "").casefold() if "noun" in found.groupdict() else ""
    return not noun or noun in THINGS or noun in _ASKED or noun.rstrip("s") in keys


def _is_plain(
    passage: Passage, mentions: Sequence[Mention], clause: tuple[int, int], found: re.Match[str]
) -> bool:
    groups = found.groupdict()
    spans = [
        found.span(name) for name in ("all", "only", "never", "object", "cmp", "many") if groups.get(name)
    ]
    text = list(passage.text)
    for start, end in spans:
        text[clause[0] + start : clause[0] + end] = " " * (end - start)
    measured = [phrase[0] for phrase in _IN_TERMS_OF.finditer("".join(text)) if topic_of(phrase[1])]
    return is_plain("".join(text), *clause, mentions, measured)


def _common(found: re.Match[str], masked: Masked, begin: int, passage: Passage) -> dict[str, object]:
    groups = found.groupdict()
    many = (groups.get("many") or "").casefold()
    count = NUMBERS.get(many) or (int(many) if many.isdigit() and len(many) < 4 else None)
    quantifier = (groups.get("all") or "").casefold()
    first = next(name for name in ("all", "only", "never", "verb", "cmp") if groups.get(name))
    return {
        "word": groups[first],
        "place": passage.place(begin + found.start(first), begin + found.end(first)),
        "name": masked.name(begin + found.start("name")) if groups.get("name") else None,
        "noun": singular((groups.get("noun") or "").casefold()),
        "only": bool(groups.get("only")),
        "none": quantifier in ("no", "none", "neither", "nothing"),
        "many": 2 if quantifier in ("both", "neither") else count,
    }


def _full(
    found: re.Match[str],
    masked: Masked,
    begin: int,
    passage: Passage,
    atoms: Sequence[Atom],  # noqa: ARG001
) -> Quantified | None:
    noun, common = (found["noun"] or "").casefold(), _common(found, masked, begin, passage)
    asked = noun in _ASKED or (noun == "" and found["all"] and not found["many"])
    if common["none"] or found["never"] or not (found["object"] or (asked and found["all"])):
        return None
    if found["all"] and noun in _ASKED:
        common["many"] = None  # so many questions, not so many rows
    return Quantified("full", verb=found["verb"].casefold(), **common)  # type: ignore[arg-type]


def _failures(
    found: re.Match[str],
    masked: Masked,
    begin: int,
    passage: Passage,
    atoms: Sequence[Atom],  # noqa: ARG001
) -> Quantified | None:
    common = _common(found, masked, begin, passage)
    if found["never"]:
        common["none"] = True
    elif not common["none"] and not common["only"]:
        return None
    verb = _FAILING[" ".join(found["verb"].casefold().split())]
    if (found["noun"] or "").casefold() in _ASKED:
        common["many"] = None
    return Quantified("failures", verb=verb, **common)  # type: ignore[arg-type]


def _bound(
    found: re.Match[str], masked: Masked, begin: int, passage: Passage, atoms: Sequence[Atom]
) -> Quantified | None:
    start, _ = passage.place(begin + found.start("number"), begin + found.end("number"))
    atom = next((atom for atom in atoms if atom.start == start), None)
    if atom is None or atom.token.value is None or abs(atom.token.value.adjusted()) > _LARGEST_POWER:
        return None
    tail = masked.text[
        begin + found.start("tail") : clause_around(masked.text, begin + found.start("tail"))[1]
    ]
    tail = tail[max(0, atom.token.end - atom.token.start - len(found["number"])) :]
    noun = noun_left(re.split(r"\band\b", tail)[0].replace(" in ", " "), frozenset())
    unit = normalise_unit(atom.token.unit)
    said = next((_SAID[word] for word in found["said"].casefold().split() if word in _SAID), None)
    topic = topic_of(noun, unit) or said
    if noun and not topic:
        return None
    words = frozenset(words_of(noun)) if noun and topic_of(noun) else frozenset()
    if found["never"] or not (found["all"] or found["only"]):
        return None
    cmp = " ".join(found["cmp"].casefold().split())
    common = _common(found, masked, begin, passage)
    return Quantified(
        "bound",
        topic=topic,
        words=words & NARROWER,
        sign=-1 if cmp in _LESS else 1,
        limit=atom.token.value,
        unit=unit if family(unit) else "",
        **common,  # type: ignore[arg-type]
    )


_PATTERNS: tuple[tuple[Claim, re.Pattern[str]], ...] = (
    ("full", _FULL),
    ("failures", _FAILURES),
    ("bound", _BOUND),
)
_READ = {"full": _full, "failures": _failures, "bound": _bound}
