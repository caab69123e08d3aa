"""JSON pointers (RFC 6901), as a suite and a command line write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

__all__ = ["keys", "mistake", "pointed_at"]

_POINTER = re.compile(r"(/([^~/]|~[01])*)*")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


def mistake(pointer: str) -> str | None:
    """Return what is wrong with a pointer; None where it is one."""
    if _POINTER.fullmatch(pointer):
        return None
    return f"{pointer!r} is no JSON pointer: it begins with /, and ~ is written ~0"


def keys(pointer: str) -> list[str]:
    """Return the keys that a pointer goes through, none for the empty one, which is the whole document's."""
    return [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]


def pointed_at(value: Any, pointer: str, *, star: bool = False) -> Iterator[Any]:
    """Yield what a pointer leads to in a JSON value: one value or none.

    With `star`, a key `*` stands for every element, and there may be any number; an object that has the key `*`
    is asked for it.
    """
    found = [value]
    for key in keys(pointer):
        found = [inner for outer in found for inner in _below(outer, key, star=star)]
    yield from found


def _below(value: Any, key: str, *, star: bool) -> Iterator[Any]:
    every = star and key == "*"
    if isinstance(value, dict):
        if key in value:
            yield value[key]
        elif every:
            yield from value.values()
    elif isinstance(value, list):
        if every:
            yield from value
        elif _INDEX.fullmatch(key) and int(key) < len(value):
            yield value[int(key)]
