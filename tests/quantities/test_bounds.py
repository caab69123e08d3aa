"""A bound under a negation says the opposite; where that cannot be decided, the token says so."""

import pytest

from benchctl.quantities.numerals import scan


@pytest.mark.parametrize(
    ("text", "cmp"),
    [
        ("No cell took longer than 10 s", "<="), ("None exceeded 5 s", "<="), ("No arm had fewer than 30 cells", ">="),
        ("It took no longer than 9 s", "<="), ("neither arm took more than 5 s", "<="), ("It never took more than 8 s", "<="),
        ("at no point more than 8 s", "<="), ("no larger than 5 MB", "<="), ("no smaller than 5", ">="), ("did not exceed 9 s", "<="),
        ("It didn't take more than 9 s", "<="), ("No cell took\nlonger than **10** s", "<="), ("none took > 9 s", "<="),
        ("none took >= 9 s", "<"), ("None of 24 cells took more than 9 s", "<="), ("No cell (of 24) took more than 9 s", "<="),
        ("No cell failed, and none took more than 9 s", "<="), ("neither more than 30 nor less than 20", ">="),
        ("No arm had fewer than 20 or more than 30 cells", "<="), ("no fewer than 20 and no more than 30", "<="),
        ("没有超过 5 s", "<="), ("从未超过 5", "<="), ("不超过 5", "<="), ("超过 5", ">"), ("\u6ca1\u6709\u5931\u8d25\u3002\u8d85\u8fc7 5", ">"),
        ("Grep does not fail but takes more than 10 s", ">"), ("It took more than 10 s", ">"), ("With no tools, grep takes more than 10 s", ">"),
        ("Index, not grep, took more than 9 s", ">"), ("not only more than 9 s", ">"), ("a few cells took more than 9 s", ">"),
        ("No failures. More than 9 s", ">"), ("No failure | more than 9 s", ">"), ("No arm failed, and it took more than 9 s", ">"),
        ("nothing new (more than 9 s", ">"), ("no more than 5", "<="), ("at least 5", ">="), ("better than 20 s", "<"), ("No better than 20 s", ">="),
        ("It did not need the index, which took more than 9 s", ">"), ("zero-shot took more than 9 s", ">"), ("10 s.\n\nNone\n\nmore than 9 s", ">"), ("no cell took more than nine seconds", "<="),
    ],
)  # fmt: skip
def test_a_negation_turns_a_bound(text, cmp):
    token = scan(text)[-1]
    assert (token.cmp, token.doubt) == (cmp, "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("90 or more cells", [">="]), ("97 or fewer", ["<="]), ("43 s at most", ["<="]), ("43 s at least.", [">="]), ("18 cells or more", [">="]),
        ("60 % and above", [">="]), ("12 and under", ["<="]), ("**90** or more", [">="]), ("90 or\nmore", [">="]), ("10 s or longer", [">="]),
        ("No cell took 10 s or more", ["<"]), ("none had 20 or fewer", [">"]), ("nine or more", [">="]),
        ("5 at most 6 times", ["=", "<="]), ("5 or more than 6", ["=", ">"]), ("5 and over 6", ["=", ">"]), ("5 s, at most", ["="]),
        ("5 or more-or-less", ["="]), ("at least 5 or more", [">="]), ("5 cells and more often", ["="]), ("5 (or more)", ["="]),
    ],
)  # fmt: skip
def test_a_bound_behind_a_number_is_one_too(text, said):
    assert [token.cmp for token in scan(text) if token.value is not None] == said


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("hardly more than 5 s", "negation"), ("not all cells took more than 9 s", "negation"), ("few cells took more than 9 s", "negation"),
        ("nothing but index took more than 9 s", "negation"), ("no index was needed for at least 18 cells", "negation"),
        ("No cell, in any run, took more than 9 s", "negation"), ("Grep has no graph and reads more than 50 rows", "negation"),
        ("none failed to take more than 9 s", "negation"), ("never up to 9 s", "negation"), ("none took no more than 9 s", "negation"),
        ("More than 9 s was taken by no cell", "negation"), ("more than 9 s is never needed", "negation"), ("没有一个 arm 超过 5", "negation"),
        ("hardly any took 9 s or more", "negation"), ("nothing over 7", "preposition"), ("without going over 9 s", "preposition"), ("better than 0.8", "better"), ("no better than 0.8", "better"),
    ],
)  # fmt: skip
def test_what_cannot_be_decided_is_said(text, doubt):
    assert scan(text)[0].doubt == doubt
