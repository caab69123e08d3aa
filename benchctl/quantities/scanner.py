"""One pass over folded text: decide at each digit and number word what literal it belongs to.

The order of the questions is the grammar: markup no reader sees, names with
digits in them, forms that are no numbers, and only then a number with its sign,
unit and label. Every step moves on past what it decided, so that no text costs
more than its length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal

from benchctl.quantities.affixes import Lead, read_lead, read_unit, sign_word_before
from benchctl.quantities.comparators import comparator_before
from benchctl.quantities.figures import FRACTION_GLYPHS, Figure, plain_figure, read_duration, read_figure
from benchctl.quantities.fold import (
    ODD_NUMERAL,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    WALL,
)
from benchctl.quantities.labels import Line, is_level, label_of, statistic_end
from benchctl.quantities.names import name_start, read_form, read_name, read_suffixed, read_url
from benchctl.quantities.references import counts_follow
from benchctl.quantities.tokens import UNREADABLE, Token
from benchctl.quantities.words import WORD_PATTERN, WordNumber, read_words

__all__ = ["Scanner"]

_RAISED = SUPERSCRIPTS + SUBSCRIPTS
_ANCHOR = re.compile(
    rf"[0-9{''.join(FRACTION_GLYPHS)}{_RAISED}{ODD_NUMERAL}]"
    rf"|(?<![A-Za-z0-9_])(?:{WORD_PATTERN}|(?:https?|ftp|git|ssh|file)://)|</?[A-Za-z]|\]\(|\[\^"
)
_ATTRIBUTE = r"""\s++[A-Za-z_:@][\w.:-]*+(?:\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s"'=<>`]++))?+"""
_TAG = re.compile(rf"</?[A-Za-z][\w-]{{0,40}}(?:{_ATTRIBUTE})*+\s*+/?>")
_DESTINATION = re.compile(r"[^\s)]{1,1000}+(?=\)|\s+[\"'(])")
_FOOTNOTE = re.compile(r"[\w.-]{1,80}\]")
_GLYPH_RUN = re.compile(rf"[{_RAISED}]++")
_KEYCAP = re.compile("\ufe0f?\u20e3")
_PLUS = re.compile(r"\+(?=[\s)*_|.,;]|\Z)")
_MATH_END = re.compile(r"\s?(?:\\%|%)?\s?\$")
_ALONE = ("", " ", "\n", "(", "|", "*", "~", WALL)
_LONGEST_NOTE = 2
_INDENT = 40
_ARTICLE = re.compile(r" an?(?= )")


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
            if glyph.isascii() and glyph.isdigit():
                self._digit(at)
            elif glyph.isalpha():
                self._letter(at)
            elif glyph in "<][":
                self._markup(at, anchor.end())
            else:
                self._glyph(at)
        return self.found

    # What opens a token, by its first character.

    def _letter(self, at: int) -> None:
        url_end = read_url(self.flat, at, len(self.flat))
        if url_end > at:
            self._skip_to(at, url_end, "url")
            return
        number = read_words(self.flat, at, len(self.flat), self.position)
        if number is None or (self.flat[at - 1 : at] == "-" and at > 1 and self.flat[at - 2].isalpha()):
            self.position = self._word_end(at)
            return
        self._word(number)

    def _word_end(self, at: int) -> int:
        while at < len(self.flat) and self.flat[at].isalpha():
            at += 1
        return at

    def _markup(self, at: int, opened: int) -> None:
        if self.flat[at] == "<":
            match = _TAG.match(self.flat, at)
            # Only what HTML takes for a tag is hidden from a reader: `<b 5 c>` is text, and its number counts.
            self.tag_end = match.end() if match else self.tag_end
            self._skip_to(at, match.end() if match else at + 1, "code")
        elif self.flat.startswith("[^", at):
            note = _FOOTNOTE.match(self.flat, opened)
            self._skip_to(at, note.end() if note else opened, "footnote")
        else:
            destination = _DESTINATION.match(self.flat, opened)
            self._skip_to(opened, destination.end() if destination else opened, "url")

    def _skip_to(self, start: int, end: int, kind: str) -> None:
        """Go on at `end`; what was passed is a token only where it holds a digit."""
        start = max(start, self.position)
        if _holds_digit(self.flat, start, end):
            self._emit(start, end, kind)
        self.position = end

    def _glyph(self, at: int) -> None:
        glyph = self.flat[at]
        if glyph in FRACTION_GLYPHS:
            self._number(at)
        elif glyph in _RAISED:
            self._raised(at)
        else:
            self._emit(at, at + 1, UNREADABLE)

    def _raised(self, at: int) -> None:
        run = _GLYPH_RUN.match(self.flat, at)
        stop = run.end() if run else at + 1
        start = name_start(self.flat, at, self.position)
        span = read_name(self.flat, start, at, len(self.flat)) if start < at else None
        if span and span[0] >= self.position:
            self._emit(*span)
        else:
            self._emit(at, stop, "footnote" if stop - at <= _LONGEST_NOTE else UNREADABLE)

    def _digit(self, at: int) -> None:
        end = len(self.flat)
        start = name_start(self.flat, at, self.position)
        span = self._entity(at) or self._freedom(at)
        if span is None and start < at and not self._is_factor(start, at):
            span = read_name(self.flat, start, at, end)
        if (
            span
            and span[2] == "issue"
            and self.flat[span[0]] == "#"
            and counts_follow(self.flat, span[1], end)
        ):
            span = None  # "#48 cells" counts
        span = span or self._keycap(at) or read_form(self.flat, at, end)
        if span:
            self._emit(*span)
        else:
            self._number(at)

    def _entity(self, at: int) -> tuple[int, int, str] | None:
        if self.flat[at - 2 : at] != "&#":
            return None
        stop = self.flat.find(";", at, at + 8)
        return (at, stop, "code") if stop > 0 and self.flat[at:stop].isdigit() else None

    def _keycap(self, at: int) -> tuple[int, int, str] | None:
        keycap = _KEYCAP.match(self.flat, at + 1)
        if keycap is None:
            return None
        # A keycap at the head of its line counts the lines; one in a text is a digit, drawn.
        heads = not self.flat[self.line.start : at].strip(" *>-") and at - self.line.start < _INDENT
        more = self.flat[keycap.end() : keycap.end() + 1].isdigit()
        return (at, keycap.end(), "list" if heads and not more else UNREADABLE)

    def _freedom(self, at: int) -> tuple[int, int, str] | None:
        stop = statistic_end(self.flat, at, len(self.flat))
        return (at, stop, "param") if stop > at else None

    def _is_factor(self, start: int, at: int) -> bool:
        """Say whether the digits at `at` are a factor of a glued product like 16x4x3."""
        follows = bool(self.found) and self.found[-1].end == start and self.found[-1].kind == "number"
        return follows and self.flat[start:at] == "x"

    # Numbers.

    def _number(self, at: int) -> None:
        end = len(self.flat)
        if (
            self.flat[at - 1 : at] == "."
            and at - 1 >= self.position
            and not self.flat[max(0, at - 2) : at - 1].isalnum()
            and self.flat[max(0, at - 2) : at - 1] != "."
        ):
            at -= 1
        duration = read_duration(self.flat, at, end)
        figure = duration or read_figure(self.flat, at, end)
        if figure.value is None:
            self._emit(at, figure.end, UNREADABLE)
            return
        if figure.is_list:
            figure = self._list_head(at, figure)
            at = self.flat.rindex(",", at, figure.end) + 1
        unit_end, unit = (figure.end, "s") if duration else read_unit(self.flat, figure.end, end)
        plus = _PLUS.match(self.flat, unit_end)
        if plus and not duration:
            unit_end, unit = (plus.end(), unit) if unit else read_unit(self.flat, plus.end(), end)
        self._classify(at, figure, unit_end, unit, open_ended=plus is not None and not duration)

    def _list_head(self, at: int, figure: Figure) -> Figure:
        """Emit all atoms of `1,2,3` but the last, which takes what follows."""
        parts = self.flat[at : figure.end].split(",")
        for part in parts[:-1]:
            atom = plain_figure(at + len(part), part)
            self._emit(at, atom.end, "number", atom.value, atom.place)
            at += len(part) + 1
        return plain_figure(figure.end, parts[-1])

    def _classify(self, at: int, figure: Figure, unit_end: int, unit: str, *, open_ended: bool) -> None:
        flat = self.flat
        suffixed = read_suffixed(flat, at, unit_end, len(flat)) if not open_ended else None
        if suffixed:
            self._emit(*suffixed)
            return
        lead = read_lead(flat, at, self.position)
        if not unit and not lead.currency and not figure.scale:
            kind = label_of(flat, at, figure.end, len(flat), self.line)
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
        cmp = ">=" if open_ended else comparator_before(flat, start, self._last_end(), self.tag_end)
        first = at - 1 if lead.explicit and flat[at - 1 : at] in ("-", "+", "\u2013") else at
        kind = "param" if unit == "%" and is_level(flat, stop, len(flat)) else "number"
        self._emit(start, stop, kind, value, figure.place, unit=unit, cmp=cmp, digits=(first, figure.end))

    def _last_end(self) -> int:
        """Return where the literal before ends; words before the scanned part still compare."""
        return self.found[-1].end if self.found else 0

    def _leading_times(self, start: int) -> tuple[int, str]:
        """Read the sign of `\u00d72.1` as a unit, unless a factor stands before it (16 \u00d74)."""
        after_number = self.flat[self.position : start - 1].strip() == "" and self.position > 0
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
        cmp = comparator_before(self.flat, start, self._last_end(), self.tag_end)
        self._emit(
            start,
            unit_end,
            number.kind,
            -number.value if sign else number.value,
            number.place,
            unit=unit,
            cmp=cmp,
            word=True,
            digits=(number.start, number.end),
        )

    def _emit(
        self, start: int, end: int, kind: str, value: Decimal | None = None, place: Decimal | None = None,
        *, unit: str = "", cmp: str = "=", word: bool = False, digits: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        text = self.source[start:end]
        self.found.append(
            Token(start, end, text, kind, value, place, unit, cmp, word, digits or (start, end))
        )
        self.position = end


def _holds_digit(flat: str, start: int, end: int) -> bool:
    return not _DIGITS.isdisjoint(flat[start:end])


_DIGITS = frozenset("0123456789" + "".join(FRACTION_GLYPHS) + _RAISED + ODD_NUMERAL)
