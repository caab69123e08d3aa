"""Find every number and number word of a text, with its exact span.

The scanner emits atoms: one literal each. What belongs together (a range, `A of
B`, an arrow, a plus-minus) is for the binding to say; grouping inside a scanner
is where its rivals read wrongly. It knows no markdown: the caller names the
regions and scans those that are prose. Law: every digit of the text lies in
exactly one token, and a literal that cannot be read is a token too.
"""

from __future__ import annotations

import re
from dataclasses import replace

from benchctl.quantities.fold import flatten
from benchctl.quantities.ranges import share_across
from benchctl.quantities.scanner import Scanner
from benchctl.quantities.tokens import CLAIM_KINDS, NOT_CLAIM_KINDS, UNREADABLE, Token

__all__ = ["CLAIM_KINDS", "NOT_CLAIM_KINDS", "UNREADABLE", "Token", "is_quantity", "scan"]

_BETWEEN_QUANTITIES = re.compile(
    r"[\s,;/|()\[\]~<>=+*\u00b1\u2192\u2013\u2014\u2026.\u2264\u2265\u00d7x:-]|of|to|out|the|and|its|vs"
)
_MARGIN = 200


def scan(text: str, *, start: int = 0, end: int | None = None) -> list[Token]:
    """Return the tokens of `text[start:end]` in order of their place, offsets counted in `text`.

    Never raises, whatever the text. What stands on the same line before `start`
    is read as context (a comparator, the head of a list item), never as token.
    """
    stop = len(text) if end is None else min(end, len(text))
    start = max(0, min(start, stop))
    base = max(text.rfind("\n", max(0, start - _MARGIN), start) + 1, start - _MARGIN, 0)
    source = text[base:stop]
    scanner = Scanner(source, flatten(source), start - base)
    tokens = share_across(scanner.flat, scanner.run())
    return tokens if base == 0 else [_shifted(token, base) for token in tokens]


def _shifted(token: Token, by: int) -> Token:
    first, last = token.digits
    return replace(token, start=token.start + by, end=token.end + by, digits=(first + by, last + by))


def is_quantity(text: str) -> bool:
    """Say whether `text` (a code span) is wholly a quantity, like `$0.01253 -> $0.00686`: it is read like prose then."""
    tokens = scan(text)
    if not any(token.is_claim for token in tokens) or not all(token.is_claim for token in tokens):
        return False
    edges = [0, *(edge for token in tokens for edge in (token.start, token.end)), len(text)]
    gaps = [text[edges[at] : edges[at + 1]] for at in range(0, len(edges), 2)]
    return all(not _BETWEEN_QUANTITIES.sub("", gap) for gap in gaps) and any(
        char.isdecimal() for char in text
    )
