"""Amounts of a kind, and what sums, products and quotients of them come to: no seconds are added to tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from benchctl.claims.prose.prose import printed, whole
from benchctl.quantities.span import Span
from benchctl.quantities.tokens import Token
from benchctl.quantities.units import FAMILIES, family, normalise_unit

__all__ = ["RATIOS", "Amount", "NoAmountError", "amount_of", "compute", "factor"]

RATIOS = frozenset({None, "share", "difference of shares", "multiple"})
"""Kinds of what is only a number of times: they multiply anything, and a print of one may be another's."""


@dataclass(frozen=True, slots=True)
class Amount:
    """What a number may be, in the base unit of its `kind`: a family of units, None for a plain number."""

    value: Span
    kind: str | None


class NoAmountError(Exception):
    """What stands there is no arithmetic that can be followed; nobody outside of this room sees it."""


def amount_of(token: Token) -> Amount:
    """Return a number in the base unit of its family; a unit of no family is no amount."""
    if token.cmp not in ("=", "~"):
        raise NoAmountError
    unit = normalise_unit(token.unit)
    if not unit:
        return Amount(whole(token), None)
    kind = family(unit)
    if kind is None:
        raise NoAmountError
    is_all = unit == "%" and token.value == 100 and token.place == 1
    value = Span.exact(100) if is_all else printed(token)
    return Amount(value.times(factor(unit)), kind)


def factor(unit: str) -> Fraction:
    """Return how many base units one of `unit` is, 1 for none; a point is a hundredth, like a percent."""
    if unit == "pp":
        return Fraction(1, 100)
    members = FAMILIES.get(family(unit) or "", {})
    return Fraction(members.get(normalise_unit(unit), Decimal(1)))


def compute(pieces: Sequence[str | Amount]) -> Amount:
    """Return what amounts, signs (`+ - * /`, `%` for "percent of") and parentheses come to. Raises NoAmountError."""
    return _Reader(pieces).read()


class _Reader:
    """Sums of products of amounts and parentheses, from the left."""

    def __init__(self, pieces: Sequence[str | Amount]) -> None:
        self._pieces = pieces
        self._at = 0

    def read(self) -> Amount:
        found = self._sum()
        if self._at < len(self._pieces):
            raise NoAmountError
        return found

    def _next(self) -> str | Amount | None:
        return self._pieces[self._at] if self._at < len(self._pieces) else None

    def _sum(self) -> Amount:
        total = self._product()
        while (op := self._next()) in ("+", "-"):
            self._at += 1
            term = self._product()
            if total.kind != term.kind and {total.kind, term.kind} != {"share", "difference of shares"}:
                raise NoAmountError
            total = Amount(total.value + term.value if op == "+" else total.value - term.value, total.kind)
        return total

    def _product(self) -> Amount:
        result = self._operand()
        while (op := self._next()) in ("*", "/", "%"):
            self._at += 1
            result = _divide(result, self._operand()) if op == "/" else _multiply(result, self._operand())
        return result

    def _operand(self) -> Amount:
        piece = self._next()
        self._at += 1
        if isinstance(piece, Amount):
            return piece
        if piece != "(":
            raise NoAmountError
        inner = self._sum()
        if self._next() != ")":
            raise NoAmountError
        self._at += 1
        return inner


def _multiply(left: Amount, right: Amount) -> Amount:
    if left.kind not in RATIOS and right.kind not in RATIOS:
        raise NoAmountError
    kind = right.kind if left.kind in RATIOS else left.kind
    return Amount(left.value * right.value, kind)


def _divide(left: Amount, right: Amount) -> Amount:
    if right.kind not in RATIOS and right.kind != left.kind:
        raise NoAmountError
    quotient = left.value.over(right.value)
    if quotient is None:
        raise NoAmountError
    return Amount(quotient, left.kind if right.kind in RATIOS else None)
