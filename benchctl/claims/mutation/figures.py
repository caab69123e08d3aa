"""How a number's figures are written, so that another number can be written in their place, the same way."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from benchctl.claims.numbers import Atom
from benchctl.claims.reading.page import Page

__all__ = ["Figures", "figures_of"]

_PLAIN = re.compile(
    r"(?P<sign>[+\-\u2010-\u2015\u2212]?)(?P<figures>\d(?:[\d,.'\u2019 _\u00a0\u2009\u202f]*\d)?|[.,]\d+)"
    r"(?P<scale>\s?[A-Za-z]*)"
)
_LONGEST = 400
_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class Figures:
    """Sign and figures at raw `start` to `end`; `scale_end` lies behind a multiplier (`k`, `million`).

    `count` is how many of its last places the number is (44.8 is 448), `place` what one of them is worth;
    `decimals` stand behind `point`, thousands are parted by `mark` ("" for none of either).
    """

    start: int
    end: int
    scale_end: int
    sign: str
    count: int
    place: Fraction
    negative: bool
    decimals: int
    point: str
    mark: str
    bare_point: bool

    @property
    def value(self) -> Fraction:
        """Return what the number says."""
        return self.worth(self.count, negative=self.negative)

    def worth(self, count: int, *, negative: bool) -> Fraction:
        """Return what `count` of its last places are worth."""
        return -count * self.place if negative else count * self.place

    def written(self, count: int, sign: str) -> str:
        """Return other figures in this form."""
        digits = str(count).rjust(self.decimals + 1, "0")
        whole, behind = digits[: len(digits) - self.decimals], digits[len(digits) - self.decimals :]
        if self.mark:
            whole = f"{int(whole):,}".replace(",", self.mark)
        if self.bare_point and whole == "0":
            whole = ""
        return f"{sign}{whole}{self.point}{behind}"

    def showing(self, value: Fraction) -> tuple[str, Fraction] | None:
        """Return a value in this form and what that says; None where its sign cannot be written so."""
        count = round(abs(value) / self.place)
        below = value < 0 and count > 0
        if self.negative and not self.sign:  # the sign is lent by the start of a range
            return (self.written(count, ""), self.worth(count, negative=True)) if below else None
        minus = self.sign if self.negative else _MINUS
        plus = self.sign if self.sign == "+" else ""
        return self.written(count, minus if below else plus), self.worth(count, negative=below)


def figures_of(page: Page, atom: Atom) -> Figures | None:
    """Return how a number is written; None for words, durations, powers and what is written over markup."""
    token = atom.token
    start, end = page.raw(token.digits[0]), page.behind(token.digits[1])
    found = _PLAIN.fullmatch(page.text, start, end)
    if token.word or found is None or token.value is None or not token.place or end - start > _LONGEST:
        return None
    figures = found["figures"]
    point, decimals = _decimals(figures, small=token.place < 1)
    count = int("".join(char for char in figures if char.isdecimal()))
    place, value = Fraction(token.place), Fraction(token.value)
    if count * place != abs(value):
        return None
    whole = figures[: len(figures) - decimals - len(point)]
    marks = [char for char in whole if not char.isdecimal()]
    return Figures(
        start=start,
        end=found.end("figures"),
        scale_end=end,
        sign=found["sign"],
        count=count,
        place=place,
        negative=value < 0,
        decimals=decimals,
        point=point,
        mark=marks[0] if marks else "",
        bare_point=figures[0] == point != "",
    )


def _decimals(figures: str, *, small: bool) -> tuple[str, int]:
    """Return the decimal point and how many figures stand behind it: `1,234` has none, `71,5` has one."""
    last = re.search(r"[.,](\d+)$", figures)
    if last is None or figures.count(last[0][0]) > 1:
        return "", 0
    thousands = last[0][0] == "," and len(last[1]) == 3 and not small
    return ("", 0) if thousands else (last[0][0], len(last[1]))
