"""The one noun of the scanner: a literal of a page, where it stands and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

__all__ = ["CLAIM_KINDS", "NOT_CLAIM_KINDS", "UNREADABLE", "Span", "Token"]

CLAIM_KINDS = frozenset({"number", "word"})
"""Kinds that a page must bind, generate or exempt."""

NOT_CLAIM_KINDS = frozenset(
    {
        "version", "datetime", "hash", "url", "fileline", "issue", "port", "ident", "footnote", "list", "metric",
        "param", "section", "rank", "ordinal", "expr", "code", "word-one",
    }
)  # fmt: skip
"""Kinds that are no claims (the manual on claims, "Ways to bind"); they are counted, never bound unless a page does so."""

Span = tuple[int, int, str]
"""Start, end and kind of a literal that is no claim."""

UNREADABLE = "unreadable"
"""The kind of a digit-bearing literal that cannot be read: an error upstream, never a skip."""


@dataclass(frozen=True, slots=True)
class Token:
    """One literal: offsets count code points of the scanned text, `end` is exclusive.

    The span holds sign, currency, digits, multiplier and unit, but no
    comparator before it. `value` is what the number says (44.8k -> 44800, a
    percent as printed), `place` the unit of its last printed place (100 and 0.1
    there), both None where the kind has no number. `unit` is a name of
    `units.SPELLINGS`, unknown glued letters as written, "" for none. `cmp` is
    one of `= ~ > >= < <=`, negations put in; `doubt` says what of it cannot be decided
    (`Bound.doubt`). `digits` spans sign and figures alone: what a
    correction may rewrite. `word` says the number is written in letters.
    """

    start: int
    end: int
    text: str
    kind: str
    value: Decimal | None = None
    place: Decimal | None = None
    unit: str = ""
    cmp: str = "="
    word: bool = False
    digits: tuple[int, int] = (0, 0)
    doubt: str = ""

    @property
    def is_claim(self) -> bool:
        """Say whether a page must bind, generate or exempt this literal."""
        return self.kind in CLAIM_KINDS
