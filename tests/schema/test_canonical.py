import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.schema.canonical import canonical_json, digest

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
).filter(lambda value: "\ud800" not in json.dumps(value))


@given(st.dictionaries(st.text(alphabet="abc"), st.integers()))
def test_the_order_of_keys_does_not_matter(value):
    assert digest(value) == digest(dict(reversed(value.items())))


@given(st.recursive(st.none() | st.integers() | st.text(alphabet="aé☃"), st.lists))
def test_what_is_written_reads_back(value):
    assert json.loads(canonical_json(value)) == value


def test_one_and_one_point_zero_are_different_contents():
    assert digest(1) != digest(1.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, {1, 2}, b"x"])
def test_what_json_cannot_say_is_an_error(value):
    with pytest.raises(ValueError, match=r"."):
        canonical_json(value)
