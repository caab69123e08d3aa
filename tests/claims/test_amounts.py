"""Amounts of a kind: what can be added, multiplied and divided, and what is no arithmetic."""

from decimal import Decimal
from fractions import Fraction

import pytest

from benchctl.claims.prose.amounts import Amount, NoAmountError, amount_of, compute, factor
from benchctl.quantities.numerals import scan
from benchctl.quantities.span import Span


def amount(text):
    return amount_of(scan(text)[0])


def plain(number):
    return Amount(Span.exact(number), None)


@pytest.mark.parametrize(
    ("pieces", "value", "kind"),
    [
        (["3", "+", "4"], 7, None),
        (["16", "-", "4", "*", "3"], 4, None),
        (["(", "16", "-", "4", ")", "*", "3"], 36, None),
        (["44", "/", "48"], Fraction(11, 12), None),
        (["12 %", "%", "500"], 60, None),
        (["97 s", "/", "17 s"], Fraction(97, 17), None),
        (["97 s", "*", "2"], 194, "time"),
        (["2", "*", "3 min"], 360, "time"),
        (["95 %", "-", "3 pp"], Fraction(92, 100), "share"),
    ],
)
def test_what_fits_is_computed(pieces, value, kind):
    found = compute([piece if piece in "()+-*/%" else amount(piece) for piece in pieces])
    assert found.value.lo <= value <= found.value.hi
    assert found.kind == kind


@pytest.mark.parametrize(
    "pieces",
    [
        ["3 s", "+", "4"],
        ["3 s", "+", "4 tokens"],
        ["3 s", "*", "4 s"],
        ["3", "/", "4 s"],
        ["3", "/", "0"],
        ["(", "3", "+", "4"],
        ["3", ")", "+", "4"],
        ["3", "+"],
        ["+", "3"],
        [],
    ],
)
def test_what_does_not_fit_is_no_amount(pieces):
    with pytest.raises(NoAmountError):
        compute([piece if piece in "()+-*/%" else amount(piece) for piece in pieces])


@pytest.mark.parametrize("text", ["over 3", "at most 3 s", "3 req/s", "3widgets"])
def test_a_bound_and_an_unknown_unit_are_no_amount(text):
    with pytest.raises(NoAmountError):
        amount(text)


def test_a_whole_hundred_percent_is_all_of_it():
    assert amount("100 %") == Amount(Span.exact(1), "share")
    assert amount("100.0 %").value != Span.exact(1)
    assert amount("48").value == Span.exact(48)
    assert amount("48 s").value == Span.printed(Decimal(48), Decimal(1))


@pytest.mark.parametrize(
    ("unit", "base"),
    [("", 1), ("min", 60), ("%", Fraction(1, 100)), ("pp", Fraction(1, 100)), ("widgets", 1)],
)
def test_a_unit_is_so_many_base_units(unit, base):
    assert factor(unit) == base
