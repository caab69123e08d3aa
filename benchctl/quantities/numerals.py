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

from benchctl.quantities.brackets import share_behind_brackets
from benchctl.quantities.disguises import unmasked
from benchctl.quantities.enumeration import mark_enumerations
from benchctl.quantities.fold import WALL, flatten
from benchctl.quantities.labels import Line
from benchctl.quantities.ranges import share_across
from benchctl.quantities.scanner import Scanner
from benchctl.quantities.tokens import CLAIM_KINDS, NOT_CLAIM_KINDS, UNREADABLE, Token

__all__ = ["CLAIM_KINDS", "NOT_CLAIM_KINDS", "UNREADABLE", "Token", "is_quantity", "scan"]

_BETWEEN_QUANTITIES = re.compile(
    r"(?:[\s,;/|()\[\]~<>=+*\u00b1\u2192\u2010-\u2014\u2212\u2026.\u2248\u2264\u2265\u00d7%:-]|\b(?:of|to|out|the|and|its|vs)\b)*+"
)
_RESULT_IS = re.compile(
    r"\s*(?:score|precision|recall|accuracy|mean|median|cost|latency|tokens|time|total|average|auc|mrr|ndcg)\s*=\s*",
    re.IGNORECASE,
)
_COMMANDS = frozenset(
    ["sleep", "chmod", "timeout", "head", "tail", "nice", "top", "kill", "return", "yield", "git", "pip", "uv", "npm", "cd", "seq", "range", "print"]
)  # fmt: skip
_CLASS = re.compile(r"\[[0-9]-[0-9]\]|\\d")
_LONGEST_SPAN = 200
_MARGIN = 200
_WALLED = re.compile(rf"(?:\n[ \t\r>]*\n|{WALL})\Z")


def scan(text: str, *, start: int = 0, end: int | None = None) -> list[Token]:
    """Return the tokens of `text[start:end]` in order of their place, offsets counted in `text`.

    Never raises, whatever the text. What stands on the same line before `start`
    is read as context (a comparator, the head of a list item), never as token.
    """
    stop = len(text) if end is None else min(end, len(text))
    start = max(0, min(start, stop))
    base = max(text.rfind("\n", max(0, start - _MARGIN), start) + 1, start - _MARGIN, 0)
    source = text[base:stop]
    opens = base == 0 or _WALLED.search(text, max(0, base - _MARGIN), base) is not None
    scanner = Scanner(source, flatten(source), start - base, line=Line(opens=opens))
    tokens = share_across(scanner.flat, scanner.run())
    tokens = mark_enumerations(scanner.flat, share_behind_brackets(scanner.flat, tokens))
    tokens = unmasked(source, scanner.flat, tokens)
    return tokens if base == 0 else [_shifted(token, base) for token in tokens]


def _shifted(token: Token, by: int) -> Token:
    first, last = token.digits
    return replace(token, start=token.start + by, end=token.end + by, digits=(first + by, last + by))


def is_quantity(text: str) -> bool:
    """Say whether `text` (a code span) is a quantity, like `977 cells` or `F1=0.977`: it is read like prose then.

    Its words are numbers, units, metrics and plain words, and no punctuation of code joins them.
    """
    if len(text) > _LONGEST_SPAN or not any(char.isdecimal() for char in text) or _CLASS.search(text):
        return False
    tokens = scan(text)
    if not any(token.is_claim for token in tokens) or not all(
        token.is_claim or token.kind in ("metric", "word-one") for token in tokens
    ):
        return False
    edges = [0, *(edge for token in tokens for edge in (token.start, token.end)), len(text)]
    return all(_joins_plainly(text, edges[at], edges[at + 1]) for at in range(0, len(edges), 2))


def _joins_plainly(text: str, start: int, end: int) -> bool:
    """Say whether what stands between two numbers, or around them, is marks of prose or plain words."""
    gap = text[start:end]
    if gap == "x" or _BETWEEN_QUANTITIES.fullmatch(gap) or _RESULT_IS.fullmatch(gap):
        return True
    words = gap.split()
    apart = (start == 0 or gap[0].isspace()) and (end == len(text) or gap[-1].isspace())
    is_command = start == 0 and words[0].lower() in _COMMANDS
    return apart and not is_command and all(word.isalpha() and len(word) > 1 for word in words)
