"""The one formatter."""

from __future__ import annotations

from decimal import Decimal

import pytest

from benchctl.errors import NumeralInvalidError
from benchctl.quantities.format import counted, default_places, format_number, listed


@pytest.mark.parametrize(
    ("value", "unit", "places", "expected"),
    [
        (None, "s", 2, "–"),
        (0, None, None, "0"),
        (0.0, None, None, "0.00"),
        (48, None, None, "48"),
        (48, None, 2, "48.00"),
        (161322, None, None, "161,322"),
        (139809.5, None, None, "139,810"),  # half-even on the decimal
        (139808.5, None, None, "139,808"),
        (16.25, None, 1, "16.2"),
        (16.35, None, 1, "16.4"),  # its float lies below 16.35; its repr decides
        (1.005, None, 2, "1.00"),
        (2.5, None, 0, "2"),
        (12.345, None, None, "12.3"),
        (0.97712, "fraction", None, "0.977"),
        (0.00012345, None, None, "0.000123"),
        (1.572, "%", 2, "1.57%"),
        (38.1, "pp", None, "38.1pp"),
        (2.02, "×", None, "2.02×"),
        (0.6, "USD", 2, "$0.60"),
        (-5, "USD", None, "−$5"),
        (-0.0294, None, 3, "−0.029"),
        (-0.001, None, 2, "0.00"),  # a sign that the digits deny is left out
        (12.34, "seconds", None, "12.3 s"),
        (69164, "tokens", None, "69,164 tokens"),
        (1e-12, None, None, "1.00e-12"),
        (-1.5e300, None, None, "−1.50e+300"),
        (10**18, None, None, "1,000,000,000,000,000,000"),
        (1e-12, None, 2, "0.00"),
        (Decimal("1.25"), None, 1, "1.2"),
    ],
)
def test_a_number_as_a_page_shows_it(value, unit, places, expected):
    assert format_number(value, unit=unit, places=places) == expected


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(NumeralInvalidError):
        format_number(value)


def test_places_keep_three_digits_and_never_drop_one_before_the_point():
    assert [default_places(value) for value in (7, 1234.5, 99.95, 1.0, 0.0123, 0.0)] == [0, 0, 1, 2, 4, 2]


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 pages"), (1, "1 page"), (2, "2 pages"), (1200, "1,200 pages")]
)
def test_a_count_stands_with_its_noun(count, text):
    assert counted(count, "page") == text


@pytest.mark.parametrize(
    ("names", "most", "apart", "text"),
    [
        ([], 3, ", ", ""),
        (["a"], 3, ", ", "a"),
        (["a", "b", "c"], 3, ", ", "a, b, c"),
        (["a", "b", "c", "d"], 3, ", ", "a, b, c and 1 more"),
        (["a"] * 1003, 3, ", ", "a, a, a and 1,000 more"),
        (["a 1", "b 2", "c 3"], 2, "; ", "a 1; b 2; and 1 more"),
    ],
)
def test_a_long_list_is_told_by_its_first(names, most, apart, text):
    assert listed(names, most, apart=apart) == text
