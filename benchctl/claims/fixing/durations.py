"""A duration of several parts with another value: `8m30s`, `1m 32s`, `17:10`. Pure text."""

from __future__ import annotations

import re
from decimal import Decimal

from benchctl.claims.fixing.figures import rounded
from benchctl.claims.fixing.reasons import Refused
from benchctl.quantities.numerals import Token

__all__ = ["duration_with_value"]

_PART = re.compile(
    r"(?P<whole>[0-9]++)(?:\.(?P<part>[0-9]++))?(?P<unit>[ \u00a0]?(?P<name>days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)[ \u00a0]?)"
)
_CLOCK = re.compile(
    r"(?:(?P<h>[0-9]{1,3}):)?(?P<m>[0-9]{1,3}):(?P<s>[0-9]{2})(?:\.(?P<part>[0-9]++))?(?![0-9:])"
)
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_CARRY = {"d": 10**6, "h": 24, "m": 60, "s": 60}


def duration_with_value(figures: str, token: Token, actual: Decimal) -> str | Refused:
    """Return a duration saying `actual` seconds with the same parts; Refused("form") for what is no duration of parts."""
    parts = _clock(figures) or _parts(figures)
    if not parts or token.unit != "s" or token.value is None:
        return Refused("form")
    units = [unit for unit, _, _ in parts]
    last, _, (decimals, _) = parts[-1]
    printed = sum((Decimal(number) * _SECONDS[unit] for unit, number, _ in parts), Decimal(0))
    if printed != token.value or sorted(units, key="dhms".index) != units or actual < 0:
        return Refused("form")
    left = rounded(actual / _SECONDS[last], Decimal(1), decimals) * _SECONDS[last]
    written = ""
    for index, (unit, number, (places, tail)) in enumerate(parts):
        size = _SECONDS[unit]
        worth = left / size if index == len(parts) - 1 else left // size
        left -= worth * size
        wide = len(number.partition(".")[0])
        padded = number.startswith("0") or (":" in figures and index > 0)
        whole, _, part = f"{worth:.{places}f}".partition(".")
        written += (whole.zfill(wide) if padded else whole) + (f".{part}" if part else "") + tail
        if index == 0 and (worth == 0 or (worth >= _CARRY[unit] > Decimal(number))):
            return Refused("magnitude", f"{figures} would take {actual:f} s")
        if tail.strip(" \u00a0:") not in ("", *_SECONDS, "min", "hr", "sec") and (worth == 1) != (
            Decimal(number) == 1
        ):
            return Refused("number", f"{figures} would become {written}")
    return written


def _parts(figures: str) -> list[tuple[str, str, tuple[int, str]]]:
    """Return (unit, number, (decimals, what follows)) of each part; empty where something else stands between."""
    found = list(_PART.finditer(figures))
    if "".join(match[0] for match in found) != figures or len(found) < 2:
        return []
    return [
        (
            match["name"][0],
            match["whole"] + (f".{match['part']}" if match["part"] else ""),
            (len(match["part"] or ""), match["unit"]),
        )
        for match in found
    ]


def _clock(figures: str) -> list[tuple[str, str, tuple[int, str]]]:
    match = _CLOCK.fullmatch(figures)
    if match is None:
        return []
    part = match["part"] or ""
    seconds = ("s", match["s"] + (f".{part}" if part else ""), (len(part), ""))
    parts = [("m", match["m"], (0, ":")), seconds]
    return [("h", match["h"], (0, ":")), *parts] if match["h"] else parts
