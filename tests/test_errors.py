"""One slug per leaf, an exit code of the contract, and a message that says where and what next."""

import re

import pytest

from benchctl import errors
from benchctl.errors import BenchctlError, ExpressionInvalidError, RunUnknownError, Where


def leaves(base):
    below = base.__subclasses__()
    return [leaf for child in below for leaf in leaves(child)] + ([base] if base is not BenchctlError else [])


LEAVES = leaves(BenchctlError)


def test_slugs_are_unique_and_readable():
    slugs = [leaf.slug for leaf in LEAVES]
    assert len(set(slugs)) == len(slugs)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", slug) for slug in slugs)


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.__name__)
def test_every_leaf_has_an_exit_code_of_the_contract_and_a_docstring(leaf):
    assert leaf.exit_code in {1, 2, 3}
    assert leaf.__doc__
    assert leaf.__name__.endswith("Error")


@pytest.mark.parametrize(
    ("where", "text"),
    [(Where("a.md"), "a.md"), (Where("a.md", 3), "a.md:3"), (Where("a.md", 3, 7), "a.md:3:7")],
)
def test_a_place_is_written_as_editors_read_it(where, text):
    assert str(where) == text


def test_a_message_says_where_what_expected_and_next():
    error = RunUnknownError(
        "no run 'r1'", where=Where("a.md", 3), expected="one of r8, r9", next_step="benchctl runs"
    )
    assert str(error) == "a.md:3: no run 'r1' [run-unknown]\n  expected: one of r8, r9\n  next: benchctl runs"


def test_a_message_leaves_out_what_is_not_known():
    assert str(RunUnknownError("no run 'r1'")) == "no run 'r1' [run-unknown]"


def test_an_error_is_placed_once():
    error = RunUnknownError("x").at(Where("a.md", 1)).at(Where("b.md", 2))
    assert str(error.where) == "a.md:1"


def test_an_expression_error_names_its_position():
    error = ExpressionInvalidError("unexpected `]`", text="a]", position=1, expected="an operator")
    assert "position 2 of `a]`" in str(error)


def test_the_tree_is_exported_whole():
    assert all(hasattr(errors, leaf.__name__) for leaf in LEAVES)
