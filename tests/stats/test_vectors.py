"""The oracle: values computed with scipy, statsmodels and by hand, in tests/vectors/stats.json."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist

import pytest

from benchctl import stats
from benchctl.quantities.span import Span
from benchctl.stats.distributions import t_quantile
from benchctl.stats.possible import mean_possible, shared_mean_possible

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "stats.json").read_text())["vectors"]


def scope(d, scope):
    """The vector holds the questions' differences themselves: hold them against zeros."""
    rows = [(repo, f"q{index}", 1, value) for repo, values in d.items() for index, value in enumerate(values)]
    zeros = [(repo, question, rep, 0.0) for repo, question, rep, _ in rows]
    found = stats.difference(stats.Sample.of(rows), stats.Sample.of(zeros), scope)
    return [found.value, found.lo, found.hi]


def macro(tree):
    rows = [
        (repo, question, rep, value)
        for repo, questions in tree.items()
        for question, values in questions.items()
        for rep, value in enumerate(values)
    ]
    return stats.Sample.of(rows).macro()


def geo_ratio(pairs):
    """The vector holds the second against the first."""
    sides = [[("r", f"q{index}", 1, pair[side]) for index, pair in enumerate(pairs)] for side in (1, 0)]
    return stats.paired_ratio(stats.Sample.of(sides[0]), stats.Sample.of(sides[1])).value


def printed(text):
    value = Decimal(text)
    return Span.printed(value, Decimal(1).scaleb(value.as_tuple().exponent))


COVERED = {
    "mean": stats.mean,
    "macro": macro,
    "quantile": lambda values, **of: stats.quantile(values, of["q"]),
    "t_ppf": lambda q, **of: t_quantile(q, of["df"]),
    "wilson": lambda k, n, level: list(stats.wilson(k / n, n, NormalDist().inv_cdf((1 + level) / 2))),
    "scope": scope,
    "geo_ratio": geo_ratio,
    "mcnemar_exact": lambda **counts: stats.mcnemar_exact(*counts.values()),
    "grim": lambda text, n, step: mean_possible(printed(text), n, Fraction(str(step))),
    "mean_possible": lambda text, n, known_sum, high, **_: shared_mean_possible(
        printed(text), n, int(known_sum), high
    ),
    "min_p_signflip": lambda **of: stats.min_p_sign(of["g"]),
}
"""The kinds of vectors that this room answers so far; all others wait for their rule."""

FITTING = [vector for vector in VECTORS if vector["fn"] in COVERED]


@pytest.mark.parametrize("vector", FITTING, ids=lambda vector: vector["name"])
def test_it_agrees_with_the_oracle(vector):
    got = COVERED[vector["fn"]](**vector["inputs"])
    assert got == pytest.approx(vector["expected"], abs=vector["tolerance"], rel=0)


def test_every_covered_kind_has_a_vector():
    assert {vector["fn"] for vector in FITTING} == set(COVERED)
    assert len(FITTING) == 44
