"""What names a row: the key's values, written so that a path can hold them, and no two rows alike.

Looking for doubles holds one 64-bit number a row; only where two agree is the file read again
for the rows themselves.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from benchctl.errors import ImportKeyError
from benchctl.importers.values import Value, text_of
from benchctl.schema.names import path_safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchctl.importers.base import ReadOptions

__all__ = ["IDENTITY", "Found", "KeyCheck", "Texts", "cell_id", "cell_path", "fewest"]

Texts = Callable[[Sequence[int]], Iterator[tuple[int, list[Value]]]]
"""Yields (place, the texts of these columns, as the file has them, or None for null) of each row."""

IDENTITY: Final = ("repo", "question", "arm", "agent", "model", "rep")
"""The standard columns that name a cell, in the order in which its name has them."""

_SAFE: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
"""What `path_safe` leaves as it is, told at once: nearly every name is so."""

_WRITTEN: Final = re.compile(r"%|(?:[A-Za-z0-9_-]|%[0-9A-F]{2})(?:[A-Za-z0-9._-]|%[0-9A-F]{2})*")
"""What a part of a cell's name looks like that `cell_id` has made."""

_NULL: Final = "-"
_EMPTY: Final = "%"
_MOST_ADDED: Final = 4
_MOST_LOOKED_AT: Final = 16


def cell_id(values: Sequence[Value]) -> str:
    """Return the name of a row with these key values: path-safe, joined by `/`; `-` for null, `%` for an empty text."""
    return "/".join(_NULL if value is None else _part(text_of(value)) for value in values)


def cell_path(values: Sequence[Value]) -> str:
    """Return the name of a row that its file names already, as an export does: the last value's slashes stay.

    What a name of ours has in it stays as it is, so that a cell that was exported has its name again.
    """
    *before, name = values
    parts = [] if name is None else [_kept(part) for part in text_of(name).split("/")]
    return "/".join([cell_id([value]) for value in before] + (parts or [_NULL]))


def _kept(part: str) -> str:
    return part if _WRITTEN.fullmatch(part) else _part(part)


def _part(text: str) -> str:
    return text if _SAFE.fullmatch(text) else path_safe(text) or _EMPTY


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def _doubled(numbers: Iterable[int]) -> frozenset[int]:
    """Return the numbers that stand more than once."""
    return frozenset(one for one, next_ in pairwise(sorted(array("Q", numbers))) if one == next_)


@dataclass(frozen=True, slots=True)
class KeyCheck:
    """A key over a file: `key` are places in `names`, and `texts` yields (place, the texts of the columns asked for).

    Only columns of `addable` are advised to be added to it, those of `plain` first: they are never null and measure
    nothing, unless they are among the whole `numbers`, which may.
    """

    texts: Texts
    key: Sequence[int]
    names: Sequence[str]
    options: ReadOptions
    unit: str
    addable: Sequence[int]
    plain: Sequence[int]
    numbers: frozenset[int]
    name: Callable[[Sequence[Value]], str] = cell_id

    def refuse_doubled(self) -> None:
        """Raise ImportKeyError where a row has no key at all, or two rows have the same, with both places."""
        if suspects := _doubled(self._numbers()):
            self._refuse_first(suspects)

    def _numbers(self) -> Iterator[int]:
        for place, values in self.texts(self.key):
            if all(value is None for value in values):
                raise ImportKeyError(
                    f"the row has no value in {_and([self.names[index] for index in self.key])}, which is to name it",
                    where=self.options.where(place),
                    next_step="name the columns that tell the rows apart: `--key a,b`",
                )
            yield _number(self.name(values))

    def _refuse_first(self, suspects: frozenset[int]) -> None:
        first: dict[str, int] = {}
        for place, values in self.texts(self.key):
            name = self.name(values)
            if _number(name) in suspects and first.setdefault(name, place) != place:
                named = zip(self.key, values, strict=True)
                said = ", ".join(f"{self.names[index]}={_shown(value)}" for index, value in named)
                raise ImportKeyError(
                    f"the row has the key of {self.unit} {first[name]}: {said}",
                    where=self.options.where(place),
                    expected="a key that names one row",
                    next_step=self._advice(),
                )

    def _advice(self) -> str:
        """Return which columns would have to be added to the key: one, else as few as a quick look finds."""
        if found := self._key_that_names():
            more = [self.names[index] for index in found.others[:5]]
            keys = ",".join(self.names[index] for index in found.key)
            return f"`--key {keys}` names every row" + (f"; so would {_and(more)}" if more else "")
        if len(self.addable) < len(self.names):
            return (
                "no column but measured numbers and long texts tells these rows apart: add one, such as rep"
            )
        return "no column tells these rows apart: remove the doubled ones"

    def _key_that_names(self) -> Found | None:
        """Return the key and what has to be added to it, of the likeliest columns that suffice."""
        plain, addable = (
            [index for index in each if index not in self.key] for each in (self.plain, self.addable)
        )
        distinct, total = _distinct(self.texts, (), plain)
        # What differs in most rows and is a number is a measurement rather than the how-manieth of something.
        named = [index for index in plain if index not in self.numbers or 2 * distinct[index] <= total]
        for candidates in (named, plain, addable):
            if found := _shortest(self.texts, candidates, self.key):
                return found
        return None


@dataclass(frozen=True, slots=True)
class Found:
    """A key that names every row, and the columns each of which would have done as well as its last."""

    key: tuple[int, ...]
    others: tuple[int, ...]


def fewest(texts: Texts, candidates: Sequence[int], begin: Sequence[int] = ()) -> Found | None:
    """Return `begin` with the fewest columns added that a greedy look finds to name every row; None where none do.

    Each step adds the first column that is enough, else the one that tells most rows apart; of many
    candidates only the first are looked at.
    """
    chosen, left = list(begin), list(candidates[:_MOST_LOOKED_AT])
    told_apart = 0
    while left and len(chosen) < len(begin) + _MOST_ADDED:
        distinct, total = _distinct(texts, chosen, left)
        unique = [index for index in left if distinct[index] == total]
        best = unique[0] if unique else max(left, key=lambda index: distinct[index])
        chosen.append(best)
        if unique:
            return Found(tuple(chosen), tuple(unique[1:]))
        if distinct[best] == told_apart:
            return None
        told_apart = distinct[best]
        left.remove(best)
    return None


def _shortest(texts: Texts, candidates: Sequence[int], begin: Sequence[int]) -> Found | None:
    """Return the shorter of what adding to `begin` finds and what leaving out finds, by preference one of few values."""
    added = fewest(texts, candidates, begin)
    if added and len(added.key) == len(begin) + 1:
        return added
    left = _left(texts, candidates, begin)
    if left and (added is None or len(left) <= len(added.key)):
        return Found(left, ())
    return added


def _left(texts: Texts, candidates: Sequence[int], begin: Sequence[int]) -> tuple[int, ...] | None:
    """Return `begin` with what is left of the candidates when each that is not needed goes, one of many values first.

    None where all of them together do not name every row, or where too many are left.
    """
    kept = list(candidates[:_MOST_LOOKED_AT])
    distinct, total = _distinct(texts, begin, kept)
    for index in sorted(kept, key=lambda index: (-distinct[index], -index)):
        rest = [other for other in kept if other != index]
        if rest and _names_every_row(texts, (*begin, *rest), total):
            kept = rest
    if not kept or len(kept) > _MOST_ADDED or not _names_every_row(texts, (*begin, *kept), total):
        return None
    return (*begin, *kept)


def _names_every_row(texts: Texts, key: Sequence[int], total: int) -> bool:
    return _distinct(texts, key[:-1], key[-1:])[0][key[-1]] == total


def _distinct(texts: Texts, chosen: Sequence[int], others: Sequence[int]) -> tuple[dict[int, int], int]:
    """Return (how many names each further column would give, how many rows there are)."""
    found: dict[int, array[int]] = {index: array("q") for index in others}
    adding = [found[index].append for index in others]
    total, width = 0, len(chosen)
    for _, values in texts([*chosen, *others]):
        total += 1
        begin = tuple(values[:width])
        for add, value in zip(adding, values[width:], strict=True):
            add(hash((begin, _NULL if value is None else value)))
    return {index: len(set(numbers)) for index, numbers in found.items()}, total


def _shown(value: Value) -> str:
    return "null" if value is None else text_of(value)[:60]


def _and(names: Sequence[str]) -> str:
    """Return names as `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
