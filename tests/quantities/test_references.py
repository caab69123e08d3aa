"""Numbers that a word makes a name, and numbers that only stand beside such a word."""

from __future__ import annotations

import pytest

from benchctl.quantities.numerals import scan

CLAIMS = [
    # Across a parenthesis, a full stop, a sign, a line end: the word says nothing about the number.
    "The hardest question (977) is", "best on Click (0.977)", "The number (977) of cells", "a table (12) of them",
    "See the section. 977 cells failed.", "It opened a port. 977 failed", "in this version. 12 failed", "an issue > 12",
    "the line ~ 12", "see Table\n2", "in this section\n\n12 failed", "It ended in March\n\n12 cells", "We read a few lines.\n\n977",
    # A common noun in small letters is a noun.
    "tokens per question 977", "At this point 977 failed", "per row 48", "each task 12", "that step 5", "on any level 3", "number 977",
    "cells per day 12", "in a study 48", "every issue 12", "both ports 12", "in question 3 of 48",
    # A noun behind the number is what it counts.
    "issues 977 times", "ranked 977 cells", "port 977 questions", "Table 977 cells", "chapter 977 cells", "version 977 cells", "line 12 items",
    "No. 977 cells", "Nov 30 cells", "may 12 cells", "in table 977 rows", "section 12 failed runs", "code 12 cells", "Error 404 cells",
    "Claude 36 cells", "Windows 11 cells", "#48 cells", "Question 12 failed cells", "section 9 widgets",
    # Not the shape of such a name.
    "Claude 0.977", "Python 0.977", "Opus 48", "Gemini 12.5", "release 0.977", "version 0.977", "Section 0.97", "Claude 36 of 108", "section 3.977",
    "page 0.5", "line 0.97", "issue 1.5", "port 0.9", "rank 0.5", "Question 1.5", "No. 0.977", "seed 0.977", "temperature 977", "status 9770",
    "n=0.977", "k = 0.5", "F1==0.977", "May 977", "march 12", "ref 0.5", "arXiv 0.977", "RTX 0.5", "error 977", "mean error 404",
    "Django 12.5", ":0.977", "issue 12 of 48", "Python > 0.97", "question 5", "python 3",
    # Half of a longer word is no word.
    "the pre-release 12 failed", "on the command-line 12 did", "of Content-Type 12 only", "I'm=977",
    # Long counts.
    "9770000000 tokens in", "it read 9770000000", "| 12 | 9770000000 |", "median 12345678901",
    # Headings and lists.
    "# 977", "## 12\n\ntext", "# 977 Results", "# 48 Cells", "## 12 Questions Answered", "# 0.97 F1", "# 977. Results", "# 977.\n",
    "grep:\n977. It was", "was then\n0.97. It", "- was then\n  977. It was", "1. was then\n   977. It was", "1234567890. It",
    # Sizes of a run.
    "977-question suite", "977-cell run", "977-row table", "5-arm design", "five-arm design", "nine-question suite", "12-task suite", "48-run", "a 12-word answer", "3-rep design",
    # Years count nothing, unless a noun says so.
    "2024\u20132026 cells", "2026-2024", "in 2026 cells", "since 2025 tokens", "2010-2050 items", "since 2025, 2024 cells",
]  # fmt: skip
LABELS = [
    ("Question 3 asks", "section"), ("Table 2 shows", "section"), ("see table 2", "section"), ("in step 3 we", "section"), ("of rule 4", "section"),
    ("section 2.1 and", "section"), ("Section\u00a02.1", "section"), ("fig. 3", "section"), ("Sec. 4.2", "section"), ("Question 3 of 12", "section"),
    ("page 12", "section"), ("chapter 3 says", "section"), ("line 42 fails", "fileline"), ("lines 10-25", "fileline"), ("PR 56", "issue"), ("issue 12", "issue"),
    ("port 443", "port"), ("No. 10", "rank"), ("\u2116 4", "rank"), ("ranked 3", "rank"), ("Number 5", "rank"), ("Python 3.11", "version"), ("Ubuntu 24.04", "version"),
    ("Python >= 3.11", "version"), ("Python\u2265 3.11", "version"), ("numpy==2.1", "version"), ("Claude Opus 4.8", "version"), ("Llama 3.1 70B", "version"),
    ("Windows 11 machines", "version"), ("version 0.9", "version"), ("Django 4.2", "version"), ("HTTP 404", "version"), ("python 3.11", "version"),
    ("kernel 6.8.0-45", "version"), ("kernel 6.8.0-45-generic", "version"), ("RTX 4090", "ident"), ("arXiv 1804.07686", "ident"), ("error 404", "ident"),
    ("an error 503", "ident"), ("job 32462533819", "ident"), ("| 32462533819 | 3.11 |", "ident"), ("0123456789", "ident"), ("id 9770000000", "ident"),
    ("seed 42", "param"), ("temperature 0.7", "param"), ("exit 1", "param"), ("n = 30", "param"), ("refs 3", "footnote"), ("64-bit", "param"), ("8-core", "param"),
    ("5-shot", "param"), ("May 2026", "datetime"), ("in May 12 we", "datetime"), ("Nov. 30", "datetime"), ("\u00a9 2026", "datetime"), ("(c) 2026 We", "datetime"),
    ("2024\u20132026", "datetime"), ("Copyright 2024-2026 The", "datetime"), ("24/7 on call", "datetime"), ("24/7", "datetime"), ("runs 24/7.", "datetime"),
    ("# 3. Results", "section"), ("## 2.1 Setup", "section"), ("# Part 2: x", "section"), ("977. cells", "list"), ("- 3. x", "list"), ("12) x", "list"),
]  # fmt: skip


@pytest.mark.parametrize("text", CLAIMS)
def test_a_number_beside_a_word_is_a_claim(text):
    assert any(token.is_claim for token in scan(text))


@pytest.mark.parametrize(("text", "kind"), LABELS)
def test_a_word_makes_a_name_of_a_number(text, kind):
    assert scan(text)[0].kind == kind


def test_a_quarter_has_a_year():
    assert [token.kind for token in scan("Q3 2026, H1 2025")] == ["metric", "datetime", "ident", "datetime"]


def test_an_ordered_list_goes_on_only_where_its_items_stand():
    text = "1. a\n2. b\n   977. c\n3. d\n\n   7. e\n9. f"
    assert [token.kind for token in scan(text)] == ["list", "list", "number", "list", "list", "list"]


@pytest.mark.parametrize("glyph", ["\u2468", "\u2474", "\u2160", "\u2168", "\u2780", "\u3220"])
def test_a_glyph_like_a_digit_is_unreadable(glyph):
    assert [token.kind for token in scan(f"{glyph} cells, 5 of {glyph}")] == [
        "unreadable",
        "number",
        "unreadable",
    ]


def test_a_keycap_heads_a_line_or_cannot_be_read():
    assert [token.kind for token in scan("1\ufe0f\u20e3 go\n- 2\u20e3 on")] == ["list", "list"]
    assert [token.kind for token in scan("it is 9\ufe0f\u20e37\ufe0f\u20e3")] == ["unreadable", "unreadable"]


def test_raised_digits_note_or_cannot_be_read():
    assert [token.kind for token in scan("a \u00b9 and \u00b9\u00b2 but \u2079\u2077\u2077 cells")] == [
        "footnote",
        "footnote",
        "unreadable",
    ]


@pytest.mark.parametrize(
    ("text", "value", "literal"),
    [
        ("minus 108 cells", "-108", "minus 108"), ("negative 0.5", "-0.5", "negative 0.5"), ("Minus five cells", "-5", "Minus five"),
        ("**-**108", "-108", "-**108"), ("-**36**", "-36", "-**36"), ("\u279636", "-36", "\u279636"), ("108 minus 36", "36", "36"),
        ("a false negative 12", "12", "12"), ("surplus 12", "12", "12"), ("a-*36*", "36", "36"),
    ],
)  # fmt: skip
def test_signs_in_words_and_behind_marks(text, value, literal):
    token = scan(text)[-1]
    assert (str(token.value), token.text) == (value, literal)


@pytest.mark.parametrize(
    ("text", "cmp"),
    [
        ("## Over\n\n5", "="), ("left over. 5", "="), ("up to\n\n5", "="), ("about\u20295", "="), ("more, than 5", "="), ("sub 5", "="), ("sub-5", "<"),
        ("up to\n5", "<="), ("**about** 5", "~"), ("no\nmore than 5", "<="), ("> 5", "="), ("a\n> 5", "="), ("x > 5", ">"), ("over\n>\n5", "="),
    ],
)  # fmt: skip
def test_no_comparator_reaches_across_a_block(text, cmp):
    assert scan(text)[-1].cmp == cmp


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("5\nms", "ms"),
        ("5\n MiB", "MiB"),
        ("5\ns of", "s"),
        ("5\n\nms", ""),
        ("5\u2029ms", ""),
        ("5\nmuch", ""),
    ],
)
def test_a_unit_may_stand_on_the_next_line_of_its_block(text, unit):
    assert scan(text)[0].unit == unit


def test_underscores_around_a_number_are_no_part_of_it():
    assert [token.text for token in scan("_977_ and __0.5__ and _12 cells_")] == ["977", "0.5", "12"]
    assert [token.kind for token in scan("grep_977 977_a")] == ["ident", "ident"]


def test_a_slice_knows_whether_its_line_opens_a_block():
    text = "x" * 300 + "\n\n12. It"
    assert [token.kind for token in scan(text, start=302)] == ["list"]
    assert [token.kind for token in scan(text.replace("\n\n", "\n"), start=301)] == ["number"]
