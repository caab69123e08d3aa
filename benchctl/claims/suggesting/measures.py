"""Which statistic of which metric the words around a number speak for, and which they rule out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchctl.claims.suggesting.clues import Clue, Surroundings
from benchctl.metrics import METRICS
from benchctl.quantities.units import family

__all__ = ["Measure", "measures"]

_MOST_METRICS = 3
_DEFAULT, _OTHER_NAMED = 0.75, -2.0
_STATISTIC_WEIGHT = {"header": 2.0, "clause": 2.0, "cell": 2.0, "row": 2.0, "sentence": 1.5}
_SAME = {"macro": ("mean",), "median": ("p50",), "p50": ("median",), "q1": ("p25",), "q3": ("p75",)}
"""Statistic -> what else it may be called: a macro average is an average of averages."""
_RATE = re.compile(r"rates?\b|pass@1|accura|solv|pass|by default|\"[^\",]*%", re.IGNORECASE)
"""A rate is a share of all cells, whatever the score's own average is."""


@dataclass(frozen=True, slots=True)
class Measure:
    """`total_tokens.median` with its worth and evidence."""

    text: str
    score: float
    evidence: tuple[str, ...]
    against: str


def measures(around: Surroundings) -> Iterator[Measure]:
    """Yield the statistics of each metric that the words name, the likeliest metric first."""
    for name, clue in sorted(around.metrics.items(), key=lambda item: -item[1].weight)[:_MOST_METRICS]:
        metric = METRICS.get(name)
        if metric and metric.unit == "fraction" and around.whole and around.unit not in ("%", "pp"):
            continue  # a share is not printed as 0 or 1
        usual: str = metric.summary if metric else "median"
        if metric and metric.unit == "fraction" and _RATE.search(clue.words):
            usual = "mean"
        for statistic in dict.fromkeys((*around.statistics, usual, "median", "mean", "macro")):
            said = around.statistics.get(statistic)
            score = clue.weight + (_statistic(said) if said else _DEFAULT if statistic == usual else 0.0)
            if around.statistics and not said:
                score += _OTHER_NAMED
            words = said.words if said else f"the {statistic} by default" if statistic == usual else statistic
            against = _other_metric(around, name) or _other_statistic(around, statistic)
            yield Measure(f"{name}.{statistic}", score, (clue.words, words), against)


def _other_statistic(around: Surroundings, statistic: str) -> str:
    """Return the words close by that name another statistic outright; "" where none does."""
    named = around.close.statistics
    same = {statistic, *_SAME.get(statistic, ())}
    return "" if not named or same & named.keys() else next(iter(named.values()))


def _other_metric(around: Surroundings, name: str) -> str:
    """Return the words close by that name another metric, one that may have the printed unit; "" where none does."""
    named = around.close.metrics
    if not named or name in named or around.metrics[name].words.startswith("unit"):
        return ""
    fitting = [words for each, words in named.items() if _may_have(each, around.unit)]
    return fitting[0] if fitting else ""


def _may_have(metric: str, unit: str) -> bool:
    own = METRICS[metric].unit if metric in METRICS else None
    return unit in ("", "x", "pp") or (own is not None and family(own) == family(unit))


def _statistic(said: Clue) -> float:
    return _STATISTIC_WEIGHT.get(said.words.partition(" ")[0], 0.75)
