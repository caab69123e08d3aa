# ruff: noqa: RUF001
"""Unit families, spellings and exact conversion."""

from __future__ import annotations

from decimal import Decimal

import pytest

from benchctl.errors import UnitUnknownError
from benchctl.quantities.units import FAMILIES, SPELLINGS, convert, family, is_rate, normalise_unit


@pytest.mark.parametrize(
    ("value", "unit", "to", "expected"),
    [
        ("1.5", "min", "s", "90"),
        ("90", "seconds", "min", "1.5"),
        ("250", "ms", "s", "0.25"),
        ("3", "us", "µs", "3"),
        ("2", "days", "h", "48"),
        ("1", "KiB", "B", "1024"),
        ("1", "KB", "B", "1000"),
        ("1", "GiB", "MiB", "1024"),
        ("0.604", "fraction", "%", "60.4"),
        ("60.4", "percent", "fraction", "0.604"),
        ("2.0", "×", "x", "2.0"),
        ("150", "cents", "USD", "1.5"),
        ("3.4", "Ghz", "MHz", "3400"),
        ("7", "widgets", "widgets", "7"),
        ("7", "", "", "7"),
    ],
)
def test_conversion_inside_a_family(value, unit, to, expected):
    assert convert(Decimal(value), unit, to) == Decimal(expected)


@pytest.mark.parametrize(
    ("unit", "to"), [("s", "B"), ("%", "pp"), ("x", "%"), ("", "s"), ("USD", "EUR"), ("tokens", "B")]
)
def test_families_never_mix(unit, to):
    with pytest.raises(UnitUnknownError, match="does not convert"):
        convert(Decimal(1), unit, to)


@pytest.mark.parametrize(
    ("glyphs", "name"),
    [
        ("seconds", "s"), ("Seconds", "s"), ("×", "x"), ("&times;", "x"), ("$", "USD"), ("％", "%"), ("\u00b5s", "µs"),
        ("\u03bcs", "µs"), ("㎳", "ms"), ("rows/second", "rows/s"), ("Tokens/S", "tokens/S"), ("", ""), (" ms ", "ms"),
        ("widgets", "widgets"), ("Ki", "KiB"), ("kb", "KB"),
    ],
)  # fmt: skip
def test_every_spelling_has_one_name(glyphs, name):
    assert normalise_unit(glyphs) == name


def test_the_tables_agree_with_each_other():
    members = [unit for units in FAMILIES.values() for unit in units]
    assert len(members) == len(set(members))
    assert set(SPELLINGS.values()) <= set(members)
    assert all(normalise_unit(unit) == unit for unit in members)


def test_family_of_a_unit():
    assert family("minutes") == "time"
    assert family("") is None
    assert family("widgets") is None


@pytest.mark.parametrize(
    ("unit", "rate"),
    [("tokens/s", True), ("s/query", False), ("QPS", True), ("rows/second", True), ("", False), ("s", False)],
)
def test_which_units_are_rates(unit, rate):
    assert is_rate(unit) is rate
