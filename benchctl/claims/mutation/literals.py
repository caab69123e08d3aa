"""What may be written in a number's place: the digit beside it, the other sign, another unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from unicodedata import digit

from benchctl.claims.mutation.figures import Figures, figures_of
from benchctl.claims.mutation.mutant import Edit, Kind
from benchctl.claims.mutation.spelled import Spelling, cardinal, next_words, spelled
from benchctl.claims.mutation.truth import Printed
from benchctl.claims.numbers import Atom
from benchctl.claims.reading.page import Page
from benchctl.quantities.units import family, normalise_unit

__all__ = ["Literal", "Variant", "other_scale"]

_MORE, _LESS = Fraction(1000), Fraction(1, 1000)
_SCALES = {
    "k": ("M", _MORE), "K": ("M", _MORE), "M": ("k", _LESS), "B": ("M", _LESS), "T": ("B", _LESS),
    "thousand": ("million", _MORE), "million": ("thousand", _LESS), "billion": ("million", _LESS),
}  # fmt: skip
_UNITS = {
    "s": "ms", "ms": "s", "\u00b5s": "ms", "ns": "\u00b5s", "min": "s", "h": "min", "d": "h", "week": "d",
    "B": "KB", "KB": "MB", "MB": "KB", "GB": "MB", "TB": "GB", "PB": "TB", "KiB": "MiB", "MiB": "KiB", "GiB": "MiB",
    "%": "\u00d7", "pp": "\u00d7", "x": "%", "USD": "EUR", "\u00a2": "USD", "EUR": "USD", "GBP": "EUR", "JPY": "USD",
    "tokens": "ms", "Hz": "kHz", "kHz": "MHz", "MHz": "kHz", "GHz": "MHz",
}  # fmt: skip
_COINS = {"$": "\u20ac", "\u20ac": "$", "\u00a3": "$", "\u00a5": "$"}
_POWERS = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
_POWER = re.compile(
    r"(?:[eE][+\-\u2212]?|\^[{+\-\u2212]*|<sup>[+\-\u2212]?)\d+|[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]"
)
_BEFORE = 24
_PREPOSITION = re.compile(
    r"\b(?:over|under|above|below)\b[^A-Za-z0-9.!?]*(?:(?:all|the|its|of)[^A-Za-z0-9.!?]+)*$", re.IGNORECASE
)
_MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
_MINUSES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"


@dataclass(frozen=True, slots=True)
class Variant:
    """What is written instead, where, and what the page then says; `unit` None keeps the number's own."""

    kind: Kind
    edit: Edit
    says: Printed


@dataclass(frozen=True, slots=True)
class Literal:
    """One number as it is written. `figures` is None where it is written in words or in no plain way.

    `lent` is the unit that it has from its neighbour where it has none of its own.
    """

    page: Page
    atom: Atom
    figures: Figures | None
    says: Printed
    lent: str = ""

    @classmethod
    def of(cls, page: Page, atom: Atom, lent: str = "") -> Literal:
        """Return an atom with what it says."""
        token = atom.token
        says = Printed(
            Fraction(token.value or 0),
            Fraction(token.place or 0),
            normalise_unit(token.unit),
            token.cmp,
        )
        before = page.visible[max(0, token.start - _BEFORE) : token.start]
        return cls(
            page, atom, figures_of(page, atom), replace(says, ends=bool(_PREPOSITION.search(before))), lent
        )

    def digits(self) -> Iterator[Variant]:
        """Yield the number with its last digit up and down; whatever is written, one variant at the least."""
        if self.figures is None:
            yield from self._words() if self.atom.token.word else self._last_digit()
            return
        for count in (self.figures.count + 1, self.figures.count - 1):
            if count >= 0:
                yield self._counting("digit", self.figures, count)

    def _counting(self, kind: Kind, figures: Figures, count: int) -> Variant:
        sign = figures.sign if count or figures.sign == "+" else ""
        value = figures.worth(count, negative=figures.negative)
        edit = Edit(figures.start, figures.end, figures.written(count, sign))
        return Variant(kind, edit, replace(self.says, value=value))

    def _words(self) -> Iterator[Variant]:
        yield from (self._spelling("digit", words) for words in next_words(self.atom.token))

    def _spelling(self, kind: Kind, spelling: Spelling) -> Variant:
        words, value, place, unit = spelling
        start, end = (self.page.raw(self.atom.token.digits[0]), self.page.behind(self.atom.token.digits[1]))
        return Variant(kind, Edit(start, end, words), replace(self.says, value=value, place=place, unit=unit))

    def _last_digit(self) -> Iterator[Variant]:
        """Yield what is in no plain form (8m30s, 10⁻⁴, 1.5e-3) with its last digit changed."""
        token, text = self.atom.token, self.page.text
        raw = [self.page.raw(at) for at in range(token.start, token.end)]
        at = next((at for at in reversed(raw) if text[at].isdigit()), None)
        if at is None:
            return
        old, marks = digit(text[at]), _POWERS if text[at] in _POWERS else "0123456789"
        power = _POWER.search(text, raw[0], at + 1)
        for new in ((old + 1) % 10, (old - 1) % 10):
            if power is None:
                says = replace(self.says, value=self.says.value + (new - old) * self.says.place)
            else:
                turned = (
                    -1 if any(mark in _MINUSES + "\u207b" for mark in text[power.start() - 1 : at]) else 1
                )
                factor = Fraction(10) ** (turned * (new - old))
                says = replace(self.says, value=self.says.value * factor, place=self.says.place * factor)
            yield Variant("digit", Edit(at, at + 1, marks[new]), says)

    def signs(self) -> Iterator[Variant]:
        """Yield the number with its sign turned round, where it has one."""
        figures = self.figures
        if figures is None or not figures.sign or not figures.count:
            return
        sign = "" if figures.sign in _MINUSES else "\N{MINUS SIGN}"
        edit = Edit(figures.start, figures.end, figures.written(figures.count, sign))
        yield Variant("sign", edit, replace(self.says, value=-self.says.value))

    def units(self) -> Iterator[Variant]:
        """Yield the number with another multiplier, and in another unit."""
        figures = self.figures
        if figures is not None:
            scale = self.page.text[figures.end : figures.scale_end]
            other, factor = _SCALES.get(scale.strip(), ("", _MORE))
            if other:
                space = scale[: len(scale) - len(scale.lstrip())]
                says = replace(self.says, value=self.says.value * factor, place=self.says.place * factor)
                yield Variant("unit", Edit(figures.end, figures.scale_end, f"{space}{other}"), says)
        span = self.unit_span()
        if span:
            glyph = self.page.text[slice(*span)]
            new = _COINS.get(glyph) or _UNITS.get(self.says.unit, glyph)
            for other in (new, *([""] if self.says.unit == "%" else [])):
                if other != glyph:
                    start = span[0] if other else len(self.page.text[: span[0]].rstrip())
                    edit = Edit(start, span[1], other)
                    yield Variant("unit", edit, replace(self.says, unit=normalise_unit(other or self.lent)))

    def unit_span(self) -> tuple[int, int] | None:
        """Return where the number's own unit stands; None where it has none, or its header or neighbour lends it."""
        token, visible = self.atom.token, self.page.visible
        for start, end in ((token.digits[1], token.end), (token.start, token.digits[0])):
            piece = visible[start:end]
            glyph = piece.strip()
            if glyph and family(glyph):
                first = start + len(piece) - len(piece.lstrip())
                return self.page.raw(first), self.page.behind(first + len(glyph))
        return None

    def beyond(self, actual: Fraction, about: Fraction) -> Variant | None:
        """Return the next number of its form that a bound, or `about`, is false of; None for what is no bound."""
        figures, cmp = self.figures, self.says.cmp
        if cmp == "=":
            return None
        if self.says.ends:
            cmp = f"{cmp[0]}="  # the value itself may stand there
        if figures is None:
            number = _beyond(cmp, actual, about)
            fits = self.atom.token.word and 0 < number < 1000
            return self._spelling("bound", spelled(number, self.says.unit)) if fits else None
        # Below zero every bound is one on the other side of what the figures count.
        if figures.negative:
            cmp, actual = _MIRRORED.get(cmp, cmp), -actual
        count = _beyond(cmp, actual / figures.place, about)
        return self._counting("bound", figures, count) if count >= 0 else None

    def showing(self, kind: Kind, value: Fraction) -> Variant | None:
        """Return the number with another value in its form; None where that cannot be written, or is the same."""
        token = self.atom.token
        if self.figures is None:
            same_form = token.word and cardinal(int(self.says.value)) == token.text.lower()
            if not same_form or not 0 < round(value) < 1000 or round(value) == self.says.value:
                return None
            return self._spelling(kind, spelled(round(value), token.unit))
        shown = self.figures.showing(value)
        if shown is None or shown[1] == self.says.value:
            return None
        edit = Edit(self.figures.start, self.figures.end, shown[0])
        return Variant(kind, edit, replace(self.says, value=shown[1]))


def other_scale(written: str, unit: str) -> tuple[str, Fraction]:
    """Return another multiplier and what it makes of a number, or another unit and 1; "" where there is no other."""
    if written in _SCALES:
        return _SCALES[written]
    other = _UNITS.get(unit, "")
    return ("" if other == written else other), Fraction(1)


def _beyond(cmp: str, actual: Fraction, about: Fraction) -> int:
    """Return the nearest whole number for which `actual cmp number` is false."""
    return {
        ">": ceil(actual),
        ">=": floor(actual) + 1,
        "<": floor(actual),
        "<=": ceil(actual) - 1,
        "~": ceil(actual / (1 - about)) + 1,
    }[cmp]
