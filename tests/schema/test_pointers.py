"""JSON pointers: those of RFC 6901, and `*` where a place takes it."""

import pytest

from benchctl.schema.pointers import keys, mistake, pointed_at


@pytest.mark.parametrize("pointer", ["", "/", "/a", "/a/0/b", "/a~0b~1c", "//"])
def test_a_pointer(pointer):
    assert mistake(pointer) is None


@pytest.mark.parametrize("pointer", ["a", "a/b", "/a~", "/a~2", "$.a"])
def test_no_pointer(pointer):
    assert "no JSON pointer" in str(mistake(pointer))


def test_the_keys_of_a_pointer():
    assert keys("") == []
    assert keys("/") == [""]
    assert keys("/a~1b/m~0n/~01") == ["a/b", "m~n", "~1"]


# The document of RFC 6901 §5 where it has the case.
RFC = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "m~n": 8, "none": None}
PLAIN = [
    (RFC, "", [RFC]),
    (RFC, "/foo", [["bar", "baz"]]),
    (RFC, "/foo/0", ["bar"]),
    (RFC, "/foo/00", []),  # no leading zero
    (RFC, "/foo/\N{ARABIC-INDIC DIGIT ONE}", []),
    (RFC, "/foo/2", []),
    (RFC, "/foo/-", []),
    (RFC, f"/foo/{'9' * 5000}", []),
    (RFC, "/", [0]),
    (RFC, "/a~1b", [1]),
    (RFC, "/m~0n", [8]),
    (RFC, "/none", [None]),
    (RFC, "/gone", []),
    (RFC, "/foo/*", []),
    ("text", "/a", []),
]
STAR = [
    ({"a": [{"f": "x"}, {"g": 1}, {"f": "y"}]}, "/a/*/f", ["x", "y"]),
    ({"a": {"p": {"f": "x"}, "q": {"f": "y"}}}, "/a/*/f", ["x", "y"]),
    ({"*": "star", "b": 1}, "/*", ["star"]),
    (["x", "y"], "/1", ["y"]),
    ({"a": 1}, "/b", []),
]


@pytest.mark.parametrize(("value", "pointer", "found"), PLAIN)
def test_what_a_pointer_leads_to(value, pointer, found):
    assert list(pointed_at(value, pointer)) == found


@pytest.mark.parametrize(("value", "pointer", "found"), STAR)
def test_a_star_stands_for_every_element(value, pointer, found):
    assert list(pointed_at(value, pointer, star=True)) == found
