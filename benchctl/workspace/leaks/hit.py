"""What a trace means at the place where it was found: refuse the tree, or say it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from benchctl.workspace.leaks.gold_items import SEVERAL, Item, large_part, own_source
from benchctl.workspace.leaks.needles import Needles
from benchctl.workspace.leaks.prompts import WEAK_SHARE, decisive_order, decisive_shingles, decisive_windows
from benchctl.workspace.leaks.search import Search
from benchctl.workspace.leaks.verdict import Trace, Verdict

__all__ = ["Hit", "Kind", "judged"]

Kind = Literal["canary", "prompt", "term", "gold", "unreadable"]


@dataclass(frozen=True, slots=True)
class Hit:
    """One needle in one file. A decisive hit makes the tree unusable; a weak one is printed.

    `needle` is the question, of the canary its name. `windows` is how many of a prompt's windows were found and
    `share` how much of its shingles (1 and 1.0 for a canary), `items` how many items of an answer. `kind`
    "unreadable" is a file, or a part of one, that could not be searched, and says nothing else. `detail` is
    what was found in words, `inside` the wrapping it was found in, `beside` says that it is a record with the
    question's id.
    """

    path: str
    needle: str
    kind: Kind
    windows: int = 0
    decisive: bool = False
    share: float = 0.0
    items: int = 0
    detail: str = ""
    inside: str = ""
    beside: bool = False

    def __str__(self) -> str:
        """Return the place and what is there, to be read behind "x: "."""
        return f"{self.path}{f' ({self.inside})' if self.inside else ''} {self.detail}"


def judged(
    path: str, verdict: Verdict, search: Search, needles: Needles, *, harness: bool = False
) -> Iterator[Hit]:
    """Yield the hits of one file, decisive kinds first. In the benchmark's own source whatever is found decides."""
    for trace in verdict.traces:
        for hit in _hits(path, trace, search, needles, harness=harness):
            yield (
                replace(hit, decisive=True, detail=f"{hit.detail}, in source of the benchmark")
                if harness and not hit.decisive
                else hit
            )
    if verdict.unsearched:
        yield Hit(
            path,
            "",
            "unreadable",
            detail=f"was not wholly searched: it is or holds {', '.join(verdict.unsearched)}",
        )


def _hits(path: str, trace: Trace, search: Search, needles: Needles, *, harness: bool) -> Iterator[Hit]:
    if trace.canary:
        yield Hit(
            path,
            needles.canary_name,
            "canary",
            1,
            decisive=True,
            share=1.0,
            detail=f"holds {needles.canary_name}",
            inside=trace.inside,
        )
        return
    question = trace.question
    if trace.terms:
        yield Hit(
            path,
            question,
            "term",
            decisive=True,
            detail=f"holds a leak term of {question}",
            inside=trace.inside,
        )
    if (hit := _prompt_hit(path, trace, search)) is not None:
        yield hit
    if trace.exact or trace.words or trace.beside or trace.near or trace.whole:
        few = 1 if harness else SEVERAL
        evidence = needles.evidence.get(question, ())
        yield from _gold_hits(path, trace, search, evidence, few)


def _prompt_hit(path: str, trace: Trace, search: Search) -> Hit | None:
    prompt = search.prompts.get(trace.question)
    if prompt is None or not (trace.windows or trace.shingles):
        return None
    of = search.shingles[trace.question]
    share = trace.shingles / of
    decisive = (
        decisive_windows(trace.windows)
        or decisive_shingles(trace.shingles, of)
        or decisive_order(trace.in_order, prompt.words)
    )
    if not (decisive or trace.windows or (share >= WEAK_SHARE and trace.shingles >= SEVERAL)):
        return None
    what = "holds" if decisive else f"holds {trace.windows} windows and {share:.0%} of the word runs of"
    return Hit(
        path,
        trace.question,
        "prompt",
        trace.windows,
        decisive,
        share,
        detail=f"{what} the prompt of {trace.question}",
        inside=trace.inside,
    )


def _gold_hits(path: str, trace: Trace, search: Search, evidence: Collection[str], few: int) -> Iterator[Hit]:
    """Yield at most one hit for the items of an answer, of which fewer than `few` are not worth a word.

    The file that an item names, and the evidence, may hold it.
    """
    if path in evidence:
        return
    items = search.items[trace.question]
    own = {number for number, item in enumerate(items) if own_source(path, item)}
    foreign = {*trace.exact, *trace.words} - own
    why = _why(trace, items, own)
    if why or len(foreign) >= few:
        count = len(foreign.union(trace.beside, trace.near) - own) or len(items)
        yield Hit(
            path,
            trace.question,
            "gold",
            decisive=bool(why),
            items=count,
            detail=f"holds {count} {'item' if count == 1 else 'items'} of the answer to {trace.question}{f' {why}' if why else ''}",
            inside=trace.inside,
            beside=bool(set(trace.beside) - own),
        )


def _why(trace: Trace, items: Sequence[Item], own: set[int]) -> str:
    """Return in what form the items decide; "" where they may stand in any tree."""
    joined = [number for number in trace.exact if number not in own and items[number].path is not None]
    words = () if trace.listing else trace.words
    near = [number for number in trace.near if not (trace.listing and items[number].node)]
    other = {number for number in (*words, *near) if items[number].path is not None} - own
    nodes = 0 if trace.listing else len(joined)
    if any(not items[number].node for number in joined) or _enough(nodes, len(items)):
        return "as it is written in the key"
    if len(other) >= SEVERAL and large_part(len(other), len(items)):
        return "in another notation"
    if set(trace.beside) - own:
        return "beside its id"
    return "as one list" if trace.whole and not own else ""


def _enough(found: int, of: int) -> bool:
    """Say whether so many names of tests are no longer what changelogs and settings hold."""
    return (found >= SEVERAL and large_part(found, of)) or found == of > 1
