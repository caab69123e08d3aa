from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.errors import SuiteInvalidError
from benchctl.schema.placeholders import fill, mistakes

VALUES = {"tree": "/t", "arm": "{tree}"}


@pytest.mark.parametrize(
    ("word", "becomes"),
    [
        ("{tree}/{arm}", "/t/{tree}"),  # a value is put in once and not read again
        ("{{tree}}", "{tree}"),
        ("{{tree!r}}", "{tree!r}"),
        ("{{}}", "{}"),
        ('{"a": {"b": 1}}', '{"a": {"b": 1}}'),
        ("*.{py,pyi}", "*.{py,pyi}"),
    ],
)
def test_a_word_is_filled_in(word, becomes):
    assert fill(word, VALUES) == becomes
    assert list(mistakes(word, VALUES)) == []


@given(
    st.text(alphabet="{}!x")
    | st.lists(st.sampled_from(["{", "}", "tree", "arm", "x", "{tree}"])).map("".join)
)
def test_a_word_without_mistakes_is_filled_without_an_error(word):
    if not list(mistakes(word, VALUES)):
        fill(word, VALUES)
    if "{" not in word:
        assert fill(word, VALUES) == word


def test_an_unknown_name_is_refused():
    with pytest.raises(SuiteInvalidError, match=r"unknown placeholder \{x\}"):
        fill("{x}", VALUES)
