import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.grading.text import clip, fold, item_text, normalise_item, read_list


@pytest.mark.parametrize(
    ("item", "becomes"),
    [
        ("a.py::f", "a.py::f"),
        ("  a.py :: f\n", "a.py::f"),
        ("a ->  b", "a->b"),
        ("a | b", "a|b"),
        ("./a.py::f", "a.py::f"),
        ("././/a.py::f", "a.py::f"),
        ("/cell/tree/a.py::f", "a.py::f"),
        ("/cell/tree//a.py::f", "a.py::f"),
        ("/cell/tree/sub/a.py::f", "a.py::f"),  # the longest prefix that fits
        ("/cell/tree/./a.py::f", "a.py::f"),  # the prefix first, then `./`
        ("/cell/treetop/a.py::f", "/cell/treetop/a.py::f"),  # a prefix ends at a folder
        ("/cell/tree", "/cell/tree"),
        (".hidden/a.py::f", ".hidden/a.py::f"),
        ("a.py::F", "a.py::F"),  # case counts
        ("a b.py::f", "a b.py::f"),  # a blank inside a name stays
        ("", ""),
    ],
)
def test_an_item_is_compared_as_study_g_says(item, becomes):
    assert normalise_item(item, ("/cell/tree", "/cell/tree/sub/", "", "/")) == becomes


@given(st.text())
def test_normalising_twice_changes_nothing_more(text):
    assert normalise_item(normalise_item(text)) == normalise_item(text)


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ('["a", "b"]', ["a", "b"]),
        (' [\n "a"\n] \n', ["a"]),
        ("[]", []),
        ('Here it is:\n["a"]', ["a"]),  # the last line
        ('["a"]\nThat is all.', None),
        ('The list is ["a"]', None),  # a list inside a sentence is no answer
        ('```json\n["a"]\n```\nDone.', ["a"]),
        ('```\n["a"]\n```\n\n```\n["b"]\n```\n', ["b"]),  # the last block
        ('```\n["a"]\n```\n```\n{"b": 1}\n```', ["a"]),  # the last block that is a list
        ('~~~\n[\n"a"\n]\n~~~', ["a"]),
        ('  ```\n["a"]\n  ```', ["a"]),
        ('{"items": ["a"]}', None),
        ('"a"', None),
        ("null", None),
        ("", None),
        ("[1, 2", None),
        ("['a']", None),  # Python's spelling is no JSON
        ("[" * 100_000, None),
        ("9" * 5000, None),
    ],
)
def test_a_list_is_read_where_an_answer_may_hold_one(answer, items):
    assert read_list(answer) == items


def test_an_item_becomes_text_that_any_file_can_hold():
    assert item_text("a") == "a"
    assert item_text(1) == "1"
    assert item_text(None) == "null"
    assert item_text({"b": 1, "a": "é"}) == '{"a": "\\u00e9", "b": 1}'
    assert item_text("\ud800x") == "\\ud800x"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("**Bold** `code`", "bold code"),
        ("a-b — c\n d", "a b c d"),
        ("snake_case", "snake_case"),
        ("***", ""),
    ],
)
def test_literals_are_folded(text, folded):
    assert fold(text) == folded


def test_long_text_is_clipped_with_a_mark():
    assert clip("x" * 200) == "x" * 200
    assert clip("x" * 201) == "x" * 199 + "…"
