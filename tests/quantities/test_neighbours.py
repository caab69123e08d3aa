"""What stands around a number and changes what it says: brackets, joints, scripts, releases, dates, enumerations."""

from __future__ import annotations

from decimal import Decimal

import pytest

from benchctl.quantities.numerals import is_quantity, scan


def claims(text: str) -> list[tuple[str, str, str]]:
    return [(t.text, f"{t.value:f}", t.unit) for t in scan(text) if t.is_claim]


def kinds(text: str) -> list[str]:
    return [token.kind for token in scan(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9.79(22) ms", [("9.79", "9.79", "ms"), ("22", "0.22", "ms")]),
        ("93.5(4)%", [("93.5", "93.5", "%"), ("4", "0.4", "%")]),
        ("9.79(22)", [("9.79", "9.79", ""), ("22", "0.22", "")]),
        ("9.79(22)e-2", [("9.79", "0.0979", ""), ("22)e-2", "0.0022", "")]),
        (
            "9.79(22)e-999",
            [("9.79", "9.79", ""), ("22)e-999", "0.22", "")],
        ),  # no arithmetic of a page fills the memory
        ("9.79(22)\u00d710\u207b\u00b2", [("9.79", "0.0979", ""), ("22", "0.0022", "")]),
        ("9.79(22) \u00d7 3", [("9.79", "9.79", ""), ("22", "0.22", ""), ("3", "3", "")]),
        ("9.79(222)", [("9.79", "9.79", ""), ("222", "222", "")]),  # longer than the decimals: a count
        ("979(22)", [("979", "979", ""), ("22", "22", "")]),
        ("9.79 (22)", [("9.79", "9.79", ""), ("22", "22", "")]),
        ("9.79(2.2)", [("9.79", "9.79", ""), ("2.2", "2.2", "")]),
        ("9.79 s(22)", [("9.79 s", "9.79", "s"), ("22", "22", "")]),
        ("(0.20) ms", [("0.20", "0.20", "ms")]),
        ("(0.20) cells", [("0.20", "0.20", "")]),
        ("(about 12) ms", [("12", "12", "")]),  # a word stands in the bracket
        ("(1.2 \u00b1 0.3) ms", [("1.2", "1.2", "ms"), ("0.3", "0.3", "ms")]),
        ("(1.2 s \u00b1 0.3) ms", [("1.2 s", "1.2", "s"), ("0.3", "0.3", "")]),
        ("[1.2, 3.4] \u00b5s", [("1.2", "1.2", "\u00b5s"), ("3.4", "3.4", "\u00b5s")]),
        (
            "(1, 2, 3, 4, 5, 6, 7, 8) ms",
            [(str(n), str(n), "") for n in range(1, 9)],
        ),  # no tuple of eight has one unit
        ("(1.2 \u00b1 0.3) \u00d7 10^-2", [("1.2", "0.012", ""), ("0.3", "0.003", "")]),
        ("(1.2 \u00b1 0.3) \u00d7 5", [("1.2", "1.2", ""), ("0.3", "0.3", ""), ("5", "5", "")]),
        ("see 5) ms", [("5", "5", "")]),
    ],
)
def test_what_stands_behind_a_bracket_is_said_of_the_numbers_inside(text, expected):
    assert claims(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\u4e09\u767e\u4e8c\u5341\u4e2a", [("320", "")]),
        ("\u4e24\u767e\u884c", [("200", "")]),
        ("\u4e09\u5343\u4e07", [("30000000", "")]),
        ("\u5341\u4e8c\u4e2a", [("12", "")]),
        ("\u4e00\u767e\u96f6\u4e94", [("105", "")]),
        ("\u4e09\u5206\u4e4b\u4e00", [("0.3333333333333333333333333333", "")]),
        ("\u767e\u5206\u4e4b\u4e94", [("5", "%")]),
        ("\u5341\u5206\u4e4b\u4e8c\u4e09", []),  # an estimate
        ("\u4e00\u4e2a", []),  # one
        ("\u4e09", []),  # alone it may be part of a word
        ("\u5341\u5206", []),
        ("\u4e00\u4e07\u4e94", []),  # short for fifteen thousand
        ("\u4e09\u767e\u4e8c", []),
        ("\u4e94\u516d\u4e2a", []),
        ("\u5341\u4e07\u4ebf", []),  # no numeral: the greater power stands first
        ("\u5341\u767e", []),
        ("\u4e09\u79d2", [("3", "s")]),
        ("12\u4e07\u884c", [("120000", "")]),
        ("3\u5343\u4e07\u884c", [("30000000", "")]),
        ("5\u767e", [("500", "")]),
        ("12.5\uc5b5", [("1250000000", "")]),
        ("3\u5c0f\u65f6\u4e8e", [("3", "h")]),
        ("1\u5c0f\u65f65\u52063.5\u79d2", [("3903.5", "s")]),
        ("2\u5c0f\u65f610\u5206", [("7800", "s")]),
        ("2.5 \u500d", [("2.5", "x")]),
    ],
)
def test_chinese_and_japanese_numerals_are_read_where_they_are_certain(text, expected):
    assert [(f"{t.value:f}", t.unit) for t in scan(text) if t.is_claim] == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1\u4e072\u5343", "unreadable"),  # digits that a numeral goes on behind
        ("\u7b2c\u4e09\u6b21", "ordinal"), ("\u7b2c3\u6b21", "ordinal"), ("\u7b2c3\u7ae0", "section"), ("\u5341\u4e8c\u6708", "datetime"),
        ("2026\u5e7411\u670830\u65e5", "datetime"), ("11\u670830\u65e5", "datetime"), ("2026\ub144 11\uc6d4 30\uc77c", "datetime"),
        ("5 May", "datetime"), ("5 Marked", "number"), ("12 Decisions", "number"), ("30 Sept. 2026", "datetime"),
        ("3:30 PM", "datetime"), ("UTC+2", "datetime"), ("GMT-05:30", "datetime"), ("2026-W05", "datetime"), ("the 1990s", "datetime"),
        ("1990s", "number"), ("2023\u201324", "datetime"), ("2023-30", "number"), ("HTTP/2", "ident"), ("TLS/1.3", "ident"), ("802.11ac", "ident"),
        ("grep/rg/12ms", "number"), ("srv/a/9b", "ident"), ("failed.977 of", "number"), ("fig.3 of", "ident"), ("libc.so.6", "ident"), ("tail.977x", "ident"),
        ("\u03940.03", "number"), ("\u0394-0.03", "number"), ("\u03b22", "ident"), ("n\u22121", "ident"), ("score\u22120.03", "number"), ("a.py:12", "fileline"),
        ("arm.a:0.93", "number"), ("64bit", "param"), ("32 bit", "param"), ("5-point scale", "param"), ("a 5-point lead", "number"), ("(x3)", "number"),
        ("| x3 |", "number"), ("x3 and", "ident"), ("12-of-", "number"), ("977Tokens", "number"), ("48CELLS", "number"), ("7Zip", "ident"),
        ("serves on :8080", "port"), ("tokens :977", "number"), ("Eq. (5)", "section"), ("Eq. (0.5)", "number"), ("p. 12", "section"), ("\u00a7 5", "section"),
        ("N = 1,000", "param"), ("cells==48", "number"), ("numpy==2", "version"), ("numpy==0.5", "number"), ("pkg==1.10", "version"), ("score==9.5", "number"),
        ("a==1", "version"), ("pkg~=1.10", "version"), ("Go 1.23", "version"), ("Go 9.3", "number"), ("Python 9.3", "number"), ("numpy >= 2.1", "version"),
        ("9\u00b2", "number"), ("2\u00b3\u00b2", "expr"), ("\u00bd\u00bd", "unreadable"), ("[3.1]", "number"), ("[31]", "footnote"), ("(c) 2026.", "datetime"),
        ("\u00a9 2026.", "datetime"), (". 2026", "number"), ("http:5", "number"), ("http://", ""),
    ],
)  # fmt: skip
def test_the_first_token_is_of_its_kind(text, kind):
    assert (kinds(text) or [""])[0] == kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0,935", [("0,935", "0.935", "")]),
        ("0,935,123", []),  # neither a decimal nor groups
        ("0 935", [("0", "0", ""), ("935", "935", "")]),
        ("0.5 935", [("0.5", "0.5", ""), ("935", "935", "")]),
        ("10\\,000", [("10\\,000", "10000", "")]),
        ("10{,}000", [("10{,}000", "10000", "")]),
        ("5\\,ms", [("5\\,ms", "5", "ms")]),
        ("5~ms", [("5~ms", "5", "ms")]),
        ("$2.1\\times$", [("$2.1\\times$", "2.1", "x")]),
        ("2\\times 3", [("2", "2", ""), ("3", "3", "")]),
        ("$5 $6", [("$5", "5", "USD"), ("$6", "6", "USD")]),
        ("USD 5", [("USD 5", "5", "USD")]),
        ("BUSD 5", [("5", "5", "")]),
        ("12,50 \u20ac", [("12,50 \u20ac", "12.50", "EUR")]),
        ("3 \u20ac5", [("3", "3", ""), ("\u20ac5", "5", "EUR")]),
        ("2/3rds", [("2/3rds", "0.6666666666666666666666666667", "")]),
        ("2/3 rd", [("2", "2", ""), ("3", "3", "")]),
        ("10\u201320 million", [("10", "10000000", ""), ("20 million", "20000000", "")]),
        ("5\u201310k tokens", [("5", "5000", "tokens"), ("10k tokens", "10000", "tokens")]),
        ("1,000 k=5", [("1,000", "1000", "")]),
        ("max=9 min=2", [("9", "9", ""), ("2", "2", "")]),
        ("mean 9.1 min 2.0 max 12", [("9.1", "9.1", ""), ("2.0", "2.0", ""), ("12", "12", "")]),
        ("120 min = 2 h", [("120 min", "120", "min"), ("2 h", "2", "h")]),
        ("2e3ms", [("2e3ms", "2000", "ms")]),
        ("8\u00d7 H100", [("8\u00d7", "8", "x")]),
        ("8 \u00d7 H100", [("8", "8", "")]),
        ("8x80GB", [("8", "8", ""), ("80GB", "80", "GB")]),
        ("5-times", [("5-times", "5", "x")]),
        ("v1 \u2192 0.91", [("0.91", "0.91", "")]),
        ("NINE AND A HALF", [("NINE AND A HALF", "9.5", "")]),
        ("one hundred\nand five", [("one hundred\nand five", "105", "")]),
        (".\u00bd", [("\u00bd", "0.5", "")]),
        ("http://a)) 5", [("5", "5", "")]),
        ("\u2502 + 2.0 % \u2502", [("+ 2.0 %", "2.0", "%")]),
    ],
)
def test_claims_with_their_values(text, expected):
    assert claims(text) == expected


@pytest.mark.parametrize(
    ("text", "cmp"),
    [
        ("0.93 over 48", "="), ("[0.9, 1.0] over 48", "="), ("(1.2 \u00b1 0.1) ms over 48", "="), ("results over 48", "="), ("takes over 48", ">"),
        ("Over 48", ">"), ("1\n\nOver 48", ">"), (")\n\nover 48", ">"), ("\u7ea65", "~"), ("\u8d85\u8fc75", ">"), ("\u81f3\u5c115", ">="), ("\u4e0d\u52305", "<"),
        ("\u4e0d\u8d85\u8fc75", "<="), ("\u57285", "="), ("\u22725", "<="), ("\u22735", ">="), ("over\u00e9 5", "="), ("at most.x 5", "="),
    ],
)  # fmt: skip
def test_what_a_number_is_compared_by(text, cmp):
    assert scan(text)[-1].cmp == cmp


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(1) a, (2) b and (3) c", ["list"] * 3),
        ("it holds that (1) a; (2) b", ["list"] * 2),
        ("(1) a\n\n(2) b", ["number"] * 2),  # two blocks
        ("(1) a, (3) b", ["number"] * 2),
        ("(2) a, (3) b", ["number"] * 2),
        ("grep failed (1) and graph failed (2) again", ["number"] * 2),
        ("(1), (2), (3)", ["number"] * 3),
        ("(1) a, (1) b, (2) c", ["number", "list", "list"]),
        ("a (1) b, 5 c, (2) d", ["list", "number", "list"]),
    ],
)
def test_numbers_in_brackets_number_the_parts_of_a_sentence(text, expected):
    assert kinds(text) == expected


def test_a_class_of_characters_is_no_quantity():
    assert [is_quantity(text) for text in ("[0-9]+", "\\d 5", "[1-9, 5]", "[1, 9]")] == [
        False,
        False,
        True,
        True,
    ]


def test_a_line_behind_a_blank_first_line_opens_a_block():
    assert kinds("\n977. It") == ["list"]


def test_figures_and_unit_of_a_numeral_that_is_shared_between_lines():
    first, last = scan("5\u201310k tokens")
    assert (first.value, first.place, last.place) == (Decimal(5000), Decimal(1000), Decimal(1000))


def test_a_text_of_many_odd_glyphs_is_folded_like_one_of_few():
    glyphs = "".join(chr(code) for code in range(0xFF21, 0xFF5B))
    assert claims(f"{glyphs} \uff11\uff12\uff0e\uff15\uff05 \u22123") == [
        ("\uff11\uff12\uff0e\uff15\uff05", "12.5", "%"),
        ("\u22123", "-3", ""),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in two ways: 1) Lora and 2) QLora", ["word", "list", "list"]),
        ("(grep, 1) and (graph, 2) are", ["number"] * 2),
        ("\u4e24\u79cd\uff1a1\uff09\u4f7f\u7528A\uff0c2\uff09\u4f7f\u7528B", ["word", "list", "list"]),
        ("updated on 11/14/23.", ["datetime"]),
        ("5/30/24 cells", ["number"] * 3),
        ("AMD Ryzen 7 5800X machine", ["ident"] * 2),
        ("(x64) and", ["ident"]),
        ("section 8.1 requires", ["section"]),
        ("version 3 serializes", ["version"]),
        ("section 9 widgets", ["number"]),
        ("3\u4e07\u4ebf\u884c", ["number"]),
    ],
)
def test_kinds_of_all_tokens(text, expected):
    assert kinds(text) == expected
