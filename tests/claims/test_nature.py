"""Which unit an expression's value has, and whether it counts."""

import pytest

from benchctl.claims.nature import nature
from benchctl.expressions import parse

CASES = [
    ("count[arm=a]", (None, True)),
    ("count", (None, True)),
    ("outcome.distinct", (None, True)),
    ("count[a=b] - count", (None, True)),
    ("count[a=b] / count", (None, False)),
    ("share[arm=a]", ("fraction", False)),
    ("score.mean", ("fraction", False)),
    ("score", ("fraction", False)),
    ("wall_s.p90[arm=a]", ("s", False)),
    ("-wall_s.p90", ("s", False)),
    ("wall_s.max - wall_s.min", ("s", False)),
    ("wall_s.max - score.min", (None, False)),
    ("wall_s.max / 60", (None, False)),
    ("max(wall_s.max, wall_s.min)", ("s", False)),
    ("round(5)", (None, False)),
    ("ratio(wall_s.max, wall_s.min)", ("x", False)),
    ("reduction_pct(wall_s.max, wall_s.min)", ("%", False)),
    ("delta(wall_s.max, wall_s.min)", ("s", False)),
    ("delta(score.macro, arm=a, arm=b)", ("fraction", False)),
    ("lo(delta(score.macro, arm=a, arm=b))", ("fraction", False)),
    ("hi(paired_ratio(wall_s, arm=a, arm=b))", ("x", False)),
    ("mcnemar_p(answered, arm=a, arm=b)", (None, False)),
    ("count over question: score.max < 1", (None, True)),
    ("share over question: score.max < 1", ("fraction", False)),
    ("median over question: wall_s.max", ("s", False)),
    ("nothing.mean", (None, False)),
    ("nowhere::wall_s.mean", (None, False)),
    ("attempts::wall_s.mean", ("s", False)),
    ("score.mean > 0", (None, False)),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_value_has_the_unit_that_its_column_or_function_gives_it(text, expected):
    assert nature(parse(text)) == expected
