"""Arithmetic that a page writes out: the two sides of an `=`, each computed from its printed numbers.

A whole number without a unit is itself, any other stands for what rounds to it. What is not understood
wholly (a name among the operands, units that do not fit, a function) is no statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchctl.claims.prose.amounts import Amount, NoAmountError, amount_of, compute
from benchctl.claims.prose.prose import Prose
from benchctl.claims.prose.wording import counts, ends_named, labels
from benchctl.quantities.span import Span
from benchctl.quantities.units import normalise_unit

__all__ = ["Equation", "Side", "equations"]

_WORDS = r"(?P<words>(?:\s+[A-Za-z][A-Za-z-]*){0,3}?)"
_OPERATOR = re.compile(
    rf"(?P<close>\)*){_WORDS}(?P<close_too>\)*)(?:\s*(?P<op>[\u00d7*\u00b7\u22c5\u2715\u2212+/\u00f7]|(?<![A-Za-z])x)\s*|\s+(?P<loose>[-\u2013])\s+)"
    r"(?P<open>\(*)"
)
_EQUALS = re.compile(rf"(?P<close>\)*){_WORDS}(?P<close_too>\)*)\s*[=\u2248]\s*(?P<open>\(*)")
_PERCENT_OF = re.compile(r"\s+of\s+(?:(?:the|its|all)\s+)*")
_SIGN = {
    "\u00d7": "*",
    "\u00b7": "*",
    "\u22c5": "*",
    "\u2715": "*",
    "x": "*",
    "\u2212": "-",
    "\u00f7": "/",
    "\u2013": "-",
}
_HANGS = re.compile(
    r"(?:[-+\u2212\u2013\u00d7*\u00b7\u22c5\u2715/\u00f7^\u221a%!<>\u2264\u2265\u2260~]|(?<![A-Za-z])x|[A-Za-z0-9_)\]]\(+"
    r"|\b(?:plus|minus|times|by|over|of|mod))\s*\(*\s*\Z"
)
"""The end of a text before a first operand that is not the first: an operator or a function's name stands there."""
_RUNS_ON = re.compile(
    r"\s*(?:[+\u2212\u00d7*\u00b7\u22c5\u2715/\u00f7^!]|-\s|x\s|mod\b|rem(?:ainder)?\b|r\s?\d|and a\b|\.\.\.|\u2026)"
)
_SLASH = re.compile(r"\s?/\s?")
_STAR = re.compile(r"(?<=[\w)])\*(?=[\w(])")
_MOST_OPERANDS = 24


@dataclass(frozen=True, slots=True)
class Side:
    """One side: its items, first and last, and its value in base units of `kind` (a family of units).

    `unit` is the one that all its numbers with a unit are printed in, "" without any, None where they differ.
    """

    first: int
    last: int
    value: Span
    kind: str | None
    unit: str | None

    @property
    def computes(self) -> bool:
        """Whether it is more than one number."""
        return self.last > self.first


@dataclass(frozen=True, slots=True)
class Equation:
    """Two sides of an `=`, at least one of which computes."""

    left: Side
    right: Side


def equations(prose: Prose) -> Iterator[Equation]:
    """Yield the equations of a page."""
    for index, gap in enumerate(prose.gaps):
        found = _EQUALS.fullmatch(gap) if "=" in gap or "\u2248" in gap else None
        if found and index and counts(found["words"]) and "\n" not in found["words"]:
            named = ends_named(found["words"])
            try:
                left = _side(
                    prose, *_leftwards(prose, index - 1), closes=len(found["close"] + found["close_too"])
                )
                right = _side(prose, index, _rightwards(prose, index), opens=len(found["open"]))
            except NoAmountError:
                continue
            if (
                named
                and "/" in prose.page.visible[prose.token(left.first).end : prose.token(left.last).start]
            ):
                continue  # "12/12 failed = 0"
            if (left.computes or right.computes) and not _mix_sizes(left, right):
                yield Equation(left, right)


def _mix_sizes(left: Side, right: Side) -> bool:
    """Whether MB stands beside GB: whether one is 1000 or 1024 of the other is not written."""
    return "size" in (left.kind, right.kind) and (left.unit != right.unit or left.unit is None)


def _joins(prose: Prose, index: int) -> re.Match[str] | None:
    """Return the operator between an item and the one before it."""
    found = _OPERATOR.fullmatch(prose.gap(index))
    return found if found and labels(found["words"]) else None


def _takes_part(prose: Prose, index: int) -> bool:
    return _joins(prose, index) is not None or _is_percent_of(prose, index)


def _is_percent_of(prose: Prose, index: int) -> bool:
    return index > 0 and prose.token(index - 1).unit == "%" and bool(_PERCENT_OF.fullmatch(prose.gap(index)))


def _leftwards(prose: Prose, last: int) -> tuple[int, int]:
    first = last
    while _takes_part(prose, first):
        first -= 1
        if last - first > _MOST_OPERANDS:
            raise NoAmountError
    if _HANGS.search(prose.before(first)):
        raise NoAmountError
    return first, last


def _rightwards(prose: Prose, first: int) -> int:
    last = first
    while _takes_part(prose, last + 1):
        last += 1
        if last - first > _MOST_OPERANDS:
            raise NoAmountError
    if _RUNS_ON.match(prose.after(last)):
        raise NoAmountError
    return last


def _side(prose: Prose, first: int, last: int, *, opens: int = 0, closes: int = 0) -> Side:
    """Return what the items from `first` to `last` come to, parentheses obeyed."""
    if not all(prose.usable(index) for index in range(first, last + 1)):
        raise NoAmountError
    tokens = [prose.token(index) for index in range(first, last + 1)]
    if last - first > 1 and all(_SLASH.fullmatch(prose.gap(index)) for index in range(first + 1, last + 1)):
        raise NoAmountError  # "9/28/11 = 48" is a list and what it comes to
    raw = prose.page.text[prose.items[first].start : prose.items[last].end]
    if len(_STAR.findall(raw)) > prose.page.visible.count("*", tokens[0].start, tokens[-1].end):
        raise NoAmountError  # a star that was meant to multiply, and is read as emphasis
    pieces, loose = _pieces(prose, first, last)
    pieces = [*"(" * opens, *pieces, *")" * closes]
    amount = compute(_balanced(pieces, prose, first, last))
    if loose and amount.value.lo < 0:
        raise NoAmountError  # "4 - 6 = 2 points" is a range and what it earns
    units = {normalise_unit(token.unit) for token in tokens if token.unit}
    unit = None if len(units) > 1 else next(iter(units), "")
    return Side(first, last, amount.value, amount.kind, unit)


def _pieces(prose: Prose, first: int, last: int) -> tuple[list[str | Amount], bool]:
    """Return amounts, signs and the parentheses between them, and whether a dash stood for a minus."""
    pieces: list[str | Amount] = [amount_of(prose.token(first))]
    loose = False
    for index in range(first + 1, last + 1):
        joint = _joins(prose, index)
        if joint is None:
            pieces.append("%")
        else:
            sign = joint["op"] or joint["loose"]
            loose = loose or bool(joint["loose"])
            pieces += [*joint["close"], *joint["close_too"], _SIGN.get(sign, sign), *joint["open"]]
        pieces.append(amount_of(prose.token(index)))
    return pieces, loose


def _balanced(pieces: list[str | Amount], prose: Prose, first: int, last: int) -> list[str | Amount]:
    """Add the parentheses that stand before the first number, and take away those around the whole equation."""
    deep = sum((piece == "(") - (piece == ")") for piece in pieces)
    if deep < 0:
        before = prose.before(first).rstrip()
        if not before.endswith("(" * -deep):
            raise NoAmountError
        return [*"(" * -deep, *pieces]
    if deep:
        behind = prose.after(last).lstrip()
        if not behind.startswith(")" * deep):
            raise NoAmountError
        return [*pieces, *")" * deep]
    return pieces
