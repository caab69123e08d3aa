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
    """Two samples question by question; `failed` and `void` count the cells of both."""

    units: Units
    notes: tuple[str, ...]
    wins: int
    losses: int
    failed: int
    void: int

    @property
    def discordant(self) -> int:
        return self.wins + self.losses

    @property
    def few(self) -> bool:
        """Whether too few questions differ for any verdict."""
        return self.discordant < LEAST_DISCORDANT

    def estimate(
        self, found: Spread, interval: _Interval, *, value: float, differs: bool, df: int
    ) -> Estimate:
        """Return what is said of this pairing, its own notes before the interval's."""
        return Estimate(
            value=value,
            lo=interval.lo,
            hi=interval.hi,
            scope=interval.scope,
            method=interval.method,
            df=df,
            units=found.units,
            cells=found.cells,
            level=interval.level,
            failed=self.failed,
            void=self.void,
            discordant=self.discordant,
            min_p=min_p_sign(self.discordant),
            differs=differs,
            notes=(*self.notes, *interval.notes, *_too_few(self)),
        )


@dataclass(frozen=True, slots=True)
class _Interval:
    """An interval with the name of its method; `lo` and `hi` are None where a note says why."""

    lo: float | None
    hi: float | None
    scope: Scope
    method: str
    level: float = 0.95
    notes: tuple[str, ...] = ()

    def excludes(self, value: float) -> bool:
        """Whether there is an interval and `value` lies outside of it."""
        return self.lo is not None and self.hi is not None and not self.lo <= value <= self.hi


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
        a.failed + b.failed,
        a.void + b.void,
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
    """Return the macro mean of a - b with its interval at `scope`.

    `span` is the greatest possible difference, 1 for a score, None where there is none. With
    fewer than 6 differing questions there is no verdict, and the interval is that of t after two
    pseudo-units at - span / 2 and + span / 2 (after Bonett & Price 2012), because plain t then
    covers only 63 % of the time, and is a point when every question ties.

    Raises SampleInvalidError when no question is in both.
    """
    paired = _paired(a, b)
    found = spread(paired.units, scope)
    drawn = found
    if span is not None and (found.degenerate or (paired.few and scope != "rerun")):
        drawn = _with_pseudo_pair(found, span / 2)
    pseudo = drawn is not found
    lo, hi = _t_interval(drawn, level)
    if span is not None and lo is not None and hi is not None:
        lo, hi = max(lo, -span), min(hi, span)
    method = "paired t with a pseudo-pair" if pseudo else "paired t"
    interval = _Interval(lo, hi, scope, method, level, _notes(found, scope, pseudo=pseudo))
    differs = not paired.few and interval.excludes(0)
    return paired.estimate(found, interval, value=found.mean, differs=differs, df=drawn.df)


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
    if not paired.few:
        return ()
    return (f"{paired.discordant} questions differ; fewer than {LEAST_DISCORDANT} can prove nothing at 0.05",)


def paired_ratio(a: Sample, b: Sample, scope: Scope = "questions", *, level: float = 0.95) -> Estimate:
    """Return the geometric ratio a / b, paired by question, with its interval at `scope`.

    The macro mean of the differences of mean logarithms, and the ladder's t on these. It is not
    the ratio of the means: for (100, 90), (50, 40), (200, 190) it is 1 / 0.881, not 1 / 0.914.

    Raises SampleInvalidError for a value that is not positive, or no question in both.
    """
    paired = _paired(_logs(a), _logs(b))
    found = spread(paired.units, scope)
    logs = _Interval(*_t_interval(found, level), scope, "paired t on logarithms", level, _notes(found, scope))
    interval = replace(
        logs,
        lo=None if logs.lo is None else _exp(logs.lo),
        hi=None if logs.hi is None else _exp(logs.hi),
    )
    differs = not paired.few and logs.excludes(0)
    return paired.estimate(found, interval, value=_exp(found.mean), differs=differs, df=found.df)


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
    """Return the exact p of "neither arm is better on more questions".

    A question counts once, for the arm with the better mean over its repetitions: cells of one
    question are not independent.

    Raises SampleInvalidError when no question is in both.
    """
    paired = _paired(a, b)
    found = spread(paired.units, "questions")
    p = mcnemar_exact(paired.wins, paired.losses)
    interval = _Interval(None, None, "questions", "exact McNemar test on questions")
    return paired.estimate(found, interval, value=p, differs=p <= 0.05, df=0)
