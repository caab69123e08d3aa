"""Unit families, the spellings of their members, and exact conversion inside one family.

Units of different families never convert, and nothing here guesses: a percent
becomes a fraction only where a value's unit says `fraction` (the manual on claims, "When is a number true?").
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, localcontext

from benchctl.errors import UnitUnknownError
from benchctl.quantities.rounding import exact_context

__all__ = ["FAMILIES", "SPELLINGS", "convert", "family", "is_rate", "normalise_unit"]

_KILO, _KIBI = Decimal(1000), Decimal(1024)

FAMILIES: dict[str, dict[str, Decimal]] = {
    "time": {
        "ns": Decimal("1e-9"),
        "µs": Decimal("1e-6"),
        "ms": Decimal("0.001"),
        "s": Decimal(1),
        "min": Decimal(60),
        "h": Decimal(3600),
        "d": Decimal(86400),
        "week": Decimal(604800),
    },
    "size": {
        "B": Decimal(1),
        **{f"{prefix}B": _KILO**power for power, prefix in enumerate("KMGTP", start=1)},
        **{f"{prefix}iB": _KIBI**power for power, prefix in enumerate("KMGTP", start=1)},
    },
    "share": {"fraction": Decimal(1), "%": Decimal("0.01")},
    "difference of shares": {"pp": Decimal(1)},
    "multiple": {"x": Decimal(1)},
    "money": {"USD": Decimal(1), "¢": Decimal("0.01")},
    "euro": {"EUR": Decimal(1)},
    "pound": {"GBP": Decimal(1)},
    "yen": {"JPY": Decimal(1)},
    "tokens": {"tokens": Decimal(1)},
    "frequency": {
        "Hz": Decimal(1),
        "kHz": Decimal(1000),
        "MHz": Decimal("1e6"),
        "GHz": Decimal("1e9"),
    },
}
"""Family -> unit -> how many of the family's base unit it is. SI prefixes are powers of 1000, IEC of 1024."""

SPELLINGS: dict[str, str] = {
    **{unit: unit for members in FAMILIES.values() for unit in members},
    **dict.fromkeys(("sec", "secs", "second", "seconds", "秒", "초"), "s"),
    **dict.fromkeys(("msec", "msecs", "millisecond", "milliseconds", "毫秒", "ミリ秒"), "ms"),
    **dict.fromkeys(("us", "usec", "μs", "microsecond", "microseconds", "微秒"), "µs"),
    **dict.fromkeys(("nsec", "nanosecond", "nanoseconds"), "ns"),
    **dict.fromkeys(("m", "mins", "minute", "minutes", "分钟", "分鐘"), "min"),
    **dict.fromkeys(("hr", "hrs", "hour", "hours", "小时", "小時", "時間", "시간"), "h"),
    **dict.fromkeys(("day", "days"), "d"),
    "weeks": "week",
    **dict.fromkeys(("byte", "bytes"), "B"),
    **dict.fromkeys(("kB", "kb", "Kb", "kilobyte", "kilobytes"), "KB"),
    **dict.fromkeys(("mb", "Mb", "megabyte", "megabytes"), "MB"),
    **dict.fromkeys(("gb", "Gb", "G", "gigabyte", "gigabytes"), "GB"),
    **dict.fromkeys(("tb", "Tb", "terabyte", "terabytes"), "TB"),
    **{f"{prefix}i": f"{prefix}iB" for prefix in "KMGTP"},
    "kiB": "KiB",
    **dict.fromkeys(("percent", "per cent", "\\%", "pct"), "%"),
    **dict.fromkeys(
        (
            "percentage point",
            "percentage points",
            "ppt",
            "pps",
            "%-points",
            "%pt",
            "p.p.",
            "个百分点",
            "個百分點",
        ),
        "pp",
    ),
    **dict.fromkeys(
        ("\N{MULTIPLICATION SIGN}", "X", "&times;", "&#215;", "\\times", "fold", "fois", "倍", "배"), "x"
    ),
    **dict.fromkeys(("$", "US$", "dollar", "dollars", "usd"), "USD"),
    **dict.fromkeys(("cent", "cents"), "¢"),
    **dict.fromkeys(("€", "euro", "euros"), "EUR"),
    "£": "GBP",
    "¥": "JPY",
    **dict.fromkeys(("token", "tok", "toks"), "tokens"),
    **dict.fromkeys(("hz", "HZ"), "Hz"),
    **dict.fromkeys(("khz", "Khz", "KHz"), "kHz"),
    **dict.fromkeys(("mhz", "Mhz"), "MHz"),
    **dict.fromkeys(("ghz", "Ghz"), "GHz"),
}
"""Every spelling read on a page -> the one name of its unit."""


_PER_SECOND = re.compile(r"[kKMGTP]?(?:bps|FLOPS|FLOPs|QPS|FPS|RPS|TPS|IOPS)")


def normalise_unit(glyphs: str) -> str:
    """Return the one name of a unit, whatever way it is written; unknown glyphs come back folded but unnamed.

    A compound is named part by part: "rows/second" -> "rows/s". "" stays "".
    """
    folded = unicodedata.normalize("NFKC", glyphs).strip()
    direct = _direct(folded) or SPELLINGS.get(glyphs.strip())
    if direct:
        return direct
    if "/" in folded:
        return "/".join(_name_of_part(part) for part in folded.split("/"))
    return folded


def _name_of_part(part: str) -> str:
    return _direct(part) or part


def _direct(glyphs: str) -> str | None:
    # One capital letter is another unit (S is siemens, M mega); a whole word is only at the head of its sentence.
    return SPELLINGS.get(glyphs) or (SPELLINGS.get(glyphs.lower()) if len(glyphs) > 2 else None)


def family(unit: str) -> str | None:
    """Return the family of a unit in any spelling; None for "" and for a unit no family knows."""
    name = normalise_unit(unit)
    return next((title for title, members in FAMILIES.items() if name in members), None)


def is_rate(unit: str) -> bool:
    """Say whether a unit is of something for each second, megabyte, dollar or token: `tokens/s`, `QPS`.

    `s/query` is none: what is counted behind the stroke is what a mean is over.
    """
    return _PER_SECOND.fullmatch(unit) is not None or any(
        family(part) is not None for part in normalise_unit(unit).split("/")[1:]
    )


def convert(value: Decimal, unit: str, to: str) -> Decimal:
    """Return `value` of `unit` in the unit `to`, exactly where a finite decimal exists, else to 28 digits.

    Any unit converts to itself, known or not. Raises UnitUnknownError where no
    family holds both.
    """
    source, target = normalise_unit(unit), normalise_unit(to)
    if source == target:
        return value
    for members in FAMILIES.values():
        if source in members and target in members:
            with localcontext(exact_context(value, members[source], members[target])) as context:
                context.prec += 28
                return value * members[source] / members[target]
    raise UnitUnknownError(
        f"`{unit}` does not convert to `{to}`",
        expected="two units of one family (s and min, KB and MiB, ...)",
    )
