"""One pass over folded text: decide at each digit and number word what literal it belongs to.

The order of the questions is the grammar: markup no reader sees, names with
digits in them, forms that are no numbers, and only then a number with its sign,
unit and label. Every step moves on past what it decided, so that no text costs
more than its length. A number that nothing is glued to (`plain_figure_at`) skips
the questions whose answer its neighbours already give.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal

from benchctl.quantities.affixes import Lead, read_lead, read_unit, sign_word_before
from benchctl.quantities.bounds import EXACT, Bound, bound_before
from benchctl.quantities.durations import read_duration
from benchctl.quantities.figures import (
    FRACTION_GLYPHS,
    Figure,
    plain_figure,
    plain_figure_at,
    read_figure,
)
from benchctl.quantities.fold import GLUED_MINUS, HARD_SPACE, ODD_NUMERAL, WALL
from benchctl.quantities.forms import read_form, read_suffixed
from benchctl.quantities.glyphs import RAISED, read_fractions, read_keycap, read_raised
from benchctl.quantities.hanzi import HAN_STARTS, numeral_end, read_han
from benchctl.quantities.labels import Line, is_level, label_of, statistic_end
from benchctl.quantities.markup import read_markup, read_reference
from benchctl.quantities.names import name_start, read_name
from benchctl.quantities.references import counts_follow
from benchctl.quantities.tokens import UNREADABLE, Token
from benchctl.quantities.words import WORD_PATTERN, WordNumber, letters_end, read_words

__all__ = ["Scanner"]

_DIGITS = frozenset("0123456789" + "".join(FRACTION_GLYPHS) + RAISED + ODD_NUMERAL)
_ANCHOR = re.compile(
    rf"[0-9{''.join(FRACTION_GLYPHS)}{RAISED}{ODD_NUMERAL}{HAN_STARTS}]"
    rf"|(?<![A-Za-z0-9_])(?:{WORD_PATTERN}|(?:https?|ftp|git|ssh|file)://)|</?[A-Za-z]|\]\(|\[\^"
)
_APART = frozenset(' |\n\t>([*,$~=<"`{\u2248\u2265\u2264\u00d7\u00b1\u2192\u20ac\u00a3' + WALL)
_JOINTS = frozenset("-+/\u2013")
_PLUS = re.compile(r"\+(?=[\s)*_|.,;]|\Z)")
_MATH_END = re.compile(r" ?(?:\\%|%)? ?\$(?![0-9])")
_ALONE = ("", " ", "\n", "(", "|", "*", "~", WALL)
_ARTICLE = re.compile(r" an?(?= )")
_SPACES = " \t\r\n" + HARD_SPACE
_SIGNS = ("-", "+", "\u2013", GLUED_MINUS)


@dataclass(slots=True)
class Scanner:
    """One pass from left to right; `position` is the end of what has been decided."""

    source: str
    flat: str
    position: int
    tag_end: int = 0
    line: Line = field(default_factory=Line)
    found: list[Token] = field(default_factory=list)

    def run(self) -> list[Token]:
        """Return the tokens in order of their place."""
        while (anchor := _ANCHOR.search(self.flat, self.position)) is not None:
            at = anchor.start()
            self.line.move_to(self.flat, self.position, at)
            glyph = self.flat[at]
            if "0" <= glyph <= "9":
                self._digit(at)
            elif glyph in HAN_STARTS:
                self._han(at)
            elif glyph in "<][" or (glyph.isalpha() and anchor[0][-1] == "/"):
                self._markup(at, anchor.end())
            elif glyph.isalpha():
                self._letter(at)
            else:
                self._glyph(at)
        return self.found

    # What opens a token, by its first character.

    def _letter(self, at: int) -> None:
        number = read_words(self.flat, at, len(self.flat), self.position)
        if number is None or (self.flat[at - 1 : at] == "-" and at > 1 and self.flat[at - 2].isalpha()):
            self.position = letters_end(self.flat, at)
            return
        self._word(number)

    def _han(self, at: int) -> None:
        number = read_han(self.flat, at, len(self.flat))
        if number is None:
            self.position = numeral_end(self.flat, at, len(self.flat))
        elif number.kind == "word":
            self._word(number)
        else:
            self._emit(at, number.end, number.kind)

    def _markup(self, at: int, opened: int) -> None:
        start, end, kind = read_markup(self.flat, at, opened)
        if kind == "code" and end > at + 1:
            self.tag_end = end
        start = max(start, self.position)
        if not _DIGITS.isdisjoint(self.flat[start:end]):
            self._emit(start, end, kind)
        self.position = end

    def _glyph(self, at: int) -> None:
        if self.flat[at] in FRACTION_GLYPHS:
            run = read_fractions(self.flat, at)
            if run is None:
                self._number(at)
            else:
                self._emit(*run)
        elif self.flat[at] in RAISED:
            self._emit(*read_raised(self.flat, at, self.position))
        else:
            self._emit(at, at + 1, UNREADABLE)

    def _digit(self, at: int) -> None:
        flat, end = self.flat, len(self.flat)
        before = flat[at - 1 : at]
        apart = not before or before in _APART or (before in _JOINTS and self._begins_behind(at))
        if apart and statistic_end(flat, at, end) == at:
            plain = plain_figure_at(flat, at, end)
            if plain:
                self._bare(at, plain)
                return
        start = name_start(flat, at, self.position)
        span = read_reference(flat, at) or self._freedom(at)
        if span is None and start < at and not self._is_factor(start, at):
            span = read_name(flat, start, at, end)
        if span and span[2] == "issue" and flat[span[0]] == "#" and counts_follow(flat, span[1], end):
            span = None  # "#48 cells" counts
        span = span or read_keycap(flat, at, self.line.start) or read_form(flat, at, end)
        if span:
            self._emit(*span)
        else:
            self._number(at)

    def _begins_behind(self, at: int) -> bool:
        """Say whether the joint before `at` joins no name: a literal ends right before it, or nothing does."""
        return at - 1 == self.position > 0 or self.flat[max(0, at - 2) : at - 1] in _APART

    def _freedom(self, at: int) -> tuple[int, int, str] | None:
        stop = statistic_end(self.flat, at, len(self.flat))
        return (at, stop, "param") if stop > at else None

    def _is_factor(self, start: int, at: int) -> bool:
        """Say whether the digits at `at` are a factor of a glued product like 16x4x3."""
        follows = bool(self.found) and self.found[-1].end == start and self.found[-1].kind == "number"
        return follows and self.flat[start:at] == "x"

    # Numbers.

    def _number(self, at: int) -> None:
        flat, end = self.flat, len(self.flat)
        if flat[at - 1 : at] == "." and at - 1 >= self.position and flat[at] not in FRACTION_GLYPHS:
            earlier = flat[max(0, at - 2) : at - 1]
            at -= not earlier.isalnum() and earlier != "."
        duration = read_duration(flat, at, end)
        figure = duration or read_figure(flat, at, end)
        if figure.value is None:
            self._emit(at, figure.end, UNREADABLE)
            return
        if figure.is_list:
            figure = self._list_head(at, figure)
            at = flat.rindex(",", at, figure.end) + 1
        unit_end, unit = (figure.end, "s") if duration else read_unit(flat, figure.end, end)
        plus = None if duration or flat[unit_end : unit_end + 1] != "+" else _PLUS.match(flat, unit_end)
        if plus:
            unit_end, unit = (plus.end(), unit) if unit else read_unit(flat, plus.end(), end)
        suffixed = None if plus else read_suffixed(flat, at, unit_end, end)
        if suffixed:
            self._emit(*suffixed)
        else:
            self._classify(at, figure, unit_end, unit, open_ended=plus is not None)

    def _bare(self, at: int, figure: Figure) -> None:
        """Go on with a number that has nothing glued to it but, maybe, its unit."""
        unit_end, unit = figure.end, ""
        if self.flat[unit_end : unit_end + 1] in (" ", "%", "\n"):
            unit_end, unit = read_unit(self.flat, unit_end, len(self.flat))
        plus = unit != "" and self.flat[unit_end : unit_end + 1] == "+" and _PLUS.match(self.flat, unit_end)
        self._classify(at, figure, unit_end + bool(plus), unit, open_ended=bool(plus))

    def _list_head(self, at: int, figure: Figure) -> Figure:
        """Emit all atoms of `1,2,3` but the last, which takes what follows."""
        parts = self.flat[at : figure.end].split(",")
        for part in parts[:-1]:
            atom = plain_figure(at + len(part), part)
            self._emit(at, atom.end, "number", atom.value, atom.place)
            at += len(part) + 1
        return plain_figure(figure.end, parts[-1])

    def _classify(self, at: int, figure: Figure, unit_end: int, unit: str, *, open_ended: bool) -> None:
        lead = read_lead(self.flat, at, self.position)
        if not unit and not lead.currency and not figure.scale:
            kind = label_of(self.flat, at, figure.end, len(self.flat), self.line)
            if kind:
                self._emit(at, figure.end, kind, figure.value, figure.place)
                return
        self._claim(at, figure, max(unit_end, figure.end), unit, lead, open_ended=open_ended)

    def _claim(self, at: int, figure: Figure, stop: int, unit: str, lead: Lead, *, open_ended: bool) -> None:
        flat = self.flat
        math = _MATH_END.match(flat, stop) if lead.currency == "USD" else None
        if math:
            stop = math.end()
            unit = "%" if "%" in math[0] else unit
        elif lead.currency:
            unit = f"{lead.currency}/{unit.partition('/')[2]}" if "/" in unit else lead.currency
        start = lead.start
        if (
            not unit
            and flat[start - 1 : start] in ("\u00d7", "x")
            and flat[max(0, start - 2) : start - 1] in _ALONE
        ):
            start, unit = self._leading_times(start)
        value = figure.value.copy_negate() if lead.negative and figure.value is not None else figure.value
        bound = Bound(">=") if open_ended else self._bound((start, stop), unit)
        first = at - 1 if lead.explicit and flat[at - 1 : at] in _SIGNS else at
        kind = "param" if unit == "%" and is_level(flat, stop, len(flat)) else "number"
        self._emit(start, stop, kind, value, figure.place, unit=unit, bound=bound, digits=(first, figure.end))

    def _bound(self, span: tuple[int, int], unit: str) -> Bound:
        """Return what is said before a literal, down to the one before it; words before the scanned part still compare."""
        floor = self.found[-1].end if self.found else 0
        return bound_before(self.flat, span, unit, floor=floor, tag_end=self.tag_end)

    def _leading_times(self, start: int) -> tuple[int, str]:
        """Read the sign of `\u00d72.1` as a unit, unless a factor stands before it (16 \u00d74)."""
        after_number = self.flat[self.position : start - 1].strip(_SPACES) == "" and self.position > 0
        return (start, "") if after_number or start - 1 < self.position else (start - 1, "x")

    def _word(self, number: WordNumber) -> None:
        unit_end, unit = number.end, number.unit
        if not unit and number.kind == "word":
            # "half a day" is a duration as much as "three days"
            gap = _ARTICLE.match(self.flat, number.end) if number.value < 1 else None
            unit_end, unit = read_unit(self.flat, gap.end() if gap else number.end, len(self.flat))
            unit_end = unit_end if unit else number.end
        start, sign = number.start, ""
        if number.kind == "word":
            start, sign = sign_word_before(self.flat, number.start, self.position)
        bound = self._bound((start, unit_end), unit)
        value = -number.value if sign else number.value
        span = (number.start, number.end)
        self._emit(
            start, unit_end, number.kind, value, number.place, unit=unit, bound=bound, word=True, digits=span
        )

    def _emit(
        self, start: int, end: int, kind: str, value: Decimal | None = None, place: Decimal | None = None,
        *, unit: str = "", bound: Bound = EXACT, word: bool = False, digits: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        said = (value, place, unit, bound.cmp, word, digits or (start, end), bound.doubt)
        self.found.append(Token(start, end, self.source[start:end], kind, *said))
        self.position = end
