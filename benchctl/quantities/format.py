"""The one number formatter: tables, charts, templates and `--fix` print through it.

It rounds half-even on the decimal that a value's repr shows, so that what is
printed always lies in the rounding interval of what was measured:
`agreement(value, scan(format_number(value)))` is never "false".
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

from benchctl.quantities.rounding import as_decimal, exact_context
from benchctl.quantities.units import normalise_unit

__all__ = ["NOT_MEASURED", "counted", "default_places", "format_number", "listed"]

NOT_MEASURED = "\N{EN DASH}"
"""What stands for None: an en dash, never 0."""

_SIGNIFICANT = 3
_WIDEST = 16
_NARROWEST = -9
_GLUED = {"x": "\N{MULTIPLICATION SIGN}", "%": "%", "pp": "pp"}
_BEFORE = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
_SILENT = {"", "fraction"}


def default_places(value: float | Decimal) -> int:
    """Return the decimals `format_number` chooses: none for an int, else three significant digits or more.

    Digits before the point are never dropped: 139809.5 has 0 decimals, 12.345 has 1, 0.0123 has 4.
    """
    if isinstance(value, int):
        return 0
    magnitude = as_decimal(value).adjusted() if value else 0
    return max(0, _SIGNIFICANT - 1 - magnitude)


def format_number(
    value: float | Decimal | None, *, unit: str | None = None, places: int | None = None
) -> str:
    """Return `value` as a page shows it; None (not measured) is an en dash.

    Rounded half-even to `places` decimals (default: `default_places`), thousands
    parted by commas, minus as U+2212. The value is already in `unit`; nothing is
    scaled: a fraction prints plain (0.977), 97.7 of unit "%" prints "97.7%".
    `%`, `pp` and the multiplication sign are glued, money stands before ("$0.60"), other units
    follow a space ("12.3 s"). Without `places`, a float beyond 16 digits or
    under 1e-9 is written like 1.23e-12. Raises NumeralInvalidError for
    infinities and not-a-number.
    """
    if value is None:
        return NOT_MEASURED
    number = as_decimal(value)
    name = normalise_unit(unit or "")
    extreme = number != 0 and not _NARROWEST <= number.adjusted() <= _WIDEST
    if places is None and extreme and not isinstance(value, int):
        digits = _scientific(number)
    else:
        digits = _fixed(number, default_places(value) if places is None else places)
    sign = "\N{MINUS SIGN}" if digits.startswith("-") else ""
    return sign + _with_unit(digits.removeprefix("-"), name)


def _fixed(number: Decimal, places: int) -> str:
    step = Decimal(1).scaleb(-places)
    with localcontext(exact_context(number, step)):
        rounded = number.quantize(step, rounding=ROUND_HALF_EVEN)
        # A value that rounds to zero loses its sign: "-0.00" would claim a direction that the digits deny.
        return f"{abs(rounded) if rounded == 0 else rounded:,f}"


def _scientific(number: Decimal) -> str:
    step = Decimal(1).scaleb(number.adjusted() - _SIGNIFICANT + 1)
    with localcontext(exact_context(number, step)):
        rounded = number.quantize(step, rounding=ROUND_HALF_EVEN)
        return f"{rounded:.{_SIGNIFICANT - 1}e}"


def _with_unit(digits: str, unit: str) -> str:
    if unit in _SILENT:
        return digits
    if unit in _BEFORE:
        return f"{_BEFORE[unit]}{digits}"
    if unit in _GLUED:
        return f"{digits}{_GLUED[unit]}"
    return f"{digits} {unit}"


def counted(count: int, noun: str) -> str:
    """Return a count with its English noun: `1 page`, `3 pages`. The noun must take a plain s."""
    return f"{format_number(count)} {noun}{'' if count == 1 else 's'}"


def listed(names: Sequence[str], most: int = 3, *, apart: str = ", ") -> str:
    """Return the first `most` names and how many are left: `a, b, c and 4 more`. Parted by "; ", so is the rest."""
    left = len(names) - most
    more = f"{apart.removeprefix(',')}and {format_number(left)} more" if left > 0 else ""
    return apart.join(names[:most]) + more
