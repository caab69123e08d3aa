"""Read the figures of one number: separators, decimals, powers of ten, multipliers, durations.

Everything here starts at the first digit (or at the point of `.812`) of folded
text and looks only to the right. Signs, currencies and units stand around a
figure and are read in `affixes`. No pattern here can be walked back into: all
repetition is possessive, so that hostile input costs linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal

from benchctl.quantities.fold import HARD_SPACE, HIDDEN, SUPERSCRIPTS

__all__ = ["EXACT", "FRACTION_GLYPHS", "Figure", "plain_figure", "read_duration", "read_figure"]

FRACTION_GLYPHS = {
    "\u00bc": (1, 4), "\u00bd": (1, 2), "\u00be": (3, 4), "\u2150": (1, 7), "\u2151": (1, 9), "\u2152": (1, 10),
    "\u2153": (1, 3), "\u2154": (2, 3), "\u2155": (1, 5), "\u2156": (2, 5), "\u2157": (3, 5), "\u2158": (4, 5),
    "\u2159": (1, 6), "\u215a": (5, 6), "\u215b": (1, 8), "\u215c": (3, 8), "\u215d": (5, 8), "\u215e": (7, 8),
}  # fmt: skip
"""Fraction characters -> numerator, denominator."""

_LARGEST_POWER = 400
EXACT = Context(prec=999_999_999)
"""Scaling never rounds in this context; its precision costs nothing by itself."""

_GROUPED = re.compile(
    rf"[0-9]{{1,3}}(?![0-9])(?P<sep>[,'_ {HARD_SPACE}]|&nbsp;|&#160;|&thinsp;|&#8239;)[0-9]{{3}}(?![0-9])"
    r"(?:(?P=sep)[0-9]{3}(?![0-9]))*+(?:\.[0-9]++)?"
)
_RUN = re.compile(rf"[0-9]++(?:[.,{HIDDEN}]++(?<![.,]{{2}})[0-9]++)*+")
_PLAIN = re.compile(r"[0-9]*+\.?[0-9]++|[0-9]++")
_COMMA_DECIMAL = re.compile(r"(?:[0-9]++|[0-9]{1,3}(?:\.[0-9]{3})++),[0-9]{1,2}")
_COMMA_TAIL = re.compile(r",([0-9]{1,2})(?![0-9,])")
_LIST = re.compile(r"[0-9]++(?:,[0-9]{1,2}){2,}+")
_DECIMAL_LIST = re.compile(r"[0-9]++\.[0-9]++,[0-9]++(?:\.[0-9]++)?(?:,[0-9]++(?:\.[0-9]++)?)*+")
_POINT_GROUPS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})++,[0-9]{3,}")
_TIMES = "(?:\u00d7|x|\u00b7|\u22c5|\\*|\\\\times|\\\\cdot|&times;)"
_POWER = (
    r"(?:\^\{?(?P<caret>[-+]?[0-9]{1,4})\}?|<sup>(?P<tag>[-+]?[0-9]{1,4})</sup>"
    rf"|(?P<raised>[\u207a\u207b]?[{SUPERSCRIPTS}]{{1,4}}))"
)
_E_POWER = re.compile(r"[eE](?P<e>[-+][0-9]{1,6}(?![0-9_])|[0-9]{1,6}(?![A-Za-z0-9_]))")
_TIMES_POWER = re.compile(rf"[ {HARD_SPACE}]?{_TIMES}[ {HARD_SPACE}]?10{_POWER}(?![0-9])")
_TEN_POWER = re.compile(rf"10{_POWER}(?![0-9])")
_SCALE = re.compile(
    rf"(?P<glued>k|K|M|B(?!/)|T|bn|mn|tn)(?![A-Za-z0-9_{SUPERSCRIPTS}])"
    rf"|[ {HARD_SPACE}](?P<apart>[kK](?![A-Za-z0-9_/'.-])|M(?![A-Za-z0-9_/'.])|bn(?![A-Za-z0-9_]))"
    rf"|[ {HARD_SPACE}-](?P<spelt>thousand|million|billion|trillion)(?![A-Za-z0-9_])"
)
_SCALES = {
    "k": 3, "K": 3, "M": 6, "B": 9, "T": 12, "bn": 9, "mn": 6, "tn": 12,
    "thousand": 3, "million": 6, "billion": 9, "trillion": 12,
}  # fmt: skip
_RAISED = str.maketrans(SUPERSCRIPTS + "\u207a\u207b", "0123456789+-")
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
_COMPONENT = re.compile(rf"([0-9.]++){_S}([dhms])")
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_CLOCK = re.compile(r"([0-9]{1,3}):([0-5][0-9])(?::([0-5][0-9]))?(\.[0-9]{1,6})?(?![0-9:])")


@dataclass(frozen=True, slots=True)
class Figure:
    """What the digits of one literal say; `value` None means that they cannot be read.

    `scale` is the power of ten of a multiplier k, M or B. Of a glued list
    ("1,2,3") `end` is the end of the whole and `value` that of its first atom.
    """

    end: int
    value: Decimal | None
    place: Decimal
    scale: int = 0
    is_list: bool = False


def read_figure(flat: str, at: int, end: int) -> Figure:
    """Read the longest number that starts at `at`, multiplier included; one that no rule reads has value None."""
    special = _fraction_glyph(flat, at) or _power_of_ten(flat, at, end)
    if special:
        return special
    figure = _digits(flat, at, end)
    if figure.value is None or figure.is_list:
        return figure
    return _with_tail(flat, figure, end)


def _fraction_glyph(flat: str, at: int) -> Figure | None:
    parts = FRACTION_GLYPHS.get(flat[at])
    if parts is None:
        return None
    value = Decimal(parts[0]) / parts[1]
    # A fraction has no last place; it is read like the words "a third", ten per cent either way.
    return Figure(at + 1, value, value / 5)


def _power_of_ten(flat: str, at: int, end: int) -> Figure | None:
    match = _TEN_POWER.match(flat, at, end) if flat[at] == "1" else None
    if match is None:
        return None
    return _powered(match.end(), Decimal(1), Decimal(1), _exponent(match))


def _exponent(match: re.Match[str]) -> str:
    return match["caret"] or match["tag"] or match["raised"].translate(_RAISED)


def _powered(end: int, value: Decimal, place: Decimal, exponent: str) -> Figure:
    power = int(exponent)
    if abs(power) > _LARGEST_POWER:
        # A page that prints 1e99999 would make exact arithmetic fill the memory.
        return Figure(end, None, Decimal(0))
    return Figure(end, value.scaleb(power, EXACT), place.scaleb(power, EXACT))


def _digits(flat: str, at: int, end: int) -> Figure:
    grouped = _GROUPED.match(flat, at, end)
    run = _RUN.match(flat, at, end)
    run_end = run.end() if run else at
    if grouped and grouped.end() >= run_end:
        sep, whole = grouped["sep"], grouped[0]
        tail = None if sep == "," else _COMMA_TAIL.match(flat, grouped.end(), end)
        if tail:
            return plain_figure(tail.end(), f"{whole.replace(sep, '')}.{tail[1]}")
        return plain_figure(grouped.end(), whole.replace(sep, ""))
    plain = _PLAIN.match(flat, at, end)
    if plain and plain.end() >= run_end:
        return plain_figure(plain.end(), plain[0])
    return _irregular(flat[at:run_end], run_end)


def _irregular(run: str, run_end: int) -> Figure:
    """Read a run of digits, points and commas that is neither plain nor grouped by thousands."""
    if _COMMA_DECIMAL.fullmatch(run):
        return plain_figure(run_end, run.replace(".", "").replace(",", "."))
    # Groups of two before a last group of three (12,34,567) are lakhs to one reader and a list to another.
    # A comma after decimals parts numbers, unless points group thousands before it (1.234,567).
    if _LIST.fullmatch(run) or (_DECIMAL_LIST.fullmatch(run) and not _POINT_GROUPS.fullmatch(run)):
        first = plain_figure(run_end, run.partition(",")[0])
        return Figure(run_end, first.value, first.place, is_list=True)
    return Figure(run_end, None, Decimal(0))


def plain_figure(end: int, digits: str) -> Figure:
    """Return the figure of bare digits with at most one point."""
    places = len(digits.partition(".")[2])
    return Figure(end, Decimal(digits), Decimal(1).scaleb(-places, EXACT))


def _with_tail(flat: str, figure: Figure, end: int) -> Figure:
    """Add what multiplies the digits: a power of ten, a multiplier, a fraction character."""
    at = figure.end
    if at >= end or figure.value is None:
        return figure
    power = _E_POWER.match(flat, at, end)
    if power:
        return _powered(power.end(), figure.value, figure.place, power["e"])
    times = _TIMES_POWER.match(flat, at, end)
    if times:
        return _powered(times.end(), figure.value, figure.place, _exponent(times))
    scale = _SCALE.match(flat, at, end)
    if scale:
        power_of_ten = _SCALES[scale["glued"] or scale["apart"] or scale["spelt"]]
        value, place = (part.scaleb(power_of_ten, EXACT) for part in (figure.value, figure.place))
        return Figure(scale.end(), value, place, power_of_ten)
    part = _fraction_glyph(flat, at) if flat[at] in FRACTION_GLYPHS else None
    if part and part.value is not None:
        return Figure(part.end, figure.value + part.value, part.value)
    return figure


def read_duration(flat: str, at: int, end: int) -> Figure | None:
    """Read `8m30s`, `1m 32s`, `1h05m` or `17:10` as seconds; None where no such form starts at `at`."""
    match = _DURATION.match(flat, at, end)
    if match:
        parts = _COMPONENT.findall(match[0])
        total = sum((Decimal(number) * _SECONDS[unit] for number, unit in parts), Decimal(0))
        number, unit = parts[-1]
        return Figure(match.end(), total, Decimal(_SECONDS[unit]).scaleb(-len(number.partition(".")[2])))
    clock = _CLOCK.match(flat, at, end)
    if clock is None:
        return None
    first, second, third, fraction = clock.groups()
    units = (int(first), int(second), int(third)) if third else (0, int(first), int(second))
    seconds = Decimal(units[0] * 3600 + units[1] * 60 + units[2]) + Decimal(fraction or 0)
    return Figure(clock.end(), seconds, Decimal(1).scaleb(-len((fraction or ".")[1:])))
