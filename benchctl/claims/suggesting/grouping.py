"""The drafts of a group of numbers: each its own, or what such a group means: `A of B`, least to greatest, mean ± sd."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from benchctl.claims.numbers import Atom
from benchctl.claims.reading.page import Page
from benchctl.claims.suggesting.answering import Answers
from benchctl.claims.suggesting.clues import Clue, Surroundings
from benchctl.claims.suggesting.comparing import with_score
from benchctl.claims.suggesting.draft import Draft
from benchctl.claims.suggesting.drafting import counts, drafts_of, is_part
from benchctl.claims.suggesting.suggestion import Candidate

__all__ = ["Group", "candidates_of", "texts_of"]

_OF = re.compile(r"[*_~`]*\s*(?:/|\b(?:out\s+)?of\b)\s*(?:(?:its|the|their|all|our|these|those)\s+)*[*_~`]*")
_SPAN = re.compile(r"[*_]*(?:\s?[\u2010-\u2013]\s?|-|\.\.\.?|…|\s+to\s+|\s+and\s+)[*_]*")
_PLUS_MINUS = re.compile(r"\s*(?:±|\+/[-\u2212])\s*")
_ONWARD = re.compile(r"[*_]*\s?(?:\u2192|\u27f6|\u21d2|->|=>)\s?[*_]*")
_REFERENCE = re.compile(r"[\w.]+(?:\[[^\]]*\])?")
_MOST_EACH, _MOST_SHOWN = 4, 5
_ENDS = (("min", "max"), ("q1", "q3"), ("min", "median"), ("median", "max"))
_EXACT_DIGITS = ((4, 1.0), (3, 0.5))


@dataclass(frozen=True, slots=True)
class Group:
    """Numbers that hang together, and what stands around each of them."""

    atoms: tuple[Atom, ...]
    around: tuple[Surroundings, ...]


def texts_of(group: Group, page: Page) -> Iterator[str]:
    """Yield every expression that has to be measured for a group."""
    for around in group.around:
        for draft in drafts_of(around):
            yield draft.text
    for drafts in _whole(group, page):
        yield from (draft.text for draft in drafts)


def candidates_of(group: Group, page: Page, answers: Answers) -> tuple[tuple[Candidate, ...], str]:
    """Return the drafts that print the group, best first, each expression once; none without evidence.

    Where there is none, what a word close by says against the likeliest draft that prints it, else "".
    """
    fitting = [
        drafts
        for drafts in _whole(group, page)
        if answers.prints(group.atoms, [draft.text for draft in drafts])
    ]
    each = [
        [draft for draft in drafts_of(around) if answers.prints([atom], [draft.text])]
        for atom, around in zip(group.atoms, group.around, strict=True)
    ]
    tuples = [drafts for drafts in fitting if not any(draft.against for draft in drafts)]
    tuples += _single(group, page, [[draft for draft in some if not draft.against] for some in each])
    found = _ranked(group, tuples, answers)
    return found, "" if found else _conflict([*fitting, *([draft] for some in each for draft in some)])


def _single(group: Group, page: Page, each: Sequence[Sequence[Draft]]) -> Iterator[tuple[Draft, ...]]:
    """Yield the drafts of each number by itself: nobody says 12 of 12 of one and the same thing."""
    a_part = len(group.atoms) > 1 and _OF.fullmatch(_joint(group, page))
    for drafts in islice(product(*(some[:_MOST_EACH] for some in each)), 4**4):
        apart = len({draft.text for draft in drafts}) == len(drafts)
        if apart and (not a_part or is_part(drafts[0].text, drafts[1].text)):
            yield drafts


def _conflict(drafts: Sequence[Sequence[Draft]]) -> str:
    """Return what is said against the likeliest of drafts that print the number; "" where nothing is."""
    denied = [
        (max(draft.score for draft in some), some) for some in drafts if any(draft.against for draft in some)
    ]
    if not denied:
        return ""
    _, some = max(denied, key=lambda item: item[0])
    against = next(draft.against for draft in some if draft.against)
    numbers = "this number" if len(some) == 1 else "these numbers"
    return f"{against}; {'; '.join(draft.text for draft in some)} prints {numbers}"


def _ranked(group: Group, tuples: Sequence[Sequence[Draft]], answers: Answers) -> tuple[Candidate, ...]:
    exact = sum(_digits(atom) for atom in group.atoms) / len(group.atoms)
    found: dict[tuple[str, ...], Candidate] = {}
    for drafts in tuples:
        called = tuple(answers.called(draft.text, draft.share) for draft in drafts)
        score = sum(draft.score for draft in drafts) / len(drafts) + exact
        evidence = tuple(dict.fromkeys(words for draft in drafts for words in draft.evidence))
        if called not in found or found[called].score < score:
            found[called] = Candidate(called, round(score, 2), evidence)
    ordered = sorted(found.values(), key=lambda each: (-each.score, len("".join(each.expressions))))
    return tuple(ordered[:_MOST_SHOWN])


def _joint(group: Group, page: Page) -> str:
    return page.visible[group.atoms[0].token.end : group.atoms[1].token.start]


def _digits(atom: Atom) -> float:
    """Return what a number's digits are worth: few other values print 161,322."""
    figures = "".join(char for char in atom.token.text if char.isdigit()).lstrip("0")
    return next((worth for least, worth in _EXACT_DIGITS if len(figures) >= least), 0.0)


def _whole(group: Group, page: Page) -> Iterator[tuple[Draft, ...]]:
    """Yield what the group may be as one thing."""
    if len(group.atoms) not in (2, 3):
        return
    joint = _joint(group, page)
    if _OF.fullmatch(joint):
        for some, whole in counts(group.around[0]):
            if len(group.atoms) == 2:
                yield some, whole
            elif group.atoms[2].token.unit == "%":
                share = f"{some.text} / {whole.text}"
                percent = Draft(f"100 * {share}", some.score, some.evidence, share, some.against)
                yield some, whole, percent
                if some.text.startswith("score.sum"):
                    yield some, whole, replace(percent, text=some.text.replace("sum", "mean", 1), share="")
    elif len(group.atoms) == 2 and (_ONWARD.fullmatch(joint) or _SPAN.fullmatch(joint)):
        yield from _since(group.around, joint)
        yield from _across(group.around)
        yield from _pairs(group.around, _ENDS)
    elif len(group.atoms) == 2 and joint.strip() in (",", ";"):
        yield from _pairs(group.around, _ENDS)
    elif len(group.atoms) == 2 and _PLUS_MINUS.fullmatch(joint):
        yield from _pairs(group.around, (("mean", "sd"), ("median", "iqr")))


def _pairs(around: Sequence[Surroundings], kinds: Sequence[tuple[str, str]]) -> Iterator[tuple[Draft, ...]]:
    """Yield one metric of one selection by two statistics."""
    seen: set[tuple[str, str]] = set()
    for draft in drafts_of(around[1]):
        name, dot, rest = draft.text.partition(".")
        filters = rest[rest.index("[") :] if "[" in rest else ""
        if not dot or "(" in draft.text or " " in name or (name, filters) in seen:
            continue
        seen.add((name, filters))
        named = around[1].close.statistics
        for one, two in kinds:
            against = "" if not named or {one, two} & named.keys() else next(iter(named.values()))
            yield tuple(
                Draft(
                    f"{name}.{statistic}{filters}",
                    draft.score + 0.5,
                    (*draft.evidence, f"{one} and {two}"),
                    against=against,
                )
                for statistic in (one, two)
            )


def _since(around: Sequence[Surroundings], joint: str) -> Iterator[tuple[Draft, ...]]:
    """Yield one expression in another declared run and in the page's own: `rose from 0.417 to 0.667`."""
    here = around[1]
    change = here.compared.get("change")
    arrow = Clue(1.0, f"`{joint.strip()}`") if _ONWARD.fullmatch(joint) else None
    for run in here.others:
        named = here.runs.get(run)
        said = named or change or arrow
        if said is None:
            continue
        for draft in drafts_of(with_score(here)):
            if "@" in draft.text or not _REFERENCE.fullmatch(draft.text):
                continue
            evidence = (*draft.evidence, said.words, f"also {run}")
            now = replace(draft, score=draft.score + (1.5 if named else 0.75), evidence=evidence)
            yield replace(now, text=f"{draft.text}@{run}"), now


def _across(around: Sequence[Surroundings]) -> Iterator[tuple[Draft, ...]]:
    """Yield the least and the greatest of one expression over the values of a key: `ranges from $0.03 to $2.01`."""
    here = around[1]
    for column, clue in here.columns.items():
        for draft in drafts_of(here):
            if "@" in draft.text or not _REFERENCE.fullmatch(draft.text) or f"{column}=" in draft.text:
                continue
            evidence = (*draft.evidence, clue.words, "least and greatest")
            worth = draft.score + clue.weight / 4
            yield tuple(
                replace(draft, text=f"{end} over {column}: {draft.text}", score=worth, evidence=evidence)
                for end in ("min", "max")
            )
