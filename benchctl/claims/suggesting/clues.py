"""What the words around a number say that it is: metrics, statistics, names, things counted, comparisons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from benchctl.claims.suggesting.names import Names
from benchctl.claims.suggesting.vocabulary import (
    COUNTED,
    FLAGS,
    METRICS_SAID,
    RATIO,
    SOLVED,
    STATISTICS_SAID,
    explicit_in,
    is_soft,
    words_in,
)
from benchctl.claims.tables.topics import KINDS, METRIC_OF
from benchctl.metrics import METRICS
from benchctl.quantities.units import family, normalise_unit

__all__ = ["Close", "Clue", "Surroundings", "better"]

_Key = TypeVar("_Key")
_RANGED = re.compile(
    r"\b(?:rang(?:e|es|ed|ing)|spann?(?:s|ed|ing)?|var(?:y|ies|ied)|between)\b", re.IGNORECASE
)
_RANGED_KEYS = ("arm", "agent", "model")
_NEAR = 0.5
_UNIT_ALONE, _UNIT_TOO = 1.5, 0.5
_CLOSE = ("cell", "header", "row", "clause")
"""What stands so close to a number that a draft may not say otherwise."""
_WEIGHTS = {
    "header": 4.0,
    "row": 3.0,
    "cell": 3.0,
    "clause": 3.0,
    "sentence": 2.0,
    "before": 1.0,
    "heading": 1.0,
}
_KEY_WEIGHTS = {**_WEIGHTS, "header": 3.0, "clause": 2.0, "sentence": 1.5, "before": -0.25, "heading": -0.5}
"""A name from further off is taken where nothing nearer prints the number: it loses against none."""
_OMITTED = {"row": 3.0, "header": 1.5, "clause": 1.5, "cell": 1.5, "sentence": 0.5}


@dataclass(frozen=True, slots=True)
class Clue:
    """How much something is worth as evidence, and the evidence in words: `header "tokens"`."""

    weight: float
    words: str


@dataclass(slots=True)
class Close:
    """What is named so close to a number that no draft of it may say otherwise, each with the words that say it.

    `keys` are column -> value -> words. `counted_flag` is a condition that the words right behind a count name.
    """

    statistics: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, str] = field(default_factory=dict)
    keys: dict[str, dict[str, str]] = field(default_factory=dict)
    counted_flag: str = ""
    measured: str = ""
    """The statistic right before the number, "a median of 12": it counts nothing."""


@dataclass(slots=True)
class Surroundings:
    """All clues around a number, by what they say. `omitted` is what a draft loses that leaves a column out.

    `whole` says that the number is printed without decimals. `close` are statistics, metrics and values of keys
    that are named outright right there, each with the words: a draft that says otherwise is none. `others` are the
    runs that the page declares beside its own, `runs` those that are named there, the own one among them.
    """

    unit: str
    whole: bool = False
    metrics: dict[str, Clue] = field(default_factory=dict)
    flags: dict[str, Clue] = field(default_factory=dict)
    statistics: dict[str, Clue] = field(default_factory=dict)
    counted: dict[str, Clue] = field(default_factory=dict)
    compared: dict[str, Clue] = field(default_factory=dict)
    keys: dict[tuple[str, str], Clue] = field(default_factory=dict)
    omitted: dict[str, float] = field(default_factory=dict)
    close: Close = field(default_factory=Close)
    others: tuple[str, ...] = ()
    runs: dict[str, Clue] = field(default_factory=dict)
    columns: dict[str, Clue] = field(default_factory=dict)

    def read(self, where: str, text: str, names: Names, *, number: int | None = None) -> None:
        """Take up what a piece of text says; `number` is where in it the number stands, if it stands in it."""
        for table, found in (
            (METRICS_SAID, self.metrics),
            (FLAGS, self.flags),
            (SOLVED, self.flags),
            (STATISTICS_SAID, self.statistics),
            (RATIO, self.compared),
        ):
            for word in words_in(text, table):
                # What another sentence calls fastest says nothing of this number.
                if table is not STATISTICS_SAID or where != "before" or not is_soft(word):
                    better(found, word.name, _WEIGHTS[where], where, word.text)
        nearest = _nearest([word.start for _, _, word in names.said(text)], number)
        for column, value, word in names.said(text):
            weight = _KEY_WEIGHTS[where] + (_NEAR if word.start == nearest else 0)
            better(self.keys, (column, value), weight, where, word.text)
            self.omitted[column] = max(self.omitted.get(column, 0), _OMITTED.get(where, 0))
        if where in _CLOSE:
            self._read_closely(where, text, names)
        elif where == "sentence":
            self._read_sentence(text, names)

    def _read_sentence(self, text: str, names: Names) -> None:
        """Let the metrics of a sentence, and the one statistic that it names outright, be those of a number with none closer by."""
        self._read_columns("sentence", text, names)
        self._read_runs("sentence", text, names)
        if not self.close.metrics:
            self.close.metrics = {
                word.name: f"the sentence says {word.text}" for word in words_in(text, METRICS_SAID)
            }
        outright = explicit_in(text)
        if len(outright) == 1 and not self.close.statistics and not _any(self.statistics, _CLOSE):
            self.close.statistics = {name: f"the sentence says {word}" for name, word in outright.items()}

    def _read_runs(self, where: str, text: str, names: Names) -> None:
        for run, words in names.runs_said(text):
            self.runs.setdefault(run, Clue(_WEIGHTS[where], f'{where} "{words}"'))

    def _read_columns(self, where: str, text: str, names: Names) -> None:
        said = names.columns_said(text)
        ranged = _RANGED.search(text)
        if ranged and not said:
            said = [(column, ranged[0]) for column in _RANGED_KEYS if len(names.values.get(column, ())) > 1]
        for column, words in said:
            better(self.columns, column, _WEIGHTS[where], where, words)

    def _read_closely(self, where: str, text: str, names: Names) -> None:
        self._read_columns(where, text, names)
        self._read_runs(where, text, names)
        said = {name: f"the {where} says {word}" for name, word in explicit_in(text).items()}
        self.close.statistics = {**said, **self.close.statistics}
        for word in words_in(text, METRICS_SAID):
            self.close.metrics.setdefault(word.name, f"the {where} says {word.text}")
        for column, value, word in names.said(text):
            self.close.keys.setdefault(column, {}).setdefault(value, f"the {where} says {word.text}")

    def count(self, where: str, text: str, weight: float) -> None:
        """Take up the nouns that a number in front of this text counts: the first of them rather than another."""
        for index, word in enumerate(words_in(text, COUNTED)):
            better(self.counted, word.name, weight - min(index, 2), where, word.text)

    def infer(self) -> None:
        """Let the unit speak, by itself or for a metric that was named."""
        if not self.unit:
            return
        fitting = [name for name, metric in METRICS.items() if metric.unit and _alike(metric.unit, self.unit)]
        for name in [name for name in fitting if name in self.metrics]:
            clue = self.metrics[name]
            self.metrics[name] = Clue(clue.weight + _UNIT_TOO, f"{clue.words}, unit {self.unit}")
        alone = METRIC_OF.get(KINDS[kind]) if (kind := family(self.unit)) in KINDS else None
        if alone and not any(name in self.metrics for name in fitting):
            self.metrics[alone] = Clue(_UNIT_ALONE, f"unit {self.unit}")


def better(found: dict[_Key, Clue], key: _Key, weight: float, where: str, words: str) -> None:
    """Keep of a thing that is said the clue that weighs most."""
    if key not in found or found[key].weight < weight:
        found[key] = Clue(weight, f'{where} "{" ".join(words.split())}"')


def _any(found: dict[str, Clue], places: Sequence[str]) -> bool:
    return any(clue.words.partition(" ")[0] in places for clue in found.values())


def _nearest(starts: Sequence[int], number: int | None) -> int | None:
    """Return the last start before the number, else the first behind it."""
    if number is None or not starts:
        return None
    before = [start for start in starts if start < number]
    return max(before) if before else min(starts)


def _alike(one: str, two: str) -> bool:
    return normalise_unit(one) == normalise_unit(two) or (
        family(one) is not None and family(one) == family(two)
    )
