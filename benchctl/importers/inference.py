"""A column's type over the whole file: what all of its values are, and what stands in the way of a number.

A column with one value that is no number is a column of texts; the values that were numbers are
counted, so that nobody takes it for something else, and none is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from benchctl.importers.base import ABSENT, Number
from benchctl.importers.values import TYPES, kind_of, rounded, text_of
from benchctl.quantities.format import counted, format_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchctl.importers.base import Raw
    from benchctl.schema.result import ColumnType

__all__ = ["Scan", "null_option"]

_KEPT_TEXTS: Final = 65
"""Distinct texts remembered of a column: more than any closed vocabulary has."""

_FEW: Final = 5
_LONGEST_SHOWN: Final = 40


@dataclass(slots=True)
class Decimals:
    """The decimals of a column's numbers, by which `1.10, 1.9` are no numbers that a program wrote.

    One that writes a fixed number of decimals writes it in every row, and one that writes as few as needed
    leaves no zero at the end, but for `1.0`.
    """

    fewest: int = 0
    _padded: tuple[int, str, int] = (0, "", 0)

    def see(self, text: str, place: int) -> None:
        """Take one more number with a point."""
        decimals = len(text) - text.find(".") - 1 if "." in text else 0
        if not decimals or "e" in text or "E" in text:
            return
        self.fewest = min(self.fewest or decimals, decimals)
        if decimals > 1 and text[-1] == "0" and decimals > self._padded[0]:
            self._padded = (decimals, text, place)

    @property
    def odd(self) -> tuple[str, int] | None:
        """Return (text, place) of one that ends in a zero while another has fewer decimals; None where all are numbers."""
        decimals, text, place = self._padded
        return (text, place) if decimals > self.fewest else None


@dataclass(slots=True)
class Scan:
    """What one column holds. `kinds` is kind -> (count, first place, first text); `texts` distinct text -> first place.

    `texts` stops at a few dozen. `nulls` counts each text that was read as null, `blank` what the format
    itself leaves empty or calls null, and `absent` what a row does not have. `rounded` counts the
    numbers, and `wide` (with the first place and text) the whole numbers, that a DOUBLE holds only nearly.
    `longest` is the length of the longest text that is no number. `dotted` is what tells numbers that a
    program wrote from words such as versions.
    """

    null_texts: frozenset[str]
    bare: bool
    kinds: dict[str, tuple[int, int, str]] = field(default_factory=dict)
    texts: dict[str, int] = field(default_factory=dict)
    nulls: dict[str, int] = field(default_factory=dict)
    blank: int = 0
    absent: int = 0
    rounded: int = 0
    wide: tuple[int, int, str] = (0, 0, "")
    padded: int = 0
    longest: int = 0
    dotted: Decimals = field(default_factory=Decimals)

    def see(self, raw: Raw, place: int) -> None:
        """Take one more value."""
        if isinstance(raw, str):
            self._see_text(raw, place)
        elif raw is None:
            self.blank += 1
        elif raw is ABSENT:
            self.absent += 1
        else:
            self._see_value(raw, place)

    def _see_value(self, raw: Raw, place: int) -> None:
        if isinstance(raw, bool):
            kind = "BOOLEAN"
        elif isinstance(raw, int):
            kind = "BIGINT"
            if int(float(raw)) != raw:
                self._widen(place, str(raw))
        else:
            kind = "DOUBLE"
        self._count(kind, place, raw)

    def _see_text(self, raw: str, place: int) -> None:
        text = raw.strip()
        if text in self.null_texts:
            self.nulls[text] = self.nulls.get(text, 0) + 1
            return
        kind = kind_of(text) if self.bare or isinstance(raw, Number) else "text"
        if kind in TYPES:
            self.padded += len(text) != len(raw)
            if kind == "DOUBLE":
                self.rounded += rounded(text)
                if self.bare and not isinstance(raw, Number):
                    self.dotted.see(text, place)
            elif kind == "BIGINT" and rounded(text):
                self._widen(place, text)
        else:
            self.longest = max(self.longest, len(raw))
            if len(self.texts) < _KEPT_TEXTS and raw not in self.texts:
                self.texts[raw] = place
        self._count(kind, place, raw)

    def _count(self, kind: str, place: int, raw: Raw) -> None:
        seen = self.kinds.get(kind)
        if seen is None:
            self.kinds[kind] = (1, place, text_of(raw))
        else:
            self.kinds[kind] = (seen[0] + 1, *seen[1:])

    def _widen(self, place: int, text: str) -> None:
        count, *first = self.wide
        self.wide = (count + 1, *(first if count else (place, text)))

    @property
    def null(self) -> int:
        """Return how many rows have no value."""
        return self.blank + self.absent + sum(self.nulls.values())

    @property
    def type(self) -> ColumnType | None:
        """Return the narrowest type that holds every value; None where there is no value."""
        kinds = set(self.kinds)
        if not kinds:
            return None
        if kinds == {"BIGINT"}:
            return "BIGINT"
        if kinds <= {"BIGINT", "DOUBLE"}:
            return "VARCHAR" if self.dotted.odd else "DOUBLE"
        return "BOOLEAN" if kinds == {"BOOLEAN"} else "VARCHAR"

    def misfit(self, type_: ColumnType) -> tuple[int, str] | None:
        """Return (place, text) of the first value that a column of this type cannot hold as it is; None where all fit."""
        fitting = {"DOUBLE": {"BIGINT", "DOUBLE"}, "VARCHAR": set(self.kinds)}.get(type_, {type_})
        wrong = [(place, text) for kind, (_, place, text) in self.kinds.items() if kind not in fitting]
        if type_ == "DOUBLE" and self.wide[0]:
            wrong.append(self.wide[1:])
        return min(wrong, default=None)

    def notes(self, unit: str, null_texts: tuple[str, ...], *, own: bool = True) -> Iterator[str]:
        """Yield what a reader of this column has to know, a line each; `own` says that it is kept as it is."""
        if own and self.type == "VARCHAR" and self.dotted.odd:
            text, place = self.dotted.odd
            yield f"stays text: `{text}` in {unit} {place} would print as {float(text)!r}, and others have fewer decimals"
        else:
            yield from self._mixture(unit, null_texts)
        if read_as_null := {text: count for text, count in self.nulls.items() if text}:
            shown = ", ".join(f"{count} of `{text}`" for text, count in read_as_null.items())
            yield f"read as null: {shown}"
        if self.absent:
            yield f"{counted(self.absent, 'row')} without this column: null"
        if self.type in ("BIGINT", "DOUBLE", "BOOLEAN") and self.padded:
            yield f"spaces around {counted(self.padded, 'value')} left out"
        if self.type == "DOUBLE" and (nearly := self.rounded + self.wide[0]):
            yield f"{counted(nearly, 'value')} with more digits than a DOUBLE holds: kept as the nearest one"

    def _mixture(self, unit: str, null_texts: tuple[str, ...]) -> Iterator[str]:
        """Say why a column is text although some of it is a number, or looks like one."""
        if self.type != "VARCHAR" or set(self.kinds) <= {"text"} or set(self.kinds) <= {"BIGINT", "DOUBLE"}:
            return
        total = sum(count for count, _, _ in self.kinds.values())
        fitting = sum(count for kind, (count, _, _) in self.kinds.items() if kind in TYPES)
        for kind, (count, place, text) in self.kinds.items():
            if kind not in TYPES and kind != "text":
                noun = "value" if kind.startswith("a ") else "number"
                yield f"stays text: {counted(count, noun)} {kind}, the first `{_short(text)}` in {unit} {place}"
        if fitting and "text" in self.kinds:
            count, place, text = self.kinds["text"]
            yield (
                f"stays text: {_of(count, total)} no number, the first `{_short(text)}` in {unit} {place}"
                f"{self._remedy(null_texts, 'it' if count == 1 else 'them')}"
            )
        elif fitting == total:
            yield f"stays text: {' and '.join(f'{seen[0]} {kind}' for kind, seen in self.kinds.items())} are mixed"
        elif fitting:
            yield f"{_of(fitting, total)} a number all the same{self._remedy(null_texts, 'the others')}"

    def _remedy(self, null_texts: tuple[str, ...], them: str) -> str:
        if not 0 < len(self.texts) <= _FEW or any(len(text) > _LONGEST_SHOWN for text in self.texts):
            return ""
        return f"; {null_option((*null_texts, *(text.strip() for text in self.texts)))} would read {them} as null"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _of(count: int, total: int) -> str:
    return f"{format_number(count)} of {counted(total, 'value')} {'is' if count == 1 else 'are'}"


def null_option(texts: tuple[str, ...]) -> str:
    """Return the option that reads exactly these texts as null, as it is typed."""
    quoted = (
        '"' + text.replace('"', '""') + '"' if not text or set(text) & set(',"') else text for text in texts
    )
    return f"`--null '{','.join(dict.fromkeys(quoted))}'`"
