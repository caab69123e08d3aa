"""What a text says, one line a case."""

import pytest

from benchctl.importers.values import PECULIAR, is_number, kind_of, rounded

KINDS = [
    ("0", "BIGINT"),
    ("-7", "BIGINT"),
    ("9223372036854775807", "BIGINT"),  # the greatest of 64 bits
    ("-9223372036854775808", "BIGINT"),  # the least
    ("9223372036854775808", "beyond 64 bits"),
    ("1" * 5000, "beyond 64 bits"),  # more digits than Python reads at once
    ("-0", "DOUBLE"),
    ("1.", "DOUBLE"),
    (".5", "DOUBLE"),
    ("-1.5e-3", "DOUBLE"),
    ("1E5", "DOUBLE"),
    ("0e0", "DOUBLE"),
    ("5e-324", "DOUBLE"),  # the least above 0
    ("1e400", "too large for a DOUBLE"),
    ("-1e-400", "too small for a DOUBLE"),
    ("TRUE", "BOOLEAN"),
    ("true", "BOOLEAN"),
    ("t", "text"),
    ("yes", "text"),
    ("", "text"),
    (".", "text"),
    ("e5", "text"),
    ("0x1F", "text"),
    ("\u0661", "text"),  # a digit of another script
    ("inf", "infinite or not a number"),
    ("-Infinity", "infinite or not a number"),
    ("NaN", "infinite or not a number"),
    ("1.#INF", "infinite or not a number"),
    ("007", "with leading zeros"),
    ("-00.5", "with leading zeros"),
    ("+5", "with a plus sign"),
    ("1,234", "with thousands separators"),
    ("1.234.567", "with thousands separators"),
    ("1.234,5", "with thousands separators"),
    ("1 234", "with thousands separators"),
    ("1_000", "with thousands separators"),
    ("1,5", "with a decimal comma"),
    ("12,3456", "with a decimal comma"),
    ("12 %", "with a percent sign"),
    ("1.5s", "with a unit"),
    ("$3.20", "with a unit"),
    ("2026-01-02", "a date or time"),
    ("2026-01-02T03:04:05+02:00", "a date or time"),
    ("12:30", "a date or time"),
    ("1-2", "text"),
    ("3 of 4", "text"),
]


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_a_text_is_of_one_kind(text, kind):
    assert kind_of(text) == kind
    assert is_number(f" {text} ") == (kind in ("BIGINT", "DOUBLE"))


def test_every_peculiarity_has_a_case():
    assert set(PECULIAR) <= {kind for _, kind in KINDS}


@pytest.mark.parametrize(
    ("text", "loses"),
    [
        ("0.1", False),
        ("0.30000000000000004", False),  # the digits that Python writes
        (
            "0.1000000000000000055511151231257827",
            True,
        ),  # the digits of the DOUBLE itself are more than its name
        ("9007199254740993.0", True),  # 2 ** 53 + 1
        ("123456789012345e3", False),
    ],
)
def test_a_number_that_a_double_cannot_hold_is_known(text, loses):
    assert rounded(text) == loses
