"""What a number may be, by the clues around it: expressions with their evidence, nothing evaluated yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchctl.claims.suggesting.clues import Clue, Surroundings
from benchctl.claims.suggesting.comparing import between_runs, compared
from benchctl.claims.suggesting.draft import EACH_REFERENCE, SOLVED_CELL, Draft
from benchctl.claims.suggesting.measures import measures
from benchctl.claims.suggesting.selecting import Selection, filters_text, selections

__all__ = ["counts", "drafts_of", "is_part"]

_UNITED = 0.25
"""What a metric's own sum or mean is worth beside a count by condition: a mean has its unit, a count is exact."""


def drafts_of(around: Surroundings) -> list[Draft]:
    """Return the drafts of one number, the likeliest first; none where no word and no unit speaks for any."""
    chosen = selections(around)
    found = [
        *_plain(around, chosen),
        *_counted(around, chosen),
        *_flagged(around, chosen),
        *compared(around),
        *between_runs(around, chosen),
    ]
    return sorted(found, key=lambda draft: (-draft.score, len(draft.text)))


def _plain(around: Surroundings, chosen: Sequence[Selection]) -> Iterator[Draft]:
    if around.unit in ("x", "pp"):
        return
    elsewhere = {run: clue for run, clue in around.runs.items() if run in around.others}
    for each in measures(around):
        for one in chosen:
            text = f"{each.text}{filters_text(one.values)}"
            score, evidence = each.score + one.score - EACH_REFERENCE, (*each.evidence, *one.evidence)
            against = each.against or one.denied()
            for run, clue in elsewhere.items():
                worth = score + (1.0 if _is_close(clue) else -0.25)
                yield Draft(f"{text}@{run}", worth, (*evidence, clue.words), against=against)
            if elsewhere and elsewhere == around.runs and all(map(_is_close, elsewhere.values())):
                against = against or f"the words beside it say {next(iter(elsewhere))}"
            yield Draft(text, score, evidence, against=against)


def _is_close(clue: Clue) -> bool:
    return not clue.words.startswith("sentence")


def _counted(around: Surroundings, chosen: Sequence[Selection]) -> Iterator[Draft]:
    """Yield counts of cells and of distinct arms, questions and the like, where a noun says what is counted."""
    if around.unit:
        return
    close = around.close
    measured = f"the words before it say {close.measured}" if close.measured else ""
    for text, clue in around.counted.items():
        own = text.partition(".")[0]
        flagged = (
            f"the words behind it say {close.counted_flag}" if close.counted_flag and text == own else ""
        )
        for one in chosen:
            if all(column != own for column, _ in one.values):
                yield Draft(
                    f"{text}{filters_text(one.values)}",
                    clue.weight + 0.75 + one.score,
                    (clue.words, *one.evidence),
                    against=flagged or measured or one.denied(but=own),
                )


def _flagged(around: Surroundings, chosen: Sequence[Selection]) -> Iterator[Draft]:
    """Yield how many cells, and which share of them, meet a condition that a word names."""
    if around.unit not in ("", "%"):
        return
    for condition, clue in around.flags.items():
        for one in chosen:
            some, whole = (
                f"count{filters_text(one.values, condition)}",
                f"count{filters_text(one.values)}",
            )
            score, words = clue.weight + 0.5 + one.score, (clue.words, *one.evidence)
            against = one.denied()
            share = f"{some} / {whole}"
            if around.unit == "%":
                yield Draft(f"100 * {share}", score, words, share, against)
            else:
                yield Draft(some, score, words, against=against)
                if not around.whole:
                    yield Draft(share, score - 0.5, words, share, against)
            yield from _solved(around, condition, Draft("", score, words, against=against), one)


def _solved(around: Surroundings, condition: str, like: Draft, one: Selection) -> Iterator[Draft]:
    """Yield the score by which a cell is solved: its sum is how many are, its mean which share of them."""
    if condition != SOLVED_CELL:
        return
    filters = filters_text(one.values)
    if around.unit == "%" or not around.whole:
        yield replace(like, text=f"score.mean{filters}", score=like.score + _UNITED)
    else:
        yield replace(like, text=f"score.sum{filters}", score=like.score - _UNITED)


def counts(around: Surroundings) -> Iterator[tuple[Draft, Draft]]:
    """Yield what `A of B` may be: the cells that meet a condition or are of one name, and all there are."""
    chosen = selections(around)
    for one in chosen:
        against = one.denied()
        whole = Draft(f"count{filters_text(one.values)}", 1.0 + one.score, one.evidence, against=against)
        for condition, clue in around.flags.items():
            some = f"count{filters_text(one.values, condition)}"
            like = Draft(some, clue.weight + 1.0 + one.score, (clue.words, "of", *one.evidence), "", against)
            yield like, whole
            if condition == SOLVED_CELL:
                yield (
                    replace(like, text=f"score.sum{filters_text(one.values)}", score=like.score - _UNITED),
                    whole,
                )
        for other in chosen:
            if set(other.values) > set(one.values):
                some = f"count{filters_text(other.values)}"
                # `12 of the 48 cells` is a part of them by name: what is named may be the part's alone.
                part = replace(whole, against="")
                yield Draft(some, 1.0 + other.score, ("of", *other.evidence), "", other.denied()), part


def is_part(some: str, whole: str) -> bool:
    """Whether the one of two expressions may be a part of the other: of one name, or of one selection of one kind."""
    name, _, own = some.partition("[")
    other, _, rest = whole.partition("[")
    if (name, other) == ("count", "count"):
        return set(rest.rstrip("]").split(", ")) - {""} < set(own.rstrip("]").split(", "))
    return own == rest and name.partition(".")[2] == other.partition(".")[2] != ""
