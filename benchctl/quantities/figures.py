"""Read the figures of one number: separators, decimals, powers of ten, multipliers.

Everything here starts at the first digit (or at the point of `.812`) of folded
text and looks only to the right. Signs, currencies and units stand around a
figure and are read in `affixes`. No pattern here can be walked back into: all
repetition is possessive, so that hostile input costs linear time.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal
from typing import NamedTuple

from benchctl.quantities.fold import HARD_SPACE, HIDDEN, SUPERSCRIPTS
from benchctl.quantities.hanzi import han_scale

__all__ = [
    "EXACT",
    "FRACTION_GLYPHS",
    "SCALES",
    "Figure",
    "plain_figure",
    "plain_figure_at",
    "read_figure",
]

FRACTION_GLYPHS = {
    "\u00bc": (1, 4), "\u00bd": (1, 2), "\u00be": (3, 4), "\u2150": (1, 7), "\u2151": (1, 9), "\u2152": (1, 10),
    "\u2153": (1, 3), "\u2154": (2, 3), "\u2155": (1, 5), "\u2156": (2, 5), "\u2157": (3, 5), "\u2158": (4, 5),
    "\u2159": (1, 6), "\u215a": (5, 6), "\u215b": (1, 8), "\u215c": (3, 8), "\u215d": (5, 8), "\u215e": (7, 8),
}  # fmt: skip
"""Fraction characters -> numerator, denominator."""

_LARGEST_POWER = 400
_FIRST_HAN = "\u4dff"
EXACT = Context(prec=999_999_999)
"""Scaling never rounds in this context; its precision costs nothing by itself."""

_PLACES = [Decimal(1).scaleb(-places) for places in range(20)]
_GROUPED = re.compile(
    rf"[0-9]{{1,3}}(?![0-9])(?P<sep>[,'_ {HARD_SPACE}]|&nbsp;|&#160;|&thinsp;|&#8239;|\\,|\{{,\}})[0-9]{{3}}(?![0-9])"
    r"(?:(?P=sep)[0-9]{3}(?![0-9]))*+(?:\.[0-9]++)?"
)
_RUN = re.compile(rf"[0-9]++(?:[.,{HIDDEN}]++(?<![.,]{{2}})[0-9]++)*+")
_PLAIN = re.compile(r"[0-9]*+\.?[0-9]++|[0-9]++")
_COMMA_DECIMAL = re.compile(r"(?:[0-9]++|[0-9]{1,3}(?:\.[0-9]{3})++),[0-9]{1,2}")
_COMMA_TAIL = re.compile(r",([0-9]{1,2})(?![0-9,])")
_LIST = re.compile(r"[0-9]++(?:,[0-9]{1,2}){2,}+")
_DECIMAL_LIST = re.compile(r"[0-9]++\.[0-9]++,[0-9]++(?:\.[0-9]++)?(?:,[0-9]++(?:\.[0-9]++)?)*+")
_POINT_GROUPS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})++,[0-9]{3,}")
_SPELT_FRACTION = re.compile(r"([0-9]{1,3})/([1-9][0-9]{0,2})(?:nd|rd|th)s?(?![A-Za-z0-9])")
_TIMES = "(?:\u00d7|x|\u00b7|\u22c5|\\*|\\\\times|\\\\cdot|&times;)"
_POWER = (
    r"(?:\^\{?(?P<caret>[-+]?[0-9]{1,4})\}?|<sup>(?P<tag>[-+]?[0-9]{1,4})</sup>"
    rf"|(?P<raised>[\u207a\u207b]?[{SUPERSCRIPTS}]{{1,4}}))"
)
_E_POWER = re.compile(
    r"[eE](?P<e>[-+][0-9]{1,6}(?![0-9_])|[0-9]{1,6}(?:(?![A-Za-z0-9_])|(?=(?:[mnu\u00b5]?s|x|[KMG]i?B)(?![A-Za-z0-9_]))))"
)
_TIMES_POWER = re.compile(rf"[ {HARD_SPACE}]?{_TIMES}[ {HARD_SPACE}]?10{_POWER}(?![0-9])")
_TEN_POWER = re.compile(rf"10{_POWER}(?![0-9])")
_SCALE = re.compile(
    rf"(?P<glued>k|K|M|B(?!/)|T|bn|mn|tn)(?![A-Za-z0-9_{SUPERSCRIPTS}])"
    rf"|[ {HARD_SPACE}](?P<apart>[kK](?![A-Za-z0-9_/'.-])|M(?![A-Za-z0-9_/'.])|bn(?![A-Za-z0-9_]))(?! ?=)"
    rf"|[ {HARD_SPACE}-](?P<spelt>thousand|million|billion|trillion)(?![A-Za-z0-9_])"
)
SCALES = {
    "k": 3, "K": 3, "M": 6, "B": 9, "T": 12, "bn": 9, "mn": 6, "tn": 12,
    "thousand": 3, "million": 6, "billion": 9, "trillion": 12,
}  # fmt: skip
"""Multipliers -> their powers of ten."""
_RAISED = str.maketrans(SUPERSCRIPTS + "\u207a\u207b", "0123456789+-")
_PLAIN_AT = re.compile(
    r"(?!0,)(?:[0-9]{1,3}(?:,[0-9]{3})++|[0-9]++)(?P<decimals>\.[0-9]++)?"
    r"(?=[|)%;\u2029\n]|\*{1,3}(?![*0-9])|[.,:](?=[ \n])|</|\Z|\](?!\()"
    r"|(?<![0-9]{4})[-\u2013](?=[0-9.])(?![0-9]{1,2}-(?:19|20)[0-9]{2})"
    r"| (?![0-9]{3}(?![0-9])|[-\u2013\u00d7x\u00b7\u22c5*\\&\u5e74\ub144]|[ap]\.?m|[AP]\.?M|UTC|GMT|Z\b|CES?T|[EP][SD]T"
    r"|[DJFMASON][aepuco]|(?:d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|[kKM]|bn|bit)(?![A-Za-z])|thous|[mbt]r?illion))"
)
"""What may follow a number that nothing goes on behind: no group, power, multiplier, date, second part of a duration."""


class Figure(NamedTuple):
    """What the digits of one literal say; `value` None means that they cannot be read.

    `scale` is the power of ten of a multiplier k, M or B. Of a glued list
    ("1,2,3") `end` is the end of the whole and `value` that of its first atom.
    """

    end: int
    value: Decimal | None
    place: Decimal
    scale: int = 0
    is_list: bool = False


def plain_figure_at(flat: str, at: int, end: int) -> Figure | None:
    """Read a number that starts at `at` and whose very next characters rule out that it is part of anything longer.

    None where they do not: another power, group, multiplier, duration, date or name may then stand there.
    """
    match = _PLAIN_AT.match(flat, at, end)
    if match is None:
        return None
    decimals = match["decimals"]
    places = len(decimals) - 1 if decimals else 0
    place = _PLACES[places] if places < len(_PLACES) else Decimal(1).scaleb(-places, EXACT)
    return Figure(match.end(), Decimal(match[0].replace(",", "")), place)


def read_figure(flat: str, at: int, end: int) -> Figure:
    """Read the longest number that starts at `at`, multiplier included; one that no rule reads has value None."""
    special = _fraction_glyph(flat, at) or _power_of_ten(flat, at, end)
    if special is None and "/" in flat[at + 1 : at + 4]:
        special = _spelt_fraction(flat, at, end)
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


def _spelt_fraction(flat: str, at: int, end: int) -> Figure | None:
    """Read `2/3rds`."""
    parts = _SPELT_FRACTION.match(flat, at, end)
    if parts is None:
        return None
    value = Decimal(parts[1]) / Decimal(parts[2])
    return Figure(parts.end(), value, value / 5)


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
    if grouped and flat[at] == "0":
        return _leading_zero(flat, at, run_end, grouped)
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


def _leading_zero(flat: str, at: int, run_end: int, grouped: re.Match[str]) -> Figure:
    """Read what looks like groups of thousands and begins with 0: `0,935` is a decimal comma's, `0 935` two numbers."""
    figures = flat[at:run_end]
    if grouped["sep"] != ",":
        return plain_figure(run_end, figures) if figures.isdigit() else _irregular(figures, run_end)
    whole, _, decimals = figures.partition(",")
    is_decimal = whole == "0" and decimals.isdigit()
    return plain_figure(run_end, f"0.{decimals}") if is_decimal else Figure(run_end, None, Decimal(0))


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
    scale = _multiplier(flat, at, end)
    if scale:
        return _multiplied(figure, *scale)
    part = _fraction_glyph(flat, at) if flat[at] in FRACTION_GLYPHS else None
    if part and part.value is not None:
        return Figure(part.end, figure.value + part.value, part.value)
    return figure


def _multiplier(flat: str, at: int, end: int) -> tuple[int, int] | None:
    """Return the end and the power of ten of a multiplier; the power is -1 where it cannot be read by itself."""
    if flat[at] > _FIRST_HAN:
        return han_scale(flat, at, end)
    scale = _SCALE.match(flat, at, end)
    return (scale.end(), SCALES[scale["glued"] or scale["apart"] or scale["spelt"]]) if scale else None


def _multiplied(figure: Figure, end: int, power: int) -> Figure:
    if power < 0 or figure.value is None:
        return Figure(end, None, Decimal(0))
    value, place = (part.scaleb(power, EXACT) for part in (figure.value, figure.place))
    return Figure(end, value, place, power)
