"""Another value in the same clothes: decimals, separators, multiplier, sign glyph and padding stay. Pure text.

Only what stands in the figures is written anew; the sign is never touched, for a number that
turns round says another thing.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

from benchctl.claims.fixing.reasons import Refused
from benchctl.quantities.numerals import Token
from benchctl.quantities.rounding import exact_context

__all__ = ["SEPARATORS", "rounded", "with_value"]

SEPARATORS = ",'\u2019_ \u00a0\u2000-\u200a\u202f\u205f\u3000"
"""What may part thousands, as the inside of a character class."""

_SIGN = "[-+\u2212\u2010-\u2013\ufe63\uff0d\u2796]?"
_FIGURES = re.compile(
    rf"(?P<sign>{_SIGN})"
    rf"(?P<whole>[0-9]{{1,3}}(?:(?P<sep>[{SEPARATORS}])[0-9]{{3}})(?:(?P=sep)[0-9]{{3}})*+(?![0-9])|[0-9]*+)"
    r"(?:\.(?P<part>[0-9]++))?(?P<tail>(?:[^0-9.,].*)?)",
    re.DOTALL,
)
_POWER = re.compile(r"[eE][-+0-9]|\s?(?:\u00d7|x|\u00b7|\u22c5|\*|\\times|\\cdot)\s?10")
_GROUP = 3


def with_value(figures: str, token: Token, actual: Decimal, *, separator: str = ",") -> str | Refused:
    """Return `figures` (sign and figures of a token, as they read) saying `actual`, which is in the token's unit.

    `separator` parts thousands where the old figures were too short to show how.
    """
    found = _FIGURES.fullmatch(figures)
    if found is None or not (found["whole"] or found["part"]) or token.value is None or token.place is None:
        return Refused("form")
    places = len(found["part"] or "")
    bare = _bare(found["whole"], found["sep"], found["part"])
    factor = _factor(token, bare, places)
    if factor is None:
        return Refused("form")
    new = rounded(abs(actual), factor, places)
    written = _written(new, found, separator)
    if actual and (actual < 0) != (token.value < 0):
        sign = "\u2212" if actual < 0 else ""
        return Refused("sign", f"{figures} would become {sign}{written}{found['tail']}")
    whole = found["sign"] + written + found["tail"]
    if not _suits(bare, new, found):
        return Refused("magnitude", f"{figures} would become {whole}")
    return whole


def rounded(value: Decimal, factor: Decimal, places: int) -> Decimal:
    """Return `value / factor` rounded half-even to `places` decimals; `factor` is a power of ten."""
    step = Decimal(1).scaleb(-places)
    with localcontext(exact_context(value, step, factor)) as context:
        context.prec += abs(factor.adjusted())
        return value.scaleb(-factor.adjusted()).quantize(step, rounding=ROUND_HALF_EVEN)


def _bare(whole: str, separator: str | None, part: str | None) -> Decimal:
    digits = whole.replace(separator, "") if separator else whole
    return Decimal(f"{digits or '0'}.{part or '0'}")


def _factor(token: Token, bare: Decimal, places: int) -> Decimal | None:
    """Return what one of the bare figures stands for, multiplier and header counted in; None where they do not fit."""
    if token.value is None or not token.place or token.place.adjusted() + places > 400:
        return None
    factor = token.place.scaleb(places)
    digits = factor.normalize().as_tuple()
    if digits.digits != (1,):
        return None
    power = Decimal(1).scaleb(factor.adjusted())
    with localcontext(exact_context(bare, power, token.value)) as context:
        context.prec += abs(power.adjusted())
        return power if bare * power == abs(token.value) else None


def _written(new: Decimal, found: re.Match[str], separator: str) -> str:
    whole, _, part = f"{new:f}".partition(".")
    old = found["whole"]
    if found["sep"]:
        whole = _grouped(whole, found["sep"])
    elif len(old) <= _GROUP < len(whole):
        whole = _grouped(whole, separator)
    elif len(old) > 1 and old.startswith("0"):
        whole = whole.zfill(len(old))
    if not old and whole == "0":
        whole = ""
    return f"{whole}.{part}" if part else whole


def _grouped(digits: str, separator: str) -> str:
    return f"{int(digits):,}".replace(",", separator)


def _suits(old: Decimal, new: Decimal, found: re.Match[str]) -> bool:
    """Whether the new figures still fit their form: `44.8k` stays between 1k and 1000k, `.812` below 1."""
    if not found["whole"]:
        return new < 1
    tail = found["tail"]
    if not tail:
        return True
    limit = Decimal(10) if _POWER.match(tail) else Decimal(1000)
    return not 1 <= old < limit or 1 <= new < limit
