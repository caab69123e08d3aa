"""What a number may compare: two values of a key, or the page's run with another that it declares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, permutations

from benchctl.claims.suggesting.clues import Clue, Surroundings
from benchctl.claims.suggesting.draft import EACH_REFERENCE, SOLVED_CELL, Draft
from benchctl.claims.suggesting.measures import measures
from benchctl.claims.suggesting.selecting import Selection, filters_text

__all__ = ["between_runs", "compared", "with_score"]

_MOST_VALUES, _MOST_PAIRS = 4, 8
_NO_METRIC = 1.5
_ROW_OVER_COLUMN = 0.5


def compared(around: Surroundings) -> Iterator[Draft]:
    """Yield quotients and differences of one metric at two values of a key, in either order."""
    times, change = around.compared.get("times"), around.compared.get("change")
    if around.unit not in ("x", "%", "pp", "") or not (around.unit == "x" or times or change):
        return
    for column in dict.fromkeys(column for column, _ in around.keys):
        values = [(value, clue) for (own, value), clue in around.keys.items() if own == column]
        values = sorted(values, key=lambda item: -item[1].weight)[:_MOST_VALUES]
        pairs = islice(permutations(values, 2), _MOST_PAIRS * 2)
        for (one, clue), (two, other) in pairs:
            named = around.close.keys.get(column, {})
            fitting = len({one, two} & named.keys()) >= min(2, len(named))
            for each in measures(around):
                a = f"{each.text}{filters_text([(column, one)])}"
                b = f"{each.text}{filters_text([(column, two)])}"
                # The first named is what is compared, the other what it is compared with.
                worth = each.score + (clue.weight + other.weight) / 2 + 1.0 - 2 * EACH_REFERENCE
                if clue.words.startswith("row") and other.words.startswith("header"):
                    worth += _ROW_OVER_COLUMN
                evidence = (*each.evidence, clue.words, other.words)
                against = each.against or ("" if fitting else next(iter(named.values())))
                for draft in _comparisons(around, a, b, worth, evidence):
                    yield replace(draft, against=against)


def between_runs(around: Surroundings, chosen: Sequence[Selection]) -> Iterator[Draft]:
    """Yield the change of one metric since another run that the page declares: `a gain of 25 points`."""
    change = around.compared.get("change")
    if not around.others or not change or around.unit not in ("x", "%", "pp", ""):
        return
    for run in around.others:
        named = around.runs.get(run)
        for each in measures(with_score(around)):
            for one in chosen:
                a = f"{each.text}{filters_text(one.values)}"
                evidence = (*each.evidence, *one.evidence, named.words if named else f"also {run}")
                worth = each.score + one.score + (1.0 if named else 0.0) - 2 * EACH_REFERENCE
                pair = (f"{a}@{run}", a) if around.unit == "%" else (a, f"{a}@{run}")  # a change is from, to
                found = list(_comparisons(around, *pair, worth, evidence))
                if around.unit == "":
                    found.append(Draft(f"100 * ({a} - {a}@{run})", worth - 0.5, (*evidence, change.words)))
                for draft in found:
                    yield replace(draft, against=each.against or one.denied())


def with_score(around: Surroundings) -> Surroundings:
    """Return the clues with the score, where a key is named and no metric: what rises in a benchmark is its score."""
    named = any(clue.weight > 0 for clue in around.keys.values())
    if around.metrics or not named or around.unit not in ("", "%", "pp") or set(around.flags) - {SOLVED_CELL}:
        return around
    solved = around.flags.get(SOLVED_CELL)
    clue = Clue(solved.weight if solved else _NO_METRIC, solved.words if solved else "the score by default")
    return replace(around, metrics={"score": clue}, whole=False)


def _comparisons(
    around: Surroundings, a: str, b: str, worth: float, evidence: tuple[str, ...]
) -> Iterator[Draft]:
    times, change = around.compared.get("times"), around.compared.get("change")
    if around.unit == "x" or (times and not around.unit):
        said = times.words if times else f"unit {around.unit}"
        yield Draft(f"ratio({a}, {b})", worth, (*evidence, said))
    if around.unit == "%" and change:
        yield Draft(f"change_pct({a}, {b})", worth, (*evidence, change.words))
        yield Draft(f"reduction_pct({a}, {b})", worth, (*evidence, change.words))
    if around.unit in ("pp", "") and change:
        yield Draft(f"{a} - {b}", worth - 0.5, (*evidence, change.words))
