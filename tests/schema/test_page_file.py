"""`x.claims.toml`: what a page says of itself beside its text."""

import pytest

from benchctl.errors import PageFileInvalidError
from benchctl.schema.page_file import PageFile, parse_page_file
from benchctl.schema.project import Value


def test_an_empty_file_says_nothing():
    assert parse_page_file("", "x.claims.toml") == PageFile(values={}, max_unbound=None, errors=())


def test_a_whole_file():
    text = 'max_unbound = 3\nerrors = ["slack"]\n[values]\na = "count"\nb = { sql = "select 1", kind = "count" }\n'
    assert parse_page_file(text, "x.claims.toml") == PageFile(
        values={"a": "count", "b": Value(sql="select 1", kind="count")}, max_unbound=3, errors=("slack",)
    )


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("\ntitle = 'x'", 2, "title"),
        ("max_unbound = -1", 1, "max_unbound"),
        ("max_unbound = 1.0", 1, "max_unbound"),
        ("errors = ['false']", 1, "errors"),
        ("[values]\nx = 1", 2, "values.x"),
        ("max_unbound = ", 1, "not TOML"),
    ],
)
def test_a_mistake_is_named_with_its_line(text, line, words):
    with pytest.raises(PageFileInvalidError, match=words) as caught:
        parse_page_file(text, "x.claims.toml")
    assert (caught.value.where.file, caught.value.where.line) == ("x.claims.toml", line)
