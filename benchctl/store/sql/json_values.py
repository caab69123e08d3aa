"""DuckDB values as JSON can say them."""

from __future__ import annotations

import math
from decimal import Decimal

__all__ = ["plain_value"]


def plain_value(value: object) -> object:
    """Return None, a truth, a number, a text, or lists and dictionaries of these.

    A decimal becomes the nearest float, or a whole number where it has no places; what JSON has no
    number for (NaN, infinity) and what it has no kind for (dates, intervals, bytes) becomes text.
    """
    match value:
        case Decimal():
            plain: object = float(value) if value.as_tuple().exponent else int(value)
        case float() if not math.isfinite(value):
            plain = str(value)
        case None | bool() | int() | str() | float():
            plain = value
        case bytes():
            plain = value.hex()
        case list() | tuple():
            plain = [plain_value(item) for item in value]
        case dict():
            plain = {str(key): plain_value(item) for key, item in value.items()}
        case _:
            plain = str(value)
    return plain
