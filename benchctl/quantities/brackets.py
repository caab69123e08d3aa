"""What stands behind a closing bracket and says something of the numbers inside: an error, a unit, a power of ten.

`9.79(22)` is 9.79 with an error of 0.22, `(1.20 ± 0.05) ms` are two durations, `(1.2 ± 0.3) × 10⁻⁴` two small
numbers. Spans stay what they are: what stands behind the bracket is no part of a literal.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from benchctl.quantities.affixes import read_unit
from benchctl.quantities.figures import EXACT
from benchctl.quantities.fold import HARD_SPACE
from benchctl.quantities.tokens import Token
from benchctl.quantities.units import family

__all__ = ["share_behind_brackets"]

_MARKS = "*_"
_JOINT = re.compile(r"[ \n\u00a0]?(?:±|\\pm|\+/?-|&plusmn;|–|-|to|,|;|\.\.\.?|…)[ \n\u00a0]?")
_TIMES = re.compile(rf"\)[ {HARD_SPACE}]?(?:×|x|·|⋅|\*|\\times|\\cdot)[ {HARD_SPACE}]?")
_EXPONENT = re.compile(r"\)[eE](?P<power>[-+]?[0-9]{1,3})(?![A-Za-z0-9_])")
_LONGEST = 6
_LARGEST_POWER = 400


def share_behind_brackets(flat: str, tokens: list[Token]) -> list[Token]:
    """Return the tokens, those before a closing bracket with what stands behind it; their number may fall by one."""
    shared = list(tokens)
    at = 0
    while at < len(shared):
        if flat[shared[at].end : shared[at].end + 1] in (")", "]"):
            at = _share(flat, shared, at)
        at += 1
    return shared


def _share(flat: str, tokens: list[Token], at: int) -> int:
    """Share with what the token at `at` ends; return the place of the last token that has been dealt with."""
    if not _is_bare(tokens[at]):
        return at
    if at and flat[tokens[at - 1].end : tokens[at].start] == "(":
        return _error(flat, tokens, at)
    first = _first_inside(flat, tokens, at)
    if first is None:
        return at
    _, unit = read_unit(flat, tokens[at].end + 1, len(flat))
    if unit and family(unit):
        for index in range(first, at + 1):
            tokens[index] = replace(tokens[index], unit=unit)
        return at
    return _powered(flat, tokens, first, at)


def _is_bare(token: Token) -> bool:
    return (
        token.kind in ("number", "footnote") and token.value is not None and not token.unit and not token.word
    )


def _first_inside(flat: str, tokens: list[Token], last: int) -> int | None:
    """Return the first of the bare numbers that alone stand in the bracket which closes behind the token `last`."""
    closer = flat[tokens[last].end]
    opener = "(" if closer == ")" else "["
    for index in range(last, max(-1, last - _LONGEST), -1):
        if not _is_bare(tokens[index]):
            return None
        start = tokens[index].start
        if flat[max(0, start - 1) : start] == opener:
            return index
        if not index or not _JOINT.fullmatch(flat, tokens[index - 1].end, start):
            return None
    return None


def _error(flat: str, tokens: list[Token], at: int) -> int:
    """Read `9.79(22)` and `1.23(45)e-5`: the figures in brackets count in the last place of those before them."""
    mean, error = tokens[at - 1], tokens[at]
    if not _is_error(flat, mean, error):
        return at
    place = mean.place or Decimal(1)
    tokens[at] = replace(error, value=(error.value or Decimal(0)) * place, place=place)
    stop, unit = read_unit(flat, error.end + 1, len(flat))
    if stop > error.end + 1 and unit:
        tokens[at - 1], tokens[at] = replace(mean, unit=unit), replace(tokens[at], unit=unit)
        return at
    exponent = _EXPONENT.match(flat, error.end)
    if exponent and at + 1 < len(tokens) and tokens[at + 1].end == exponent.end():
        power = int(exponent["power"])
        tokens[at - 1] = _scaled(mean, power)
        widened = _scaled(tokens[at], power)
        tokens[at] = replace(widened, end=exponent.end(), text=error.text + exponent[0])
        del tokens[at + 1]
        return at
    return _powered(flat, tokens, at - 1, at)


def _is_error(flat: str, mean: Token, error: Token) -> bool:
    """Say whether the figures are an error: as long at most as the decimals before them, and glued to them."""
    return (
        mean.kind == "number"
        and not mean.unit
        and mean.place is not None
        and mean.place < 1
        and error.text.isdigit()
        and len(error.text) <= max(2, -int(mean.place.adjusted()))
        and flat[mean.end - 1].isdigit()
        and flat[error.end] == ")"
    )


def _powered(flat: str, tokens: list[Token], first: int, last: int) -> int:
    """Scale the numbers of a bracket by the power of ten behind it, which then is no number of its own."""
    times = _TIMES.match(flat, tokens[last].end)
    follows = last + 1 < len(tokens) and times is not None and tokens[last + 1].start == times.end()
    if not follows or not _is_power_of_ten(flat, tokens[last + 1]):
        return last
    value = tokens[last + 1].value or Decimal(1)
    power = value.adjusted()
    for index in range(first, last + 1):
        tokens[index] = replace(_scaled(tokens[index], power), unit=tokens[last + 1].unit)
    tokens[last + 1] = replace(tokens[last + 1], kind="expr", value=None, place=None, unit="")
    return last + 1


def _is_power_of_ten(flat: str, token: Token) -> bool:
    written = flat[token.start : token.start + 3]
    return token.kind == "number" and written.startswith("10") and not written[-1].isdigit()


def _scaled(token: Token, power: int) -> Token:
    if token.value is None or token.place is None or abs(power) > _LARGEST_POWER:
        return token
    return replace(token, value=token.value.scaleb(power, EXACT), place=token.place.scaleb(power, EXACT))
