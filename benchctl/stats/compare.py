"""Two arms on the same questions: a difference, a ratio, and a test, each paired by question.

Everywhere the first sample is held against the second: a - b, and a / b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from benchctl.errors import SampleInvalidError
from benchctl.stats.distributions import t_quantile
from benchctl.stats.estimate import Estimate
from benchctl.stats.interval import cannot_say
from benchctl.stats.ladder import Spread, Unit, Units, spread, units_of
from benchctl.stats.sample import Sample, Scope

__all__ = ["LEAST_DISCORDANT", "difference", "mcnemar_exact", "mcnemar_p", "min_p_sign", "paired_ratio"]

LEAST_DISCORDANT = 6
"""The least number of differing questions that can reach p = 0.05: 2 / 2**6 = 0.031, 2 / 2**5 = 0.0625."""

_GREATEST_LOG = 709.0

_EQUAL = 1e-12
"""Means within this are equal: the order of a sum is not data."""


@dataclass(frozen=True, slots=True)
class _Paired:
    units: Units
    notes: tuple[str, ...]
    wins: int
    losses: int

    @property
    def discordant(self) -> int:
        return self.wins + self.losses


def _paired(a: Sample, b: Sample) -> _Paired:
    """Return a - b for every question that both have; the others are counted in a note."""
    of_a, of_b = units_of(a.tree()), units_of(b.tree())
    units = {
        repo: {
            question: _minus(unit, of_b[repo][question])
            for question, unit in questions.items()
            if question in of_b.get(repo, {})
        }
        for repo, questions in of_a.items()
    }
    units = {repo: questions for repo, questions in units.items() if questions}
    if not units:
        raise SampleInvalidError("the two have no question in common", expected="the same questions")
    differences = [unit.mean for questions in units.values() for unit in questions.values()]
    alone = sum(len(questions) for side in (of_a, of_b) for questions in side.values()) - 2 * len(differences)
    return _Paired(
        units,
        (f"{alone} questions of one side only are left out",) if alone else (),
        sum(value > _EQUAL for value in differences),
        sum(value < -_EQUAL for value in differences),
    )


def _minus(a: Unit, b: Unit) -> Unit:
    known = a.df and b.df
    return Unit(
        a.mean - b.mean,
        a.rerun_variance + b.rerun_variance,
        a.df + b.df if known else 0,
        min(a.cells, b.cells),
    )


def difference(
    a: Sample, b: Sample, scope: Scope = "questions", *, span: float | None = 1.0, level: float = 0.95
) -> Estimate:
    """Return the macro mean of a - b with its interval at `scope` (rules CI-2 and CI-3).

    `span` is the greatest possible difference, 1 for a score, None where there is none. With
    fewer than 6 differing questions there is no verdict, and the interval is that of t after two
    pseudo-units at - span / 2 and + span / 2 (after Bonett & Price 2012), because plain t then
    covers only 63 % of the time, and is a point when every question ties.

    Raises SampleInvalidError when no question is in both.
    """
    paired = _paired(a, b)
    found = spread(paired.units, scope)
    few = paired.discordant < LEAST_DISCORDANT
    drawn = found
    if span is not None and (found.degenerate or (few and scope != "rerun")):
        drawn = _with_pseudo_pair(found, span / 2)
    pseudo = drawn is not found
    lo, hi = _t_interval(drawn, level)
    if span is not None and lo is not None and hi is not None:
        lo, hi = max(lo, -span), min(hi, span)
    notes = (*paired.notes, *_notes(found, scope, pseudo=pseudo), *_too_few(paired))
    return Estimate(
        value=found.mean,
        lo=lo,
        hi=hi,
        scope=scope,
        method="paired t with a pseudo-pair" if pseudo else "paired t",
        df=drawn.df,
        units=found.units,
        cells=found.cells,
        level=level,
        failed=a.failed + b.failed,
        void=a.void + b.void,
        discordant=paired.discordant,
        min_p=min_p_sign(paired.discordant),
        differs=not few and lo is not None and hi is not None and not lo <= 0 <= hi,
        notes=notes,
    )


def _with_pseudo_pair(found: Spread, half_span: float) -> Spread:
    """Return `found` after two more units at - and + `half_span`.

    With n units of mean m and sum of squares S about it, n + 2 units have the mean
    n m / (n + 2) and the sum S + 2 h^2 + 2 n m^2 / (n + 2). In a macro mean over repositories
    n is the number of equally weighted units that it is worth.
    """
    n, m = found.weight, found.mean
    if found.variance is None:
        return found
    squares = found.variance * n * found.df + 2 * half_span**2 + 2 * n * m * m / (n + 2)
    return replace(
        found,
        mean=n * m / (n + 2),
        variance=squares / (found.df + 2) / (n + 2),
        df=found.df + 2,
        weight=n + 2,
    )


def _t_interval(found: Spread, level: float) -> tuple[float | None, float | None]:
    if found.variance is None or found.degenerate:
        return None, None
    half = t_quantile((1 + level) / 2, found.df) * math.sqrt(found.variance)
    return found.mean - half, found.mean + half


def _notes(found: Spread, scope: Scope, *, pseudo: bool = False) -> tuple[str, ...]:
    if found.variance is None:
        return (cannot_say(scope),)
    if found.degenerate and not pseudo:
        return (f"no interval: no spread in {found.units} units",)
    return ()


def _too_few(paired: _Paired) -> tuple[str, ...]:
    if paired.discordant >= LEAST_DISCORDANT:
        return ()
    return (f"{paired.discordant} questions differ; fewer than {LEAST_DISCORDANT} can prove nothing at 0.05",)


def paired_ratio(a: Sample, b: Sample, scope: Scope = "questions", *, level: float = 0.95) -> Estimate:
    """Return the geometric ratio a / b, paired by question, with its interval at `scope` (rule RATIO-1).

    The macro mean of the differences of mean logarithms, and the ladder's t on these. It is not
    the ratio of the means: for (100, 90), (50, 40), (200, 190) it is 1 / 0.881, not 1 / 0.914.

    Raises SampleInvalidError for a value that is not positive, or no question in both.
    """
    paired = _paired(_logs(a), _logs(b))
    found = spread(paired.units, scope)
    lo, hi = _t_interval(found, level)
    few = paired.discordant < LEAST_DISCORDANT
    return Estimate(
        value=_exp(found.mean),
        lo=None if lo is None else _exp(lo),
        hi=None if hi is None else _exp(hi),
        scope=scope,
        method="paired t on logarithms",
        df=found.df,
        units=found.units,
        cells=found.cells,
        level=level,
        failed=a.failed + b.failed,
        void=a.void + b.void,
        discordant=paired.discordant,
        min_p=min_p_sign(paired.discordant),
        differs=not few and lo is not None and hi is not None and not lo <= 0 <= hi,
        notes=(*paired.notes, *_notes(found, scope), *_too_few(paired)),
    )


def _exp(log: float) -> float:
    """Return e ** log, at most the greatest power that a float holds: an interval may be as wide as that."""
    return math.exp(min(log, _GREATEST_LOG))


def _logs(sample: Sample) -> Sample:
    for item in sample.observations:
        if item.value <= 0:
            raise SampleInvalidError(
                f"{item.value} for {item.repo}/{item.question}", expected="positive values, for a ratio"
            )
    return sample.mapped(math.log)


def min_p_sign(discordant: int) -> float:
    """Return the least two-sided p that a sign test on so many differing questions can reach."""
    return min(1.0, math.ldexp(1.0, 1 - discordant))


def mcnemar_exact(wins: int, losses: int) -> float:
    """Return the exact two-sided p of McNemar's test (McNemar 1947): 2 P(X <= min), X binomial with 1/2."""
    total = wins + losses
    tail = sum(math.comb(total, count) for count in range(min(wins, losses) + 1))
    return min(1.0, float(2 * tail / 2**total))


def mcnemar_p(a: Sample, b: Sample) -> Estimate:
    """Return the exact p of "neither arm is better on more questions" (rule TEST-1).

    A question counts once, for the arm with the better mean over its repetitions: cells of one
    question are not independent.

    Raises SampleInvalidError when no question is in both.
    """
    paired = _paired(a, b)
    found = spread(paired.units, "questions")
    p = mcnemar_exact(paired.wins, paired.losses)
    return Estimate(
        value=p,
        lo=None,
        hi=None,
        scope="questions",
        method="exact McNemar test on questions",
        df=0,
        units=found.units,
        cells=found.cells,
        failed=a.failed + b.failed,
        void=a.void + b.void,
        discordant=paired.discordant,
        min_p=min_p_sign(paired.discordant),
        differs=p <= 0.05,
        notes=(*paired.notes, *_too_few(paired)),
    )
