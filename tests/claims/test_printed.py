"""When a printed number is true, as the manual on claims says it: one line a case."""

from decimal import Decimal

import pytest

from benchctl.claims.answers.nature import Nature
from benchctl.claims.answers.printed import judge
from benchctl.quantities.numerals import scan

CASES = [
    # what is printed, the value, its unit, whether it counts, the word
    ("16.2", 16.25, None, False, "tie"),
    ("16.3", 16.25, None, False, "tie"),
    ("139,809", 139809.5, None, False, "tie"),
    ("139,810", 139809.5, None, False, "tie"),
    ("13 %", 12.5, "%", False, "tie"),
    ("12 %", 12.5, "%", False, "tie"),
    ("12.4 %", 12.5, "%", False, "false"),
    ("31.5", 31.549999999999997, None, False, "true"),
    ("31.6", 31.549999999999997, None, False, "false"),
    ("1.00", 0.995, None, False, "tie"),
    ("44.8k", 44_849, None, False, "true"),
    ("44.8k", 44_851, None, False, "false"),
    ("48", 48, None, True, "true"),
    ("1.2k", 1234, None, True, "false"),  # counts are exact
    ("97.7%", 0.9771, "fraction", False, "true"),  # only a fraction scales
    ("97.7%", 0.9771, None, False, "false"),
    ("60.4%", 60.4, None, False, "true"),
    ("0.977", 0.9771, "fraction", False, "true"),
    ("2.1 pp", 0.021, "fraction", False, "true"),
    ("1.5 min", 90.0, "s", False, "true"),
    ("90,000 ms", 90.0, "s", False, "true"),
    ("90", 90.0, "s", False, "true"),
    ("2.0x", 2.0, None, False, "true"),
    ("2.0x", 2.0, "s", False, "unit"),
    ("50%", 0.5, "x", False, "unit"),
    ("about 100", 105, None, False, "true"),
    ("about 100", 105.1, None, False, "false"),
    ("at least 18", 18, None, True, "true"),
    ("at least 18", 17, None, True, "false"),
    ("at least 18", 29, None, True, "slack"),
    ("over 10", 10, None, False, "false"),
    ("over 10", 10.4, None, False, "true"),
    ("up to 10", 10, None, False, "true"),
    ("under 10", 10, None, False, "false"),
    ("nine", 9, None, True, "true"),
    ("5", "five", None, False, "kind"),
    ("1", True, None, False, "kind"),
]


@pytest.mark.parametrize(("text", "value", "unit", "exact", "word"), CASES)
def test_a_print_is_judged(text, value, unit, exact, word):
    (token,) = scan(text)
    assert judge(token, value, Nature(unit, exact), Decimal("0.05")).word == word


@pytest.mark.parametrize("text", ["36 s", "36 min", "36 MiB", "$36", "€36", "36 %", "36 pp", "36 kHz"])
def test_a_number_of_things_has_no_unit_of_measurement(text):
    (token,) = scan(text)
    judged = judge(token, 36, Nature(None, exact=True, plain=True), Decimal("0.05"))
    assert judged.word == "unit"
    assert judge(token, 36, Nature(None), Decimal("0.05")).word == "true"


@pytest.mark.parametrize("text", ["36", "36 tokens", "36x", "36 cells"])
def test_a_number_of_things_may_say_what_it_counts(text):
    token = scan(text)[0]
    judged = judge(token, 36, Nature(None, exact=True, plain=True), Decimal("0.05"))
    assert judged.word == "true"


@pytest.mark.parametrize(
    ("text", "value", "unit", "saturated"),
    [
        ("1.00", 0.9991, "fraction", True),
        ("1.00", 1.0, "fraction", False),
        ("100 %", 0.9991, "fraction", True),
        ("100 %", 1, "fraction", False),
        ("0", 0.2, None, True),
        ("0", 0, None, False),
        ("1", 1.2, None, False),
        ("0.0%", 0.0001, "fraction", True),
        ("99 %", 0.9891, "fraction", False),
    ],
)
def test_a_print_of_none_or_all_that_is_not_exactly_so_is_marked(text, value, unit, saturated):
    (token,) = scan(text)
    judged = judge(token, value, Nature(unit), Decimal("0.05"))
    assert (judged.saturated, judged.holds) == (saturated, True)
