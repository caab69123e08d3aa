"""The scope ladder: one mean, and its variance when repetitions, questions or repositories are redrawn.

The same data have three honest intervals, each right for its own question. Because the mean
is macro-averaged, each rung is one number a unit, and plain t on these holds its level where
the next rung's would collapse (Miller 2024, arXiv:2411.00640, for clusters of questions).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from benchctl.stats.describe import mean, variance
from benchctl.stats.sample import Scope, Tree

__all__ = ["Spread", "Unit", "Units", "spread", "units_of"]

_NO_SPREAD = 1e-18
"""Variances below this are rounding, not spread: a score has at most 16 digits."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One question: its mean, the variance of that mean between repetitions, and its degrees of freedom.

    `df` 0 is one repetition, whose variance nobody knows.
    """

    mean: float
    rerun_variance: float
    df: int
    cells: int


Units = Mapping[str, Mapping[str, Unit]]
"""Repository -> question -> unit."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A macro mean and the variance of it at one scope.

    `variance` is None where one unit alone says nothing about spread. `weight` is the number
    of equally weighted units that the macro mean is worth, `units` their plain number.
    """

    mean: float
    variance: float | None
    df: int
    units: int
    weight: float
    cells: int

    @property
    def degenerate(self) -> bool:
        """Whether every unit has the same value, so that the sample shows no spread at all."""
        return self.variance is not None and self.variance < _NO_SPREAD


def units_of(tree: Tree) -> Units:
    """Return the questions of one arm as units."""
    return {
        repo: {question: _unit(values) for question, values in questions.items()}
        for repo, questions in tree.items()
    }


def _unit(values: tuple[float, ...]) -> Unit:
    count = len(values)
    return Unit(mean(values), variance(values) / count if count > 1 else 0.0, count - 1, count)


def spread(units: Units, scope: Scope) -> Spread:
    """Return the macro mean of at least one unit with its variance at `scope`."""
    return {"rerun": _rerun, "questions": _questions, "repositories": _repositories}[scope](units)


def _repo_means(units: Units) -> list[float]:
    return [mean([unit.mean for unit in questions.values()]) for questions in units.values()]


def _cells(units: Units) -> int:
    return sum(unit.cells for questions in units.values() for unit in questions.values())


def _rerun(units: Units) -> Spread:
    """Var = sum of the questions' variances of their means / (R Q_r)^2; df = sum of theirs."""
    flat = [(len(questions), unit) for questions in units.values() for unit in questions.values()]
    known = all(unit.df for _, unit in flat)
    return Spread(
        mean=mean(_repo_means(units)),
        variance=math.fsum(unit.rerun_variance / (len(units) * of) ** 2 for of, unit in flat)
        if known
        else None,
        df=sum(unit.df for _, unit in flat),
        units=_cells(units),
        weight=_cells(units),
        cells=_cells(units),
    )


def _questions(units: Units) -> Spread:
    """Var = s^2 pooled within repositories * sum(1 / Q_r) / R^2; df = sum(Q_r - 1)."""
    groups = [[unit.mean for unit in questions.values()] for questions in units.values()]
    df = sum(len(group) - 1 for group in groups)
    squares = math.fsum(variance(group) * (len(group) - 1) for group in groups if len(group) > 1)
    weight = len(groups) ** 2 / math.fsum(1 / len(group) for group in groups)
    return Spread(
        mean=mean(_repo_means(units)),
        variance=squares / df / weight if df else None,
        df=df,
        units=sum(map(len, groups)),
        weight=weight,
        cells=_cells(units),
    )


def _repositories(units: Units) -> Spread:
    """Var = s^2 of the repositories' means / R; df = R - 1."""
    means = _repo_means(units)
    return Spread(
        mean=mean(means),
        variance=variance(means) / len(means) if len(means) > 1 else None,
        df=len(means) - 1,
        units=len(means),
        weight=len(means),
        cells=_cells(units),
    )
