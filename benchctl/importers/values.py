"""What a text says: a whole number, a number, a truth, or why it is none of these. Nothing is read that could be meant otherwise.

`77,394`, `007`, `12 %` and `1e400` are texts here. Whoever wants a number of them has to write
one: `1,234` is a thousand to one reader and one and a bit to the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from math import isinf
from typing import TYPE_CHECKING, Final

from benchctl.schema.result import ColumnType

if TYPE_CHECKING:
    from benchctl.importers.base import Raw

__all__ = ["PECULIAR", "TYPES", "Value", "converter", "is_number", "kind_of", "rounded", "text_of"]

Value = str | int | float | bool | None

TYPES: Final = ("BIGINT", "DOUBLE", "BOOLEAN")
"""The kinds of a text that are a type; every other is a reason why it stays one."""

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BIGINT: Final = range(-(2**63), 2**63)
_LONGEST_BIGINT: Final = 20
_SAFE_DIGITS: Final = 15
"""Any decimal of so many digits survives a DOUBLE and back (IEEE 754 binary64, DBL_DIG)."""

_LONGEST_PECULIAR: Final = 64
_BEGINS_PECULIAR: Final = frozenset("0123456789+-.$€£iInN")

PECULIAR: Final[dict[str, re.Pattern[str]]] = {
    "infinite or not a number": re.compile(r"[+-]?(?:inf|infinity|nan|1\.#(?:inf|ind|qnan))", re.IGNORECASE),
    "with leading zeros": re.compile(r"[+-]?0[0-9]+(?:\.[0-9]*)?"),
    "with a plus sign": re.compile(r"\+(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"),
    "with thousands separators": re.compile(r"[+-]?[0-9]{1,3}(?:(?:,[0-9]{3})+(?:\.[0-9]+)?|(?:\.[0-9]{3})+(?:,[0-9]+)|(?:\.[0-9]{3}){2,}|(?:['_ \u00a0\u202f][0-9]{3})+(?:[.,][0-9]+)?)"),
    "with a decimal comma": re.compile(r"[+-]?[0-9]+,[0-9]+"),
    "with a percent sign": re.compile(r"[+-]?[0-9][0-9.,]*\s*%"),
    "with a unit": re.compile(r"(?:[$€£]\s*[+-]?[0-9][0-9.,]*|[+-]?[0-9][0-9.,]*\s*(?:[a-zA-Zµ]{1,5}|[$€£×]))"),
    "a date or time": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.,]+(?:Z|[+-][0-9:]+)?)?|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"),
}  # fmt: skip
"""How a text can look like a number without being one that everybody reads alike."""


def kind_of(text: str) -> str:
    """Return BIGINT, DOUBLE or BOOLEAN for a text without outer spaces, or in words why it is no number."""
    if text.isascii() and text.isdigit() and len(text) < 19 and (text[0] != "0" or text == "0"):
        return "BIGINT"  # what the next lines would say, several times as fast
    if _INTEGER.fullmatch(text):
        return _whole(text)
    if _NUMBER.fullmatch(text):
        return _real(text)
    return "BOOLEAN" if text.lower() in ("true", "false") else _peculiarity(text)


def _whole(text: str) -> str:
    if text == "-0":
        return "DOUBLE"  # which keeps the sign
    return "BIGINT" if len(text) <= _LONGEST_BIGINT and int(text) in _BIGINT else "beyond 64 bits"


def _peculiarity(text: str) -> str:
    if len(text) <= _LONGEST_PECULIAR and text[:1] in _BEGINS_PECULIAR:
        for words, pattern in PECULIAR.items():
            if pattern.fullmatch(text):
                return words
    return "text"


def _real(text: str) -> str:
    value = float(text)
    if isinf(value):
        return "too large for a DOUBLE"
    if value == 0 and re.search(r"[1-9]", re.split("[eE]", text)[0]):
        return "too small for a DOUBLE"
    return "DOUBLE"


def is_number(text: str) -> bool:
    """Return whether a text is a number that a column of numbers could hold."""
    return kind_of(text.strip()) in ("BIGINT", "DOUBLE")


def rounded(text: str) -> bool:
    """Return whether a number has digits that a DOUBLE cannot hold, so that it is kept as its nearest neighbour."""
    if len(text) <= _SAFE_DIGITS:
        return False
    digits = sum(character.isdigit() for character in re.split("[eE]", text)[0])
    return digits > _SAFE_DIGITS and Decimal(text) != Decimal(repr(float(text)))


def text_of(raw: Raw) -> str:
    """Return a value as text: as written where it was a text, as JSON writes it where it was none."""
    if isinstance(raw, str):
        return str(raw)
    return str(raw).lower() if isinstance(raw, bool) else repr(raw)


_READ: Final[dict[ColumnType, Callable[[str], Value]]] = {
    "VARCHAR": str,
    "BIGINT": int,
    "DOUBLE": float,
    "BOOLEAN": lambda text: text.strip().lower() == "true",
}


def converter(type_: ColumnType, null_texts: frozenset[str]) -> Callable[[Raw], Value]:
    """Return what makes a column's values of its type; of a column whose every value was seen to fit."""
    read = _READ[type_]

    def convert(raw: Raw) -> Value:
        if isinstance(raw, str):
            return None if raw.strip() in null_texts else read(raw)
        if isinstance(raw, bool | int | float):
            return _typed(raw, type_)
        return None

    return convert


def _typed(raw: float, type_: ColumnType) -> Value:
    match type_:
        case "VARCHAR":
            return text_of(raw)
        case "DOUBLE":
            return float(raw)
        case _:
            return raw
