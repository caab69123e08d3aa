"""The scanner, form by form: values, units, comparators, kinds, slices, and hostile input."""

from __future__ import annotations

from decimal import Decimal

import pytest

from benchctl.quantities.numerals import Token, is_quantity, scan


def atoms(text: str) -> list[tuple[str, str, str, str]]:
    return [(t.text, t.kind, t.unit, t.cmp) for t in scan(text)]


def values(text: str) -> list[str]:
    return [str(t.value) for t in scan(text) if t.is_claim]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2.0× as many", ("2.0×", "number", "x", "=")),
        ("costs US$3.50", ("US$3.50", "number", "USD", "=")),
        ("12+ minutes", ("12+ minutes", "number", "min", ">=")),
        ("\\$0.6 per hour", ("$0.6", "number", "USD", "=")),
        ("$97\\%$", ("$97\\%$", "number", "%", "=")),
        ("$5k/s", ("$5k", "number", "USD", "=")),
        ("$3 tokens/s", ("$3 tokens/s", "number", "USD/s", "=")),
        ("5 percentage points", ("5 percentage points", "number", "pp", "=")),
        ("a 40-point gain", ("40-point", "number", "pp", "=")),
        ("5%pt", ("5%pt", "number", "pp", "=")),
        ("5 x faster", ("5 x", "number", "x", "=")),
        ("5 tokens/widget", ("5 tokens", "number", "tokens", "=")),
        ("5 ㎳", ("5", "number", "", "=")),  # a glyph apart is no unit that a reader of ours knows
        ("5㎳", ("5㎳", "number", "ms", "=")),
        ("12foo", ("12foo", "number", "foo", "=")),
        ("~= 5", ("5", "number", "", "~")),
        ("\\approx 5", ("5", "number", "", "~")),
        ("&gt; 5", ("5", "number", "", ">")),
        ("<- 5", ("5", "number", "", "=")),
        ("2.5 and 3", ("2.5", "number", "", "=")),
        ("the above 5 rows", ("5", "number", "", "=")),
        ("five percent", ("five percent", "word", "%", "=")),
    ],
)
def test_one_atom_with_unit_and_comparator(text, expected):
    assert atoms(text)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5–10k", ["5E+3", "1.0E+4"]),
        ("500–1k", ["500", "1E+3"]),  # scaling the first would turn the range round
        ("5k–10k", ["5E+3", "1.0E+4"]),
        ("5 MB–10", ["5", "10"]),
        ("−20–25s", ["-20", "-25"]),
        ("−5–+5", ["-5", "5"]),
        ("1d 2h", ["93600"]),
        ("1:32:05.5", ["5525.5"]),
        ("one hundred twenty-three thousand and", ["123000"]),
        ("ten dozen", ["120"]),
        ("two three", ["2", "3"]),
        ("twenty twelve", ["20", "12"]),
        ("two and three", ["2", "3"]),
        ("one half", ["0.5"]),
        ("half a dozen", ["6.0"]),
        ("one and a quarter", ["1.25"]),
        ("two and a man", ["2"]),
        ("hundred", []),
        ("tone of sour", []),
        ("a single run", []),
        ("first half, second half", []),
        ("A-one", []),
        ("ten-fold", ["10"]),
        ("three\nhundred", ["300"]),
        ("a million", ["1000000"]),
    ],
)
def test_values(text, expected):
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("12,34,567", "unreadable"),
        ("1,2345", "unreadable"),
        ("1.234,567", "unreadable"),
        ("1.234.567", "unreadable"),
        ("1e99999", "unreadable"),
        ("10^999", "unreadable"),
        ("1\u200b2", "unreadable"),  # a reader sees 12
        ("\u09f4", "unreadable"),
        ("3rd", "ordinal"),
        ("&#215;", "code"),
        ("<h2>", "code"),
        ("2⁶³−1", "expr"),
        ("O(members²)", "expr"),
        ("https://a.b/9", "url"),
        ("arxiv.org/abs/2408.00714", "url"),
        ("5950x (Zen)", "number"),
        ("Ryzen 5950x (Zen)", "ident"),
        ("Ryzen 5950x faster", "number"),
        ("550e8400-e29b-41d4-a716-446655440000", "hash"),
        ("#section-4", "ident"),
        ("№ 4", "rank"),
        ("no 4", "number"),
        (":443", "port"),
        ("10.0.0.1:x", "version"),
        ("/srv/a/9", "ident"),
        ("a/b/9", "number"),
        ("pkg-1.2.3", "version"),
        ("name@1.2.3", "version"),
        ("latency-5%", "number"),
        ("x[^n1]", "footnote"),
        ("one", "word-one"),
        ("three-way", "param"),
        ("version 3.11–3.12", "version"),
        ("python 3", "number"),  # a small letter is too weak a sign
        ("in May 2026", "datetime"),
        ("may 5 runs", "number"),
        ("`n=30`", "param"),
        ("9.5.1.2", "version"),
        ("#a\n1. x", "list"),
        ("# Part 2: x", "section"),
        ("№4", "rank"),
        ("a.#5", "number"),
        ("#a.+5", "number"),
        ("a <b 5 c>", "number"),  # no tag of HTML: a reader sees it
        ('<td title="5 > 4" x=9>', "code"),
        ("a<b5", "ident"),
        ("+/-5", "number"),
        ("a²", "expr"),
        ("¹", "footnote"),
        ("½", "number"),
        ("x = 5", "number"),
        ("a == 5", "number"),
        ("|\n| 7 | x |", "number"),
        ("| 12345 | x |", "number"),
        ("| 1 |", "number"),  # no name beside it: no column of ranks
        ("0123456789", "ident"),
        ("ref. 8", "footnote"),
    ],
)
def test_kind_of_the_first_token(text, kind):
    assert scan(text)[0].kind == kind


def test_a_ranked_column_is_told_by_its_sequence():
    table = "| 1 | a |\n| 2 | b |\n\n| 3 | c |\n"
    assert [t.kind for t in scan(table)] == ["rank", "rank", "number"]


def test_labels_carry_on_through_a_list_only_after_a_plural():
    assert [t.kind for t in scan("lines 10-25, 30 and 31")] == ["fileline"] * 4
    assert [t.kind for t in scan("section 3, 12 cells")] == ["section", "number"]
    assert [t.kind for t in scan("Python 3.8-3.11 -> 4")] == ["version", "version", "number"]


def test_a_slice_is_read_with_its_line_as_context_and_offsets_of_the_whole():
    text = "x" * 300 + "\n1. at least 12 ms of it"
    whole, sliced = scan(text)[-1], scan(text, start=text.index("12"), end=text.index(" of"))
    assert sliced == [whole]
    assert (whole.cmp, whole.unit, whole.text) == (">=", "ms", "12 ms")
    assert scan("12345", start=2, end=4) == [
        Token(2, 4, "34", "number", Decimal(34), Decimal(1), digits=(2, 4)),
    ]
    assert scan("5", start=7) == []


def test_the_figures_span_what_a_correction_may_rewrite():
    (token,) = scan("about −$1,234.5k tokens")
    assert token.text == "−$1,234.5k tokens"
    assert "about −$1,234.5k tokens"[slice(*token.digits)] == "1,234.5k"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$0.01253 -> $0.00686", True),
        ("44 of 48", True),
        ("12 ms", True),
        ("−5 … 5", True),
        ("[0-9].jpg", False),
        ("--num-ctx 4096", False),
        ("v1.2", False),
        ("½", False),  # a lone glyph in a code span is talked about, not measured
        ("", False),
        ("three", False),
    ],
)
def test_a_code_span_is_read_when_it_is_wholly_a_quantity(text, expected):
    assert is_quantity(text) is expected


@pytest.mark.parametrize(
    ("unit", "tokens_each"),
    [
        ("1,", 1), ("1-", 1), ("1 ", 1), ("1:", 1), ("$1", 1), ("+1", 1), ("#1", 1), ("|1|\n", 1), ("1²", 2), ("1--", 1),
        ("one ", 1), ("</h1>", 1),
    ],
)  # fmt: skip
def test_hostile_repetition_yields_its_tokens_one_by_one(unit, tokens_each):
    assert len(scan(unit * 20_000)) == 20_000 * tokens_each


@pytest.mark.parametrize(
    "unit",
    ["1", "1.", "111,", "111 ", "a1", "a-1", "1/", "1_", "x1", "1x", "a:1", "1h", "\u200b1", "a1-", "1.1,", "hundred one-"],
)  # fmt: skip
def test_hostile_runs_are_one_token_or_few(unit):
    tokens = scan(unit * 50_000)
    assert 1 <= len(tokens) <= 50_001


@pytest.mark.parametrize(
    "unit", ["-", "](", "[^", "<a ", "http://", "~", "hundred ", "&", "a.b/", "../", "("]
)
def test_hostile_joints_without_digits_yield_nothing(unit):
    assert scan(unit * 50_000) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("977 cells", True),
        ("0.977 F1", True),
        ("F1=0.977", True),
        ("F1 0.977", True),
        ("score = 0.97", True),
        ("scored 977", True),
        ("5 out of 48 cells", True),
        ("16 x 4", False),
        ("2x4", True),
        ("x = 5", False),
        ("n=30", False),
        ("sleep 5", False),
        ("a.b 5", False),
        ("5;foo", False),
        ("head -5", False),
        ("9 " * 200, False),
    ],
)
def test_plain_words_in_a_code_span_leave_it_a_quantity(text, expected):
    assert is_quantity(text) is expected
