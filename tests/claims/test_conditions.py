"""Filters that no row can meet together."""

import pytest

from benchctl.claims.answers.conditions import clashing
from benchctl.expressions import parse_filters

CLASHES = [
    "arm=grep, arm=index",
    "arm=grep, arm!=grep",
    "arm=grep, arm~ind*",
    "arm~ind*, arm=grep",
    "rep=1, rep=2",
    "rep=1, rep>1",
    "rep<2, rep=2",
    "rep=3, rep<=2",
    "rep>=4, rep=3",
    "arm=grep, arm>index",
    "score<0.2, score>0.5",
    "score>0.5, score<0.5",
    "score>=0.5, score<0.5",
    "agent=claude, arm=grep, arm=index",
]
FINE = [
    "",
    "arm=grep",
    "arm=grep, arm=grep",
    "arm=grep, agent=claude",
    "arm!=grep, arm!=index",
    "arm~g*, arm~*p",
    "arm=grep, arm~g*",
    "arm=grep, arm!=index",
    "rep=1, rep=1.0",
    "rep=1, rep<2",
    "rep=2, rep<=2",
    "rep=2, rep>=2",
    "rep=3, rep>2",
    "score>0.2, score<0.5",
    "score>=0.5, score<=0.5",
    "score>0.2, score>0.5",
    "score<0.2, score!=0.1",
    "arm>a, arm<b",
]


@pytest.mark.parametrize("text", CLASHES)
def test_what_excludes_each_other_is_named(text):
    found = clashing(parse_filters(text))
    assert found
    assert found[0].column == found[1].column


@pytest.mark.parametrize("text", FINE)
def test_what_a_row_may_meet_is_fine(text):
    assert clashing(parse_filters(text) if text else ()) is None
