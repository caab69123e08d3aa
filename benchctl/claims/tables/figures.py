"""What a table's cell prints: one figure, a pair, a figure with its spread, nothing, or text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from benchctl.claims.attaching.headers import Scale, cell_label, scaled
from benchctl.claims.numbers import Atom, Numbers
from benchctl.claims.reading.layout import Cell
from benchctl.claims.reading.page import Page
from benchctl.quantities.format import format_number
from benchctl.quantities.span import Span
from benchctl.quantities.units import normalise_unit

__all__ = ["Figure", "GridCell", "Printed", "read_cell"]

Shape = Literal["figure", "pair", "spread", "bound", "missing", "text"]

_FIGURE = "\x00"
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,20}\]|\[[a-z0-9]\]")
_MARK = re.compile(r"[\u2020\u2021\u00a7\u00b6\u00b9\u00b2\u00b3\u2070-\u2079\u1d43-\u1d5b]|\[\^|\\\*")
_NOISE = re.compile(
    "[\\s*_`\u2020\u2021\u00a7\u00b6\u00b9\u00b2\u00b3\u2070\u2074-\u2079\u1d43-\u1d5b\u2190-\u2193\u25b2\u25bc\u2605\u2606\u2713\u2714"
    "\u2705\u274c\u2717\u2b50\u2b06\u2b07\ufe0f\U0001f300-\U0001faff\u2029\u200b\\\\]"
)
_REFERENCE = re.compile(r"\((?:baseline|base|ref|reference|best)\.?\)$")
_MISSING = frozenset(
    {"", "-", "\u2013", "\u2014", "\u2212", "n/a", "na", "?", "\u2026", "...", "nan", "null"}
)
_BOLD = re.compile(r"(?:\*\*|__|<b>|<strong>)(?=\S)")
_SHAPES: tuple[tuple[re.Pattern[str], Shape], ...] = (
    (re.compile(_FIGURE), "figure"),
    (re.compile(rf"{_FIGURE}(?:of|/|outof){_FIGURE}(?:\({_FIGURE}\))?"), "pair"),
    (re.compile(rf"{_FIGURE}(?:\u00b1|\+/-|&plusmn;){_FIGURE}"), "spread"),
    (re.compile(rf"{_FIGURE}[\[(]{_FIGURE}(?:[,;\u2010-\u2014\u2026-]|to|\.\.){_FIGURE}[\])]"), "spread"),
    (re.compile(rf"{_FIGURE}\({_FIGURE}\)"), "spread"),
)
_MARKUP = re.compile(r"[<\[&\\*_`~]")
_PLAIN = re.compile(r"[\w\s.,:;%$\u20ac\u00d7()/+\u2010-\u2014\u2212-]*", re.ASCII)
"""A cell without any markup, mark or footnote."""
_RANKS = frozenset({"rank", "list", "ordinal"})
_WIDEST = Decimal("1e24")
_FINEST = Decimal("1e-24")


@lru_cache(maxsize=1 << 14)
def _span(value: Decimal, place: Decimal) -> Span:
    return Span.printed(value, place)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of a cell, in the unit of its header where it has none of its own.

    `measured` says that `value` is what the run has instead of what the page prints, exact then (`place` 0).
    """

    atom: Atom
    value: Decimal
    place: Decimal
    unit: str
    measured: bool = False

    @property
    def shown(self) -> str:
        """Return it as a message prints it: as the page does, or as the run has it."""
        return format_number(self.value, unit=self.unit) if self.measured else self.atom.literal

    @property
    def span(self) -> Span:
        """Return where the value behind it lies."""
        return _span(self.value, self.place)

    @property
    def counted(self) -> Span:
        """Return the same of a count: a bare integer is that number alone."""
        return Span.exact(self.value) if self.whole else self.span

    @property
    def whole(self) -> bool:
        """Whether it may be a count: a bare integer."""
        return self.place == 1 and not self.unit


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell: `label` is what a reader sees of it, `figures` its numbers.

    `shape` says how they hang together: of a "spread" the first is the figure itself, a "bound" is no
    exact figure (`<1`, `~5`). `marked` says that a dagger or a footnote qualifies it.
    """

    start: int
    end: int
    label: str
    figures: tuple[Figure, ...]
    shape: Shape
    bold: bool
    marked: bool

    @property
    def figure(self) -> Figure | None:
        """Return the only number of the cell; None for a pair, a spread, a bound, text or nothing."""
        return self.figures[0] if self.shape == "figure" else None

    @property
    def leading(self) -> Figure | None:
        """Return the number that the cell is about, a spread's too."""
        return self.figures[0] if self.shape in ("figure", "spread") else None


class Printed:
    """A page's numbers by place, for many cells in turn."""

    def __init__(self, numbers: Numbers) -> None:
        self.page = numbers.page
        self._atoms, self._others = numbers.atoms, numbers.others
        self._starts = [atom.start for atom in numbers.atoms]
        self._other_starts = [atom.start for atom in numbers.others]

    def between(self, start: int, end: int) -> list[Atom]:
        """Return the claims in a raw stretch."""
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return [atom for atom in self._atoms[first:last] if atom.end <= end]

    def rank(self, start: int, end: int) -> list[Atom]:
        """Return the rank that a raw stretch begins with: no claim, and a number all the same."""
        first = bisect_left(self._other_starts, start)
        return [
            atom
            for atom in self._others[first : first + 1]
            if atom.end <= end and atom.token.value is not None and atom.token.kind in _RANKS
        ]

    def label(self, cell: Cell) -> str:
        """Return what a reader sees of a cell."""
        raw = self.page.text[cell.start : cell.end]
        return cell_label(self.page, cell) if _MARKUP.search(raw) else raw.strip()


def read_cell(printed: Printed, cell: Cell, scale: Scale | None) -> GridCell:
    """Return what a cell prints. Ranks and the like are numbers here as well."""
    raw = printed.page.text[cell.start : cell.end]
    plain = "_" not in raw and _PLAIN.fullmatch(raw) is not None
    label = raw.strip() if plain else printed.label(cell)
    atoms = printed.between(cell.start, cell.end) or printed.rank(cell.start, cell.end)
    named = scaled(atoms, scale, [None] * len(atoms)) if scale and atoms else atoms
    figures = tuple(
        Figure(atom, token.value, token.place, normalise_unit(token.unit) if token.unit else "")
        for atom in named
        if (token := atom.token).value is not None and token.place is not None
    )
    return GridCell(
        start=cell.start,
        end=cell.end,
        label=label,
        figures=figures,
        shape=_shape(printed.page, cell, label, atoms, figures),
        bold=not plain and _BOLD.match(raw) is not None,
        marked=not plain and _is_marked(raw, label),
    )


def _is_marked(raw: str, label: str) -> bool:
    return _MARK.search(raw) is not None or label.endswith("*") or raw.count("*") % 2 == 1


def _shape(page: Page, cell: Cell, label: str, atoms: Sequence[Atom], figures: Sequence[Figure]) -> Shape:
    if not atoms:
        return "missing" if label.casefold() in _MISSING else "text"
    if len(figures) != len(atoms) or any(_too_far(figure) for figure in figures):
        return "text"
    if any(atom.token.cmp != "=" for atom in atoms):
        return "bound"
    if len(atoms) == 1 and atoms[0].literal == label:
        return "figure"
    visible = page.visible
    pieces, position = [], page.seen(cell.start)
    for atom in atoms:
        pieces += [visible[position : atom.token.start], _FIGURE]
        position = atom.token.end
    pieces.append(visible[position : page.seen(cell.end)])
    left = _REFERENCE.sub("", _NOISE.sub("", _FOOTNOTE.sub("", "".join(pieces))).casefold())
    return next((shape for pattern, shape in _SHAPES if pattern.fullmatch(left)), "text")


def _too_far(figure: Figure) -> bool:
    """Whether a number is beyond what any table of results prints: nothing is computed from it."""
    return abs(figure.value) >= _WIDEST or not _FINEST <= figure.place <= _WIDEST
