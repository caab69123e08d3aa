from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.runner.agreement import Derivation, agree, read_items

A = Derivation("ast", ("a", "b", "c"))


@pytest.mark.parametrize(
    ("printed", "items", "failed"),
    [
        ('["b", "a", "b"]', ("a", "b"), ""),  # order and doubles mean nothing
        ("[]", (), ""),
        ("", (), "ast did not print JSON"),
        ('{"a": 1}', (), "ast did not print a list of strings"),
        ('["a", 1]', (), "ast did not print a list of strings"),
    ],
)
def test_what_a_method_prints_is_read_or_refused(printed, items, failed):
    assert read_items("ast", printed) == Derivation("ast", items, failed)


def test_methods_that_agree_give_the_gold_and_are_named():
    outcome = agree("q", [A, Derivation("jedi", A.items)], 3)
    assert (outcome.items, outcome.methods, outcome.refused) == (("a", "b", "c"), ("ast", "jedi"), "")


REFUSED = {
    "too short": ([A, Derivation("jedi", A.items)], 4, "the gold has 3 items, fewer than 4"),
    "one failed": (
        [A, Derivation("jedi", failed="jedi ended with timeout: ")],
        1,
        "no gold: jedi ended with timeout: ",
    ),
    "one is short of an item": (
        [A, Derivation("jedi", ("a", "b"))],
        1,
        "the gold methods disagree: ast has 3; jedi has 2; only ast: c",
    ),
    "each has its own": (
        [A, Derivation("jedi", ("a", "x", "y", "z", "zz"))],
        1,
        "the gold methods disagree: ast has 3; jedi has 5; only ast: b, c; only jedi: x, y, z and 1 more",
    ),
    "the third differs": (
        [A, A, Derivation("jedi", ())],
        1,
        "the gold methods disagree: ast has 3; jedi has 0; only ast: a, b, c",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_gold_that_cannot_be_trusted_is_refused_with_its_reason(case):
    derivations, minimum, reason = REFUSED[case]
    outcome = agree("q", derivations, minimum)
    assert (outcome.items, outcome.refused) == ((), reason)


ITEMS = st.frozensets(st.text(min_size=1, max_size=3), max_size=6).map(lambda items: tuple(sorted(items)))


@given(ITEMS, ITEMS)
def test_two_methods_give_gold_only_where_they_are_equal(one, other):
    outcome = agree("q", [Derivation("one", one), Derivation("other", other)], 0)
    assert bool(outcome.refused) is (one != other)
