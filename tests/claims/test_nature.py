"""Which unit an expression's value has, whether it counts, and whether no unit fits it."""

import pytest

from benchctl.claims.answers.nature import nature
from benchctl.expressions import parse

CASES = [
    ("count[arm=a]", (None, True, True)),
    ("count", (None, True, True)),
    ("outcome.distinct", (None, True, True)),
    ("count[a=b] - count", (None, True, True)),
    ("count[a=b] / count", (None, False, False)),
    ("share[arm=a]", ("fraction", False, False)),
    ("score.mean", ("fraction", False, False)),
    ("score", ("fraction", False, False)),
    ("wall_s.p90[arm=a]", ("s", False, False)),
    ("-wall_s.p90", ("s", False, False)),
    ("wall_s.max - wall_s.min", ("s", False, False)),
    ("wall_s.max - score.min", (None, False, False)),
    ("wall_s.max / 60", (None, False, False)),
    ("max(wall_s.max, wall_s.min)", ("s", False, False)),
    ("round(5)", (None, False, False)),
    ("ratio(wall_s.max, wall_s.min)", ("x", False, False)),
    ("reduction_pct(wall_s.max, wall_s.min)", ("%", False, False)),
    ("delta(wall_s.max, wall_s.min)", ("s", False, False)),
    ("delta(score.macro, arm=a, arm=b)", ("fraction", False, False)),
    ("lo(delta(score.macro, arm=a, arm=b))", ("fraction", False, False)),
    ("hi(paired_ratio(wall_s, arm=a, arm=b))", ("x", False, False)),
    ("mcnemar_p(answered, arm=a, arm=b)", (None, False, False)),
    ("count over question: score.max < 1", (None, True, True)),
    ("share over question: score.max < 1", ("fraction", False, False)),
    ("median over question: wall_s.max", ("s", False, False)),
    ("nothing.mean", (None, False, False)),
    ("nowhere::wall_s.mean", (None, False, False)),
    ("attempts::wall_s.mean", ("s", False, False)),
    ("score.mean > 0", (None, False, False)),
    # A number of things is plain; a product or quotient may be a percent.
    ("tool_calls.median", (None, False, True)),
    ("-count", (None, False, True)),
    ("count + 1", (None, False, True)),
    ("round(tool_calls.mean, 1)", (None, False, True)),
    ("round(wall_s.mean, 1)", ("s", False, False)),
    ("max(tool_calls.max, 5)", (None, False, True)),
    ("median over question: tool_calls.max", (None, False, True)),
    ("100 * count[a=b] / count", (None, False, False)),
    ("answered.mean", (None, False, False)),
    ("2 + 3", (None, False, False)),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_value_has_the_unit_that_its_column_or_function_gives_it(text, expected):
    assert nature(parse(text)) == expected
