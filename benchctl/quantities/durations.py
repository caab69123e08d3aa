"""Durations in parts: `8m30s`, `1m 32s`, `1h05m`, `17:10`, `3分20秒`, all read as seconds."""

from __future__ import annotations

import re
from decimal import Decimal

from benchctl.quantities.figures import Figure
from benchctl.quantities.fold import HARD_SPACE

__all__ = ["read_duration"]

_S = f"[ {HARD_SPACE}]?"
_NUM = r"[0-9]{1,6}"
_SEC = rf"[0-9]{{1,6}}(?:\.[0-9]{{1,9}})?{_S}(?:seconds?|secs?|s)"
_MIN = rf"{_NUM}{_S}(?:minutes?|mins?|m)"
_HOUR = rf"{_NUM}{_S}(?:hours?|hrs?|h)"
_DAY = rf"{_NUM}{_S}(?:days?|d)"
_DURATION = re.compile(
    rf"(?:{_DAY}{_S}{_HOUR}(?:{_S}{_MIN})?(?:{_S}{_SEC})?|{_HOUR}{_S}{_MIN}(?:{_S}{_SEC})?|{_HOUR}{_S}{_SEC}|{_MIN}{_S}{_SEC})"
    r"(?![A-Za-z0-9_])"
)
_HAN_DURATION = re.compile(
    r"(?=[0-9]{1,4}[时時小分])(?:([0-9]{1,4})(?:小时|小時|時間|时|時))?(?:([0-9]{1,4})(?:分钟|分鐘|分))?(?:([0-9]{1,4}(?:\.[0-9]{1,6})?)秒)?"
)
_TIMED = re.compile(rf"[0-9]{{1,6}}(?:\.[0-9]++)?(?:{_S}[dhms]|:[0-5]|[时時小分])")
"""How every duration begins: most numbers do not, and one question settles them."""
_COMPONENT = re.compile(rf"([0-9.]++){_S}([dhms])")
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_CLOCK = re.compile(r"([0-9]{1,3}):([0-5][0-9])(?::([0-5][0-9]))?(\.[0-9]{1,6})?(?![0-9:])")


def read_duration(flat: str, at: int, end: int) -> Figure | None:
    """Read `8m30s`, `1m 32s`, `1h05m` or `17:10` as seconds; None where no such form starts at `at`."""
    if _TIMED.match(flat, at, end) is None:
        return None
    match = _DURATION.match(flat, at, end)
    if match:
        parts = _COMPONENT.findall(match[0])
        total = sum((Decimal(number) * _SECONDS[unit] for number, unit in parts), Decimal(0))
        number, unit = parts[-1]
        return Figure(match.end(), total, Decimal(_SECONDS[unit]).scaleb(-len(number.partition(".")[2])))
    han = _HAN_DURATION.match(flat, at, end)
    if han and sum(part is not None for part in han.groups()) > 1:
        return _han_duration(han)
    clock = _CLOCK.match(flat, at, end)
    if clock is None:
        return None
    first, second, third, fraction = clock.groups()
    units = (int(first), int(second), int(third)) if third else (0, int(first), int(second))
    seconds = Decimal(units[0] * 3600 + units[1] * 60 + units[2]) + Decimal(fraction or 0)
    return Figure(clock.end(), seconds, Decimal(1).scaleb(-len((fraction or ".")[1:])))


def _han_duration(match: re.Match[str]) -> Figure:
    """Read `3分20秒`: two parts at least of hours, minutes and seconds."""
    hours, minutes, seconds = (Decimal(part or 0) for part in match.groups())
    decimals = len((match[3] or "").partition(".")[2])
    place = Decimal(1).scaleb(-decimals) if match[3] else Decimal(60)
    return Figure(match.end(), hours * 3600 + minutes * 60 + seconds, place)
