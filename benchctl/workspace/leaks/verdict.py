"""What the content of a file proves, wherever it lies: a few numbers a question, fit to be kept by digest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

from benchctl.workspace.leaks.budget import Budget
from benchctl.workspace.leaks.layers import layers
from benchctl.workspace.leaks.search import Found, Search
from benchctl.workspace.leaks.texts import texts_of

__all__ = ["Trace", "Verdict", "examine", "verdict_json", "verdict_of_json"]


@dataclass(frozen=True, slots=True)
class Trace:
    """What one file holds of one question's key; question "" stands for the suite's canary.

    `windows` and `shingles` are counts of different parts of the prompt, `in_order` of its words in one place and
    in its order, `terms` of leak terms. `exact` and `words` are the numbers of the gold's items found as they
    stand and as bare words, `beside` of those in a record with the question's id, `near` of those whose path and
    name stand side by side; `whole` says that all items stand in one run, `listing` that much else of their form stands there. `inside` is the wrapping in which most
    of it was found, "" where it lies open.
    """

    question: str
    canary: bool = False
    windows: int = 0
    shingles: int = 0
    in_order: int = 0
    terms: int = 0
    exact: tuple[int, ...] = ()
    words: tuple[int, ...] = ()
    beside: tuple[int, ...] = ()
    near: tuple[int, ...] = ()
    whole: bool = False
    listing: bool = False
    inside: str = ""

    @property
    def weight(self) -> tuple[int, ...]:
        """Return what two traces of one question are compared by: the heavier one is told."""
        return (
            self.canary,
            self.terms,
            self.windows,
            self.shingles,
            self.in_order,
            len(self.beside),
            self.whole,
            len(self.exact),
            len(self.near),
            len(self.words),
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """All traces in one file, and why parts of it could not be searched."""

    traces: tuple[Trace, ...] = ()
    unsearched: tuple[str, ...] = ()


def examine(data: bytes, search: Search) -> Verdict:
    """Return what a file's bytes hold, all that is wrapped in them included."""
    budget = Budget()
    best: dict[str, Trace] = {}
    for inside, layer in layers(data, budget):
        for text in texts_of(layer):
            for question, found in search(text).items():
                trace = _trace(question, found, inside)
                kept = best.get(question)
                if kept is None or trace.weight > kept.weight:
                    best[question] = trace
    return Verdict(tuple(best[question] for question in sorted(best, key=search.order)), budget.unsearched)


def _trace(question: str, found: Found, inside: str) -> Trace:
    return Trace(
        question=question,
        canary=found.canary,
        windows=len(found.windows),
        shingles=len(found.shingles),
        in_order=found.in_order,
        terms=len(found.terms),
        exact=tuple(sorted(found.exact)),
        words=tuple(sorted(found.words)),
        beside=found.beside,
        near=tuple(sorted(found.near)),
        whole=found.whole,
        listing=found.listing,
        inside=inside,
    )


def verdict_json(verdict: Verdict) -> dict[str, object]:
    """Return a verdict as JSON; what is nothing is left out."""
    traces = [{key: value for key, value in asdict(trace).items() if value} for trace in verdict.traces]
    kept: dict[str, object] = {"traces": traces, "unsearched": list(verdict.unsearched)}
    return {key: value for key, value in kept.items() if value}


def verdict_of_json(raw: object) -> Verdict:
    """Return the verdict of `verdict_json`. Raises ValueError for anything else."""
    if not isinstance(raw, Mapping) or raw.keys() - {"traces", "unsearched"}:
        raise ValueError("no verdict")
    return Verdict(tuple(_traces_of(raw.get("traces", []))), tuple(_words(raw.get("unsearched", []))))


def _traces_of(raw: object) -> Iterator[Trace]:
    for trace in _list(raw):
        if not isinstance(trace, Mapping) or trace.keys() - _KINDS.keys():
            raise ValueError("no trace")
        fields: dict[str, object] = {"question": ""}
        for key, value in trace.items():
            if type(value) is not _KINDS[key]:
                raise ValueError(f"no {key}")
            fields[key] = tuple(_numbers(value)) if isinstance(value, list) else value
        yield Trace(**fields)  # type: ignore[arg-type]  # each kind was looked at above


_KINDS: dict[str, type] = {
    "question": str,
    "canary": bool,
    "windows": int,
    "shingles": int,
    "in_order": int,
    "terms": int,
    "exact": list,
    "words": list,
    "beside": list,
    "near": list,
    "whole": bool,
    "listing": bool,
    "inside": str,
}


def _list(raw: object) -> list[object]:
    if not isinstance(raw, list):
        raise ValueError("no list")  # noqa: TRY004  # the caller has one error for a damaged record
    return raw


def _words(raw: object) -> Iterable[str]:
    for word in _list(raw):
        if not isinstance(word, str):
            raise ValueError("no word")  # noqa: TRY004
        yield word


def _numbers(raw: object) -> Iterable[int]:
    for number in _list(raw):
        if type(number) is not int:
            raise ValueError("no number")
        yield number
