"""One number on a page: a literal of the scanner with its place on the raw page."""

from __future__ import annotations

from dataclasses import dataclass

from benchctl.quantities.numerals import CLAIM_KINDS, Token

__all__ = ["ONE", "READ", "Atom"]

ONE = "word-one"
"""The kind of the words one, zero and single, which may stand unbound."""
READ = CLAIM_KINDS | {ONE}
"""The kinds that are numbers at all."""


@dataclass(frozen=True, slots=True)
class Atom:
    """One claim on the page. `start` and `end` are raw offsets, `token` has the offsets of the visible text.

    `end` lies before a comment that stands inside the literal; `literal` is the whole of it, as it reads.
    """

    token: Token
    start: int
    end: int
    literal: str

    @property
    def figures(self) -> str:
        """Return the literal without what stands around its figures: sign words, currency, unit."""
        begin, end = self.token.digits
        return self.literal[begin - self.token.start : end - self.token.start]

    @property
    def is_claim(self) -> bool:
        """Whether it is a number at all, and no date, version or the like."""
        return self.token.kind in READ

    @property
    def optional(self) -> bool:
        """Whether it may stand unbound: the word `one`."""
        return self.token.kind == ONE
