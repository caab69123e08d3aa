"""Statistics of one sample that a sentence puts side by side: `min 1.2, median 3.4, max 5.6 s`, `p50/p90: 12/30 ms`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchctl.claims.numbers import Atom
from benchctl.claims.prose.prose import FAR, Prose
from benchctl.claims.prose.statistics import NAME, Statistic, statistic
from benchctl.quantities.units import normalise_unit

__all__ = ["HINT", "Value", "samples"]

_TAIL = r"\s*(?:of|is|was|at|=|:)?\s*"
_JOINT = r"\s*[,;/\u00b7(&]?\s*(?:(?:and|with|an?|the|its)\s+){0,2}"
_BEHIND_NAME = re.compile(_TAIL)
_BETWEEN = re.compile(_JOINT)
_NAMED = re.compile(rf"(?<![\w.-])(?P<name>{NAME}){_TAIL}\Z", re.IGNORECASE)
_NEXT = re.compile(rf"{_JOINT}(?P<name>{NAME}){_TAIL}", re.IGNORECASE)
_NAMES = re.compile(rf"(?<![\w./-])(?P<names>{NAME}(?:\s?/\s?[A-Za-z][\w.]*)+){_TAIL}\(?\Z", re.IGNORECASE)
_SLASH = re.compile(r"\s?/\s?")
_MAY_NAME = re.compile(r"(?:[a-z0-9]|[:=])\s*\(?\Z", re.IGNORECASE)
_LETTER = re.compile(r"[A-Za-z]")
HINT = re.compile(r"m[aei]|av|est|[qp][0-9]|\blo|\bhi|upp", re.IGNORECASE)
"""What every name of a statistic holds: most numbers have nothing like it before them."""
_WINDOW = 48


@dataclass(frozen=True, slots=True)
class Value:
    """A statistic with its number, as `name` calls it.

    `header_unit` and `factor` are what a table's header says of a number without a unit or multiplier of its own.
    """

    statistic: Statistic
    name: str
    atom: Atom
    header_unit: str = ""
    factor: int = 1

    @property
    def unit(self) -> str:
        """Return the unit that it is printed in; "" for none."""
        return normalise_unit(self.atom.token.unit or self.header_unit)

    @property
    def multiple(self) -> int:
        """Return what its print is to be multiplied by."""
        own = self.atom.token.unit or not self.atom.literal[-1:].isdigit()
        return 1 if own else self.factor


def samples(prose: Prose) -> Iterator[list[Value]]:
    """Yield runs of `min 1.2, median 3.4, max 5.6 s`, and the lists of `p50/p90: 12/30 ms`."""
    run: list[Value] = []
    last = -2
    visible = prose.page.visible
    for index, item in enumerate(prose.items):
        start = item.token.start
        if prose.usable(index - 1) and prose.gaps[index] != FAR and not _LETTER.search(prose.gaps[index]):
            continue
        if not HINT.search(visible, max(0, start - _WINDOW), start):
            continue
        listed = _list(prose, index)
        if listed:
            yield listed
        found = _named(prose, index) if not listed else None
        if found is None:
            continue
        value, before = found
        again = any(value.statistic == earlier.statistic for earlier in run)
        if before is None or before != last or again:
            if len(run) > 1:
                yield run
            run = []
        run.append(value)
        last = index
    if len(run) > 1:
        yield run


def _fits(prose: Prose, index: int) -> bool:
    return (
        prose.usable(index)
        and prose.token(index).cmp == "="
        and prose.token(index).kind in ("number", "word")
    )


def _named(prose: Prose, index: int) -> tuple[Value, int | None] | None:
    """Return an item with the statistic that stands right before it, and the item that it goes on from, None for none."""
    if not _fits(prose, index):
        return None
    gap = prose.gap(index)
    name = prose.items[index - 1] if index else None
    if (
        name
        and not prose.usable(index - 1)
        and _BEHIND_NAME.fullmatch(gap)
        and (known := statistic(name.literal))
    ):
        joined = index - 2 if _BETWEEN.fullmatch(prose.gap(index - 1)) else None
        return Value(known, name.literal, prose.items[index]), joined
    start = prose.token(index).start
    text = prose.page.visible[max(0, start - _WINDOW) : start]
    found = _NAMED.search(text) if _MAY_NAME.search(text) else None
    known = statistic(found["name"]) if found else None
    if not found or not known:
        return None
    joined = index - 1 if _NEXT.fullmatch(gap) else None
    return Value(known, " ".join(found["name"].split()), prose.items[index]), joined


def _list(prose: Prose, index: int) -> list[Value]:
    """Return the values of a list of statistics and a list of as many numbers; empty where `index` opens none."""
    if not _fits(prose, index) or not _SLASH.fullmatch(prose.gap(index + 1)):
        return []
    name = prose.items[index - 1].literal if index else ""
    if "/" in name and _BEHIND_NAME.fullmatch(prose.gap(index)):
        names = name.split("/")
    else:
        found = _NAMES.search(prose.before(index, _WINDOW))
        names = found["names"].split("/") if found else []
    ends = index + len(names)
    known = [statistic(item) for item in names]
    numbers = all(_fits(prose, at) for at in range(index, ends))
    joined = all(_SLASH.fullmatch(prose.gap(at)) for at in range(index + 1, ends))
    if not names or not numbers or not joined or _SLASH.fullmatch(prose.gap(ends)):
        return []
    return [
        Value(item, name.strip(), prose.items[index + at])
        for at, (item, name) in enumerate(zip(known, names, strict=True))
        if item
    ]
