"""How two neighbouring numbers hang together: `18 of its 48`, `[0.1%, 3.0%]`, `0.977 → 0.948`, `0.78–0.89`.

Every question is asked of the few characters between and around the two, so that a page costs its length.
"""

from __future__ import annotations

import re
from dataclasses import replace

from benchctl.claims.atom import Atom
from benchctl.quantities.fold import WALL
from benchctl.quantities.units import family, normalise_unit

__all__ = ["closer_of", "ends_at", "is_opened", "joint_of", "scales", "share_units"]

_MARKS = r"[*_~`]*"
_OWN = "its|the|their|all|our|these|those|a|total|possible|some|my|your|his|her"
_OF = re.compile(rf"{_MARKS}\s+(?:out\s+)?of\s+(?:(?:{_OWN}|total\s+of)\s+){{0,3}}{_MARKS}|-(?:out-)?of-")
_SLASH = re.compile(rf"{_MARKS}\s*/\s*{_MARKS}")
_RANGE = re.compile(r"[*_]*(?:\s?[\u2010-\u2013~\u301c\uff5e]\s?|-{1,2}|\.\.\.?|…|\s+to\s+)[*_]*")
_AND = re.compile(r"\s+and\s+")
_ARROW = re.compile(rf"{_MARKS}\s*(?:→|⟶|⇒|➔|➜|->|=>|&rarr;)\s*{_MARKS}")
_PLUS_MINUS = re.compile(r"\s*(?:±|\+/?[-\u2212]|&plusmn;|\\pm)\s*")
_COMMA = re.compile(r"\s*[,;]\s*")
_PAREN = re.compile(rf"{_MARKS}\s*\({_MARKS}")
_BRACKET = re.compile(rf"{_MARKS}\s*\[\s*")
_BETWEEN = re.compile(r"\bbetween\s+$", re.IGNORECASE)
_CLOSING = re.compile(r"\s*[*_]*([)\]])")
_BEHIND = re.compile(r"[*_~`)\]]*+(?:\s{1,2}times[*_]{0,3})?")
_UNIT_BEHIND = re.compile(r"[)\]][*_]{0,3}\s?(?P<unit>\S{1,14}?)[*_]{0,3}")
_TIMES_BEHIND = re.compile(r"[)\]]\s?(?:[\u00d7x·⋅*]|\\times|\\cdot)\s?")
_GLYPH = re.compile(r"[^\d]*")
_OPENERS = {"]": "[", ")": "("}
_WIDEST_JOINT = 40
_NEAR = 20
_FAR = 40


def ends_at(visible: str, atom: Atom, seen: int) -> bool:
    """Whether a binding that stands at the visible offset `seen` stands right behind a number.

    Closing marks may stand between, and the word times, and the unit that a bracket's numbers share; the
    binding may stand before the number's unit glyph, never between two digits.
    """
    token = atom.token
    if seen <= token.end:
        return _GLYPH.fullmatch(visible, seen, token.end) is not None
    if seen - token.end > _FAR:
        return False
    if _BEHIND.fullmatch(visible, token.end, seen):
        return True
    unit = _UNIT_BEHIND.fullmatch(visible, token.end, seen)
    return unit is not None and token.unit != "" and normalise_unit(unit["unit"]) == token.unit


def scales(visible: str, atom: Atom, before: Atom) -> bool:
    """Whether `atom` is the power of ten behind a bracket that `before` stands in: `(1.2 ± 0.3) × 10⁻⁴`."""
    close = atom.token.kind == "expr" and 0 < atom.token.start - before.token.end < _NEAR
    return close and _TIMES_BEHIND.fullmatch(visible, before.token.end, atom.token.start) is not None


def closer_of(visible: str, atom: Atom) -> str:
    """Return the bracket that closes right behind a number; "" where none does."""
    found = _CLOSING.match(visible, atom.token.end, atom.token.end + _NEAR)
    return found[1] if found else ""


def is_opened(visible: str, atom: Atom, closer: str) -> bool:
    """Whether the bracket that `closer` closes opens right before a number."""
    start = atom.token.start
    return visible[max(0, start - _NEAR) : start].rstrip(" *_").endswith(_OPENERS[closer])


def joint_of(visible: str, left: Atom, right: Atom, joined: int, closer: str) -> str:
    """Return how two neighbours hang together: "" (not), "on", "tuple" (as far as a bracket opens), or "once".

    Behind "once" nothing joins further left. `joined` numbers hang together already, and `closer` closes
    behind the last of them.
    """
    start, end = left.token.end, right.token.start
    if end - start > _WIDEST_JOINT or WALL in visible[start:end]:
        return ""
    kind = _pair(visible, left, right)
    if kind or not closer:
        return kind
    if joined == 0 and closer == ")" and right.token.unit == "%" and _PAREN.fullmatch(visible, start, end):
        return "on"
    if joined == 0 and closer == ")" and _is_error(visible, left, right):
        return "on"
    if _COMMA.fullmatch(visible, start, end):
        return "tuple"
    return "once" if joined == 1 and closer == "]" and _BRACKET.fullmatch(visible, start, end) else ""


def _pair(visible: str, left: Atom, right: Atom) -> str:
    start, end = left.token.end, right.token.start
    if any(joint.fullmatch(visible, start, end) for joint in (_OF, _SLASH, _ARROW, _PLUS_MINUS)):
        return "on"
    if _RANGE.fullmatch(visible, start, end) and _alike(left.token.unit, right.token.unit):
        return "on"
    first = left.token.start
    between = _AND.fullmatch(visible, start, end) and _BETWEEN.search(visible[max(0, first - _NEAR) : first])
    return "once" if between else ""


def _is_error(visible: str, left: Atom, right: Atom) -> bool:
    """Whether `right` is the error of `left` in its last place: `9.79(22)`."""
    glued = visible[left.token.end : right.token.start] == "("
    place = right.token.place
    return glued and place is not None and place < 1 and right.token.place == left.token.place


def share_units(visible: str, atoms: list[Atom]) -> list[Atom]:
    """Give a range's, interval's or arrow's last unit, and a range's first `~`, to the numbers beside it."""
    result = list(atoms)
    for index in range(len(atoms) - 2, -1, -1):
        left, right = result[index].token, result[index + 1].token
        joint = visible[left.end : right.start]
        if not left.unit and right.unit and not any(mark.fullmatch(joint) for mark in (_OF, _SLASH, _PAREN)):
            result[index] = replace(result[index], token=replace(left, unit=right.unit))
    for index in range(1, len(result)):
        left, right = result[index - 1].token, result[index].token
        if left.cmp == "~" and right.cmp == "=" and _RANGE.fullmatch(visible, left.end, right.start):
            result[index] = replace(result[index], token=replace(right, cmp="~"))
    return result


def _alike(left: str, right: str) -> bool:
    return not left or normalise_unit(left) == normalise_unit(right) or (family(left) or "") == family(right)
