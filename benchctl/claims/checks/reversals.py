"""A rise to less, a fall to more: `drops from 0.82 to 0.91`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from decimal import Decimal

from benchctl.claims.more_and_less import FALLING, FALLS, RISES, RISING
from benchctl.claims.numbers import Atom
from benchctl.claims.reading.sentences import sentence_so_far
from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.trust import trust_of
from benchctl.claims.wording.triggers import Triggers
from benchctl.errors import UnitUnknownError
from benchctl.quantities.span import Span
from benchctl.quantities.units import convert, normalise_unit

__all__ = ["check"]

_UP = rf"{RISING}|(?:go(?:es)?|went|up)"
_DOWN = rf"{FALLING}|down"
_FROM = Triggers(
    re.compile(
        rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b(?P<between>(?:\s+(?!by\b|back\b|to\b)[A-Za-z-]+){{0,3}}?)\s+from\s+(?:about\s+|around\s+|only\s+)?[*_`]*",
        re.IGNORECASE,
    ),
    (*RISES, *FALLS, "go", "went", "up", "down"),
)
_TO = re.compile(r"[*_`]*(?:\s+(?!of\b)[A-Za-z]+)?\s+to\s+(?:about\s+|around\s+|only\s+|just\s+)?[*_`]*")
_GOES_ON = re.compile(r"[*_`]*\s*(?:/|of\b|out\s+of\b|in\s+\d|[\u2013-]\s*\d|to\s+\d)")
_OTHERWISE = re.compile(
    r"\b(?:not|never|no|instead|rather|without|rank\w*|position\w*|place[sd]?|percentile|if|would|could|should|may|might|loss(?:es)?)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_BEFORE = 60
_ZERO = Decimal(0)
_LARGEST_POWER = 30
"""Beyond it no number is a result, and exact arithmetic would not end."""


def check(sheet: Sheet) -> None:
    """Find two numbers in the order that the verb before them denies."""
    visible, atoms = sheet.page.visible, sorted(sheet.numbers.atoms, key=_start)
    starts = [_start(atom) for atom in atoms]
    trust = trust_of(sheet)
    for found in _FROM.found(visible):
        index = bisect_left(starts, found.end())
        pair = atoms[index : index + 2]
        if (
            len(pair) < 2
            or starts[index] != found.end()
            or not _TO.fullmatch(visible, pair[0].token.end, pair[1].token.start)
        ):
            continue
        went = re.fullmatch(r"go(?:es)?|went", found["up"] or "", re.IGNORECASE)
        down = bool(found["down"]) or (went is not None and found["between"].strip().casefold() == "down")
        if went and found["between"].strip().casefold() not in ("up", "down"):
            continue
        if _GOES_ON.match(visible, pair[1].token.end) or _doubted(visible, found):
            continue
        if trust.usable_atoms(pair) and _is_reversed(pair, down=down):
            verb, (a, b) = (found["down"] or found["up"]).casefold(), pair
            message = f"`{verb} from {a.literal} to {b.literal}`: {b.literal} is {'more' if down else 'less'} than {a.literal}"
            sheet.record.find("direction-reversed", a.start, b.end, message)


def _doubted(visible: str, found: re.Match[str]) -> bool:
    """Whether the sentence denies or limits what its verb says, as far as it goes before it."""
    before = sentence_so_far(visible[max(0, found.start() - _BEFORE) : found.start()])
    return _OTHERWISE.search(before + found[0]) is not None


def _start(atom: Atom) -> int:
    return atom.token.start


def _is_reversed(pair: Sequence[Atom], *, down: bool) -> bool:
    """Whether the second is surely on the other side of the first than the verb says."""
    first, last = (atom.token for atom in pair)
    if any(abs((token.value or _ZERO).adjusted()) > _LARGEST_POWER for token in (first, last)):
        return False
    if first.value is None or last.value is None or first.place is None or last.place is None:
        return False
    if (
        first.cmp not in ("=", "~")
        or last.cmp not in ("=", "~")
        or first.value < 0
        or last.value < 0
        or first.word
        or last.word
    ):
        return False
    units = [normalise_unit(token.unit) for token in (first, last)]
    unit = units[1] or units[0]
    if not units[1] and units[0]:
        return False
    try:
        a, b = (
            Span.printed(
                convert(token.value or _ZERO, own or unit, unit),
                convert(token.place or _ZERO, own or unit, unit),
            )
            for token, own in zip((first, last), units, strict=True)
        )
    except UnitUnknownError:
        return False
    alike = first.place == last.place and units[0] in ("", unit)
    apart = a.middle != b.middle if alike else not a.touches(b)
    return apart and (b.middle > a.middle) == down
