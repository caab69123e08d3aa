"""JSON objects that an agent wrote, read so that one odd value costs itself alone and not all that stands beside it.

A number with more digits than Python turns into one stays the text of its digits, which is no figure. What is
nested deeper than any report has a reason to be is `UNUSABLE`, whichever interpreter reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

__all__ = ["DEEPEST", "UNUSABLE", "object_lines", "read_object"]

DEEPEST: Final = 200
"""How many lists and objects may be around a value; the interpreter's own limit depends on who calls."""

UNUSABLE: Final = object()
"""Stands where a value cannot be had, and for an object that is none."""

_MOST_DIGITS: Final = 640
"""What `int` takes whatever its limit is set to (sys.int_info.str_digits_check_threshold)."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
_CUT = "-Infinity"
"""Stands in the text for what was too deep: a word that Python's reader knows, and JSON does not."""


def object_lines(text: str) -> list[str]:
    r"""Return lines with their ends. JSON knows no others than \n and \r: U+2028 may stand inside a string."""
    return _LINE.findall(text)


def read_object(text: str) -> Any:
    """Return the object that a text is, `UNUSABLE` in place of what cannot be had of it, or where it is none."""
    try:
        if text.count("[") + text.count("{") > DEEPEST:
            found = json.loads(_shallow(text), parse_int=_whole, parse_constant=_constant)
        else:
            found = json.loads(text, parse_int=_whole)
    except (ValueError, RecursionError):
        return UNUSABLE
    return found if isinstance(found, dict) else UNUSABLE


def _whole(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


def _constant(name: str) -> Any:
    return UNUSABLE if name == _CUT else float(name)


def _shallow(text: str) -> str:
    """Return a JSON text with a word in place of every list and object that stands deeper than `DEEPEST`."""
    return "".join(_kept(text))


def _kept(text: str) -> Iterator[str]:
    depth = at = 0
    for token in _TOKEN.finditer(text):
        if token[0] in ("[", "{"):
            depth += 1
            if depth == DEEPEST + 1:
                yield text[at : token.start()]
                yield _CUT
        elif token[0] in ("]", "}"):
            if depth == DEEPEST + 1:
                at = token.end()
            depth -= 1
    yield text[at:] if depth <= DEEPEST else ""
