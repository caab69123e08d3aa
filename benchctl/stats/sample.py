"""Values with the labels that say which of them hang together: repository, question, repetition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from benchctl.errors import SampleInvalidError
from benchctl.schema.scope import Scope
from benchctl.stats.describe import mean

__all__ = ["Observation", "Sample", "Scope", "Tree"]

Tree = Mapping[str, Mapping[str, tuple[float, ...]]]
"""Repository -> question -> the values of its repetitions."""


_TOO_LARGE = 1e150
"""Squares of values from here on leave the range of a float; NaN and infinity are refused with them."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One measured value of one cell."""

    repo: str
    question: str
    rep: int
    value: float


@dataclass(frozen=True, slots=True)
class Sample:
    """The measured values of one arm.

    `failed` counts the cells among them that failed, `void` those that were left out.

    Raises SampleInvalidError for no value, a value that is no number below 1e150, and two values
    of one repetition: a doubled row is a defect of the data, never a second opinion.
    """

    observations: tuple[Observation, ...]
    failed: int = 0
    void: int = 0

    def __post_init__(self) -> None:
        if not self.observations:
            raise SampleInvalidError("no value to speak of", expected="at least one measured cell")
        seen = set()
        for item in self.observations:
            place = (item.repo, item.question, item.rep)
            if place in seen:
                raise SampleInvalidError(f"two values for {'/'.join(map(str, place))}")
            if not abs(item.value) < _TOO_LARGE:
                raise SampleInvalidError(f"{item.value} for {'/'.join(map(str, place))}")
            seen.add(place)

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, int, float]], *, failed: int = 0, void: int = 0) -> Sample:
        """Return the sample of (repo, question, rep, value) rows, in any order."""
        return cls(tuple(Observation(*row) for row in sorted(rows)), failed, void)

    @property
    def cells(self) -> int:
        """How many values there are."""
        return len(self.observations)

    def tree(self) -> Tree:
        """Return the values by repository and question."""
        tree: dict[str, dict[str, tuple[float, ...]]] = {}
        for item in self.observations:
            questions = tree.setdefault(item.repo, {})
            questions[item.question] = (*questions.get(item.question, ()), item.value)
        return tree

    def mapped(self, function: Callable[[float], float]) -> Sample:
        """Return the sample with `function` of every value."""
        return replace(
            self, observations=tuple(replace(item, value=function(item.value)) for item in self.observations)
        )

    def macro(self) -> float:
        """Return the mean over repetitions, then questions, then repositories, all of equal weight."""
        return mean(
            [mean([mean(values) for values in questions.values()]) for questions in self.tree().values()]
        )
