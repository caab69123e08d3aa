"""Text of unknown origin survives every way out, and nothing of it is interpreted."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.report.escaping import csv_text, entities, html_text, prose, visible

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![pixel](https://evil.example/p.png)",
    "a | b | c",
    "first\nsecond\r\nthird",
    "`code` **bold** _soft_ ~~gone~~",
    "<!-- benchctl:end -->",
    "www.evil.example",
    "&lt;script&gt;",
    '"><script>alert(1)</script>',
    "abc\u202edef\u2066",
    "zero\u200bwidth",
    "\x1b[31mred\x1b[0m",
    "=HYPERLINK(1)",
    "| --- |",
    "# heading",
    "\ud800",
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("ab\u202ecd", "ab\\u202ecd"),  # turned the line around in a real table
        ("a\u200bb", "a\\u200bb"),  # invisible, so two ids look alike
        ("\x1b[2J", "\\u001b[2J"),  # clears a terminal
        ("a\nb", "a\\u000ab"),  # a row is one line
        ("\U000e0041", "\\U000e0041"),  # a tag character, beyond four hex digits
        ("é ü 漢 😀", "é ü 漢 😀"),  # what people write stays
    ],
)
def test_characters_that_hide_or_turn_are_written_out(text, expected):
    assert visible(text) == expected


def test_line_ends_stay_where_a_transcript_keeps_them():
    assert visible("a\nb\x00", keep="\n") == "a\nb\\u0000"


@pytest.mark.parametrize("text", HOSTILE)
def test_no_markup_character_survives_in_a_markdown_cell(text):
    written = entities(text).replace("<!-- -->", "")
    assert not re.search(r"[^A-Za-z0-9&#; ._-]", written)
    assert "\n" not in written


@given(st.text())
def test_a_reader_of_the_page_sees_the_text(text):
    assert html.unescape(entities(text).replace("<!-- -->", "")) == visible(text)
    assert html.unescape(html_text(text)) == visible(text)


@given(st.text())
def test_html_text_holds_no_delimiter(text):
    assert not set(html_text(text)) & set("<>\"'")


@pytest.mark.parametrize("name", ["grep", "click-q01", "a.b_c-d", "two words", "v1.2.3"])
def test_plain_names_stay_readable(name):
    assert entities(name) == name


@pytest.mark.parametrize("text", ["-lead", "_soft_", "a  b", "www.x.y", "x-", "a_ b", "a--b"])
def test_what_a_dialect_might_interpret_is_no_plain_name(text):
    assert entities(text) != text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\tx", "'\tx"),
        ("x=1", "x=1"),
        ("", ""),
    ],
)
def test_no_text_is_a_spreadsheet_formula(text, expected):
    assert csv_text(text) == expected


@pytest.mark.parametrize(
    "text", ["By arm. Run demo-r1, data 01ab.", "wall (s)", "95 % over questions; see a/b?"]
)
def test_own_sentences_stay_readable_in_markdown(text):
    assert prose(text) == text


@given(st.text())
def test_prose_is_escaped_word_by_word(text):
    written = prose(text).replace("<!-- -->", "")
    assert html.unescape(written) == visible(" ".join(text.split()))
    assert not set(written) & set("|<>[]*`\\!@\n")
