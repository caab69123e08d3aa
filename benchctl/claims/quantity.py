"""Whether a piece of text is a quantity and nothing else: then it is read even in a code span."""

from __future__ import annotations

import re

from benchctl.quantities.numerals import CLAIM_KINDS, scan

__all__ = ["is_quantity"]

_BETWEEN = re.compile(
    r"(?:[\s\u2192>/,;.\u00b1()\[\]+~\u2248<=%\u2010-\u2014\u2212-]|\bof\b|\bto\b|\band\b)*"
)


def is_quantity(text: str) -> bool:
    """Return whether `text` is numbers with their units and what joins them, and holds at least one."""
    if len(text) > 200 or not any(char.isdigit() for char in text):
        return False
    tokens = scan(text)
    if not any(token.kind == "number" for token in tokens) or any(
        token.kind not in CLAIM_KINDS for token in tokens
    ):
        return False
    position = 0
    for token in tokens:
        if not _BETWEEN.fullmatch(text, position, token.start):
            return False
        position = token.end
    return _BETWEEN.fullmatch(text, position) is not None
