"""What a column of ratios or changes may have been computed from: two columns of a row, or a row and its baseline."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from benchctl.claims.tables.adding import kind_of
from benchctl.claims.tables.figures import Figure, GridCell
from benchctl.claims.tables.grid import Column, Grid
from benchctl.claims.tables.topics import is_share, words_of
from benchctl.claims.tables.trust import Trust
from benchctl.quantities.averages import change_pct, percent
from benchctl.quantities.majority import Trial
from benchctl.quantities.span import Span

__all__ = ["Reading", "is_relative", "readings_of", "trials"]

Kind = Literal["ratio", "difference", "change", "reduction", "share"]

_RELATIVE = frozenset(
    {"ratio", "speedup", "relative", "rel", "vs", "versus", "normalized", "normalised", "change", "delta", "diff", "difference",
     "slowdown", "overhead", "saving", "saved", "reduction", "improvement", "increase", "decrease", "gain", "faster", "slower",
     "compared", "baseline", "multiple", "factor", "fewer"}
)  # fmt: skip
_OTHERWISE = frozenset(
    {"paired", "geomean", "geometric", "previous", "prev", "last", "interval", "ci", "p", "per", "lo", "hi"}
)
"""Words of columns that are computed from what the table does not show."""
_CHANGES = frozenset({"change", "delta", "reduction", "improvement", "increase", "decrease", "gain"})
_SPEED = re.compile(r"speed[ -]?up", re.IGNORECASE)
_BASE = re.compile(r"\b(?:baseline|base|reference|ref)\b", re.IGNORECASE)
_NEAREST = 6
_MOST_BASES = 3
_ONE, _HUNDRED = Decimal(1), Decimal(100)


@dataclass(frozen=True)
class Reading:
    """How each row's ratio may come about: `column` over `other` of its own row, or over its own in a baseline row.

    `bases` has, for each row, the index of its baseline. `turned` swaps the two.
    """

    kind: Kind
    column: Column
    other: Column | None = None
    bases: tuple[int | None, ...] = ()
    turned: bool = False
    """Whether the baseline (or the other column) is the first operand."""

    def operands(self, grid: Grid, index: int) -> tuple[Figure, Figure] | None:
        """Return the two figures of a row; None where one is not there, or the row is its own baseline."""
        own = grid.items[index].figure(self.column.index)
        if self.other:
            base = grid.items[index].figure(self.other.index)
        else:
            at = self.bases[index]
            base = None if at is None or at == index else grid.items[at].figure(self.column.index)
        if own is None or base is None or own.unit != base.unit:
            return None
        return (base, own) if self.turned else (own, base)

    def expected(self, a: Figure, b: Figure) -> Span | None:
        """Return what the ratio of two figures must be; None where there is none."""
        return _COMPUTED[self.kind](a.span, b.span)

    def worded(self, a: Figure, b: Figure) -> str:
        """Return the computation of one row as a message prints it."""
        left, right = a.atom.literal, b.atom.literal
        return {
            "ratio": f"{left} / {right}",
            "difference": f"{left} − {right}",
            "change": f"the change from {right} to {left} in percent",
            "reduction": f"the reduction from {right} to {left} in percent",
            "share": f"{left} in percent of {right}",
        }[self.kind]

    def named(self) -> str:
        """Return the computation by its columns."""
        own = f"`{self.column.header}`"
        base = f"`{self.other.header}`" if self.other else f"{own} of the baseline"
        left, right = (base, own) if self.turned else (own, base)
        return {
            "ratio": f"{left} / {right}",
            "difference": f"{left} − {right}",
            "change": f"the change from {right} to {left}",
            "reduction": f"the reduction from {right} to {left}",
            "share": f"{left} in percent of {right}",
        }[self.kind]


_COMPUTED: dict[Kind, Callable[[Span, Span], Span | None]] = {
    "ratio": lambda a, b: a.over(b),
    "difference": lambda a, b: a - b,
    "change": lambda a, b: change_pct(b, a),
    "reduction": lambda a, b: _negated(change_pct(b, a)),
    "share": percent,
}


def _negated(span: Span | None) -> Span | None:
    return None if span is None else span.times(-1)


def is_relative(grid: Grid, column: Column) -> bool:
    """Say whether a column holds ratios or changes, by its header or by the × of its cells."""
    words = set(column.words)
    if words & _OTHERWISE:
        return False
    if (
        words & _RELATIVE
        or "\u0394" in column.header
        or "\u00d7" in column.header
        or _SPEED.search(column.header)
    ):
        return True
    figures = [figure for figure in grid.figures(column) if figure]
    return column.header.strip().casefold() == "x" or (
        bool(figures) and sum(figure.unit == "x" for figure in figures) * 2 > len(figures)
    )


def readings_of(grid: Grid, column: Column) -> Iterator[Reading]:
    """Yield what a column may have been computed from, as its header and its units leave open."""
    values = _values(grid, column)
    kinds = _kinds(grid, column, values)
    bases = list(_bases(grid, column))
    for kind in kinds:
        for value in values:
            for turned in (False, True):
                yield from (Reading(kind, value, bases=rows, turned=turned) for rows in bases)
                yield from (
                    Reading(kind, value, other=other, turned=turned)
                    for other in values
                    if other.index > value.index
                )


def _values(grid: Grid, column: Column) -> list[Column]:
    """Return the columns of figures nearest to a ratio's; those that share a word with it, where any does."""
    found = [
        other
        for other in grid.measures
        if other is not column and not is_relative(grid, other) and kind_of(other) != "neither"
    ]
    named = [other for other in found if _own_words(column) & set(other.words)]
    chosen = named or found
    return sorted(sorted(chosen, key=lambda other: abs(other.index - column.index))[:_NEAREST], key=_index)


def _index(column: Column) -> int:
    return column.index


def _own_words(column: Column) -> set[str]:
    return {word for word in column.words if word not in _RELATIVE and len(word) > 2}


def _kinds(grid: Grid, column: Column, values: Sequence[Column]) -> tuple[Kind, ...]:
    """Return how a column may be computed, as the unit of its figures leaves open."""
    figures = [figure for figure in grid.figures(column) if figure]
    units, words = {figure.unit for figure in figures}, set(column.words)
    if units == {"x"}:
        return ("ratio",)
    if units != {"%"}:
        return ("ratio", "difference")
    kinds: list[Kind] = ["change"]
    if all(figure.value >= 0 for figure in figures):
        kinds.append("reduction")
    if is_share(column.header) and not words & _CHANGES:
        kinds.append("share")
    shares = any(figure and figure.unit == "%" for value in values for figure in grid.figures(value))
    return (*kinds, "difference") if shares else tuple(kinds)


def _bases(grid: Grid, column: Column) -> Iterator[tuple[int | None, ...]]:
    """Yield for each row its baseline: one row for all, or the last neutral one above it."""
    rows = grid.items
    header = set(words_of(column.header))
    neutral = [index for index, row in enumerate(rows) if _is_neutral(row.cell(column.index))]
    named = [
        index
        for index, row in enumerate(rows)
        if (set(words_of(row.label)) and set(words_of(row.label)) <= header) or _BASE.search(row.label)
    ]
    candidates = list(dict.fromkeys([*named, *neutral]))[:_MOST_BASES]
    for base in candidates:
        yield tuple(base for _ in rows)
    if len(neutral) > 1:
        yield tuple(max((at for at in neutral if at <= index), default=None) for index in range(len(rows)))


def _is_neutral(cell: GridCell | None) -> bool:
    """Whether a cell says that its row is what others are held against: 1.00×, 100 %, 0 %, a dash, "baseline"."""
    if cell is None or cell.shape == "missing" or (cell.shape == "text" and _BASE.search(cell.label)):
        return True
    figure = cell.leading
    if figure is None:
        return False
    if figure.unit == "%":
        return figure.value in (0, _HUNDRED)
    return figure.value in (0, _ONE)


def trials(grid: Grid, column: Column, reading: Reading, trust: Trust) -> Iterator[Trial | None]:
    """Yield how a reading does on each row; None where it cannot be tried."""
    for index, row in enumerate(grid.items):
        printed, operands = row.figure(column.index), reading.operands(grid, index)
        if printed is None or operands is None or not trust.usable((printed, *operands)):
            yield None
        else:
            yield _trial(printed, reading, *operands)


def _trial(printed: Figure, reading: Reading, a: Figure, b: Figure) -> Trial | None:
    near = _NEARLY[reading.kind](float(a.value), float(b.value)) if b.value else None
    if near is not None and abs(near - float(printed.value)) > _far(printed, a, b, near):
        return Trial(
            fits=False, chance=1.0
        )  # Seen without exact arithmetic: most readings fit nearly no row.
    expected = reading.expected(a, b)
    if expected is None:
        return None
    if a.value == b.value:
        return Trial(printed.span.touches(expected), 1.0)
    scale = abs(float(expected.middle))
    if reading.kind in ("change", "reduction", "share"):
        scale = max(scale, 20.0)
    if reading.kind == "difference":
        scale = max(scale, 0.25 * float(max(abs(a.value), abs(b.value))))
    chance = (float(expected.hi - expected.lo) + float(printed.place)) / (0.5 * scale) if scale else 1.0
    return Trial(printed.span.touches(expected), min(1.0, chance))


_NEARLY: dict[Kind, Callable[[float, float], float]] = {
    "ratio": lambda a, b: a / b,
    "difference": lambda a, b: a - b,
    "change": lambda a, b: 100 * (a - b) / b,
    "reduction": lambda a, b: 100 * (b - a) / b,
    "share": lambda a, b: 100 * a / b,
}


def _far(printed: Figure, a: Figure, b: Figure, near: float) -> float:
    """Return more than rounding can make of a reading's value: beyond it nothing needs to be computed exactly."""
    loose = sum(float(figure.place) / max(abs(float(figure.value)), 1e-30) for figure in (a, b))
    spread = float(a.place + b.place) + (abs(near) + 100) * loose * 2 if loose < 1 else float("inf")
    return spread + float(printed.place) + abs(near) * 1e-6
