"""Percent columns against the counts of their own row, and shares that must come to a whole.

`answered 44 of 48` beside `92 %`, or `answered`, `n` and `answered %` in three columns. A rate may be another
rate than the one of the counts beside it (a mean over questions): then it fits no row, and nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from benchctl.claims.judging.denominator import NEXT_STEP, denominator_of
from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.adding import kind_of
from benchctl.claims.tables.figures import Figure
from benchctl.claims.tables.grid import Column, Grid, GridRow, written_grids
from benchctl.claims.tables.shown import stretch
from benchctl.claims.tables.topics import SHARES, WHOLES, is_share, words_of
from benchctl.claims.tables.trust import Trust, trust_of
from benchctl.quantities.averages import percent, total
from benchctl.quantities.majority import Odd, Trial, odd_ones
from benchctl.quantities.span import Span

__all__ = ["check"]

_OF_SHARE = SHARES | {"of", "the", "in"}
_WHOLES = WHOLES | {"all", "case", "item"}
_REST = frozenset({"other", "rest", "remaining", "remainder", "unknown", "none", "else"})
_OF_ALL = ("of total", "of all", "of the total", "of whole")
_WHOLE = Span.exact(100)
_NEAR = 10
_MOST = 8


@dataclass(frozen=True)
class _Reading:
    """Which two counts of a row a percentage is of: two columns, or the two numbers of one cell.

    `of_all` is what the column adds up to, where the percentage is of that. `complement` says that it is of the
    rest, `certain` that the headers leave no doubt.
    """

    part: Column
    whole: Column
    complement: bool = False
    certain: bool = False
    of_all: Figure | None = None

    def counts(self, row: GridRow) -> tuple[Figure, Figure] | None:
        if self.of_all:
            some = row.figure(self.part.index)
            return (some, self.of_all) if some else None
        if self.part is self.whole:
            cell = row.cell(self.part.index)
            return (cell.figures[0], cell.figures[1]) if cell and cell.shape == "pair" else None
        part, whole = row.figure(self.part.index), row.figure(self.whole.index)
        return (part, whole) if part and whole else None


def check(sheet: Sheet) -> None:
    """Find percentages that their row's counts deny, and shares of a whole that come to more or less."""
    trust = trust_of(sheet)
    for grid in written_grids(sheet):
        if (
            not any(map(is_share, grid.headers))
            and "%" not in sheet.page.text[grid.table.start : grid.table.end]
        ):
            continue  # Nothing of it needs to be read.
        for column in grid.columns:
            if is_share(column.header) or _are_percents(grid, column):
                _against_counts(sheet, grid, column, trust)
                _against_whole(sheet, grid, column, trust)


def _are_percents(grid: Grid, column: Column) -> bool:
    """Whether a column whose header says nothing of shares prints percentages all the same."""
    figures = [figure for figure in grid.figures(column) if figure]
    return bool(figures) and all(figure.unit == "%" and figure.value >= 0 for figure in figures)


def _against_counts(sheet: Sheet, grid: Grid, share: Column, trust: Trust) -> None:
    rows = [row for row in grid.rows if not row.is_title and row.summary != "statistic"]
    readings = {
        reading: [_trial(row, reading, share, trust) for row in rows] for reading in _readings(grid, share)
    }
    odd = odd_ones(readings) or _surely(readings)
    wrong = dict.fromkeys(odd.rows, odd.reading) if odd else {}
    if not any(_all_fit(trials) for trials in readings.values()):
        for reading, trials in readings.items():
            misfits = (index for index, trial in enumerate(trials) if trial and not trial.fits)
            others = (index for index in misfits if _lacks_void(sheet, rows[index], reading, share))
            wrong = dict.fromkeys(others, reading) | wrong
    for index, reading in sorted(wrong.items(), key=lambda item: item[0]):
        _say(sheet, rows[index], reading, share, trust)


def _say(sheet: Sheet, row: GridRow, reading: _Reading, share: Column, trust: Trust) -> None:
    """Find a percentage that is not that of its counts; where the data confirms all three, only if they say so."""
    counts, printed = reading.counts(row), row.figure(share.index)
    expected = _expected(counts, reading, printed) if counts and printed else None
    if counts is None or printed is None or expected is None:
        return
    part, whole = counts
    less = "100 % less " if reading.complement else ""
    what = f"{stretch(expected, printed.place)}{printed.unit and ' ' + printed.unit}"
    message, step = f"{less}{part.shown} of {whole.shown} is {what}", None
    if trust.confirmed((printed, *counts)):
        of_what = denominator_of(sheet, printed.atom, part.atom, whole.atom)
        if of_what is None or not (reading.certain or of_what.is_void):
            return
        step, message = NEXT_STEP, f"{message}; {of_what.said(printed.atom.literal)}"
    else:
        message += f", not {printed.atom.literal}"
    sheet.record.find("share-differs", printed.atom.start, printed.atom.end, message, next_step=step)


def _lacks_void(sheet: Sheet, row: GridRow, reading: _Reading, share: Column) -> bool:
    """Whether the data says that a percentage is of its count and of the cells that are not void, which no cell names."""
    counts, printed = reading.counts(row), row.figure(share.index)
    if counts is None or printed is None or reading.complement:
        return False
    of_what = denominator_of(sheet, printed.atom, *(figure.atom for figure in counts))
    if of_what is None or not of_what.is_void:
        return False
    return all(figure.value != of_what.count for cell in row.cells for figure in cell.figures)


def _readings(grid: Grid, share: Column) -> Iterator[_Reading]:
    """Yield what a percentage may be of; where a column has its name, that column alone."""
    own = set(share.words) - _OF_SHARE
    near = [column for column in grid.columns if column is not share and not is_share(column.header)]
    near = sorted(near, key=lambda column: abs(column.index - share.index))[:_MOST]
    pairs = [column for column in near if _is_pair(grid, column)]
    counts = [column for column in near if kind_of(column) in ("count", "amount") and _is_count(grid, column)]
    wholes = [column for column in counts if _WHOLES.intersection(column.words)]
    named = [column for column in (*pairs, *counts) if own and own & set(column.words)]
    for column in pairs:
        beside = abs(column.index - share.index) == 1 and not own - set(column.words)
        if not named or column in named:
            yield _Reading(column, column, certain=beside)
            yield _Reading(column, column, complement=True)
    for column in counts:
        if added := _added(grid, column):
            yield _Reading(column, column, of_all=added)
    for part in counts:
        for whole in wholes:
            if part is not whole and (not named or part in named):
                yield _Reading(part, whole, certain=part in named and not own - set(part.words))
                yield _Reading(part, whole, complement=True)


def _added(grid: Grid, column: Column) -> Figure | None:
    """Return the total that a table prints of a column, where its rows come to that: then no row is left out."""
    figures = [figure for row in grid.parts if (figure := row.figure(column.index))]
    totals = [figure for row in grid.rows if row.summary == "total" and (figure := row.figure(column.index))]
    if len(figures) < len(grid.parts) or len(totals) != 1 or any(figure.value < 0 for figure in figures):
        return None
    return totals[0] if sum(figure.value for figure in figures) == totals[0].value else None


def _is_pair(grid: Grid, column: Column) -> bool:
    cells = [cell for row in grid.items if (cell := row.cell(column.index))]
    return any(cell.shape == "pair" for cell in cells)


def _is_count(grid: Grid, column: Column) -> bool:
    figures = grid.figures(column)
    return any(figures) and all(figure is None or figure.whole for figure in figures)


def _trial(row: GridRow, reading: _Reading, share: Column, trust: Trust) -> Trial | None:
    counts, printed = reading.counts(row), row.figure(share.index)
    if counts is None or printed is None or not trust.usable((printed, *counts)):
        return None
    part, whole = counts
    if not 0 <= part.value <= whole.value or not whole.value or not (part.whole and whole.whole):
        return None
    expected = _expected(counts, reading, printed)
    if expected is None:
        return None
    full = part.value in (0, whole.value)
    step = max(float(printed.place) * (1 if printed.unit == "%" else 100), 100 / float(whole.value))
    return Trial(printed.span.touches(expected), 0.5 if full else min(1.0, step / 40))


def _expected(counts: tuple[Figure, Figure], reading: _Reading, printed: Figure) -> Span | None:
    part, whole = counts
    share = percent(part.counted, whole.counted)
    if share is None:
        return None
    if reading.complement:
        share = _WHOLE - share
    of_one = printed.unit != "%" and printed.place < 1 and abs(printed.value) <= 1
    return share.times(Fraction(1, 100)) if of_one else share


def _surely(readings: dict[_Reading, list[Trial | None]]) -> Odd[_Reading] | None:
    """Return what the names of the columns leave no doubt of, where too few rows are there to agree on it."""
    sure = {reading: trials for reading, trials in readings.items() if reading.certain}
    if len(sure) != 1:
        return None
    [(reading, trials)] = sure.items()
    tried = [index for index, trial in enumerate(trials) if trial]
    wrong = tuple(index for index in tried if not _fits(trials[index]))
    another = any(_all_fit(other) for other in readings.values())
    if not wrong or another or (len(wrong) * 2 > len(tried) > 1):
        return None
    return Odd(reading, wrong)


def _fits(trial: Trial | None) -> bool:
    return trial is not None and trial.fits


def _all_fit(trials: Sequence[Trial | None]) -> bool:
    return any(trials) and all(trial is None or trial.fits for trial in trials)


def _against_whole(sheet: Sheet, grid: Grid, share: Column, trust: Trust) -> None:
    """Find the shares of a whole that miss it by more than rounding can; only where the whole is meant for sure."""
    figures = [row.figure(share.index) for row in grid.items]
    known = [figure for figure in figures if figure]
    header = share.header.casefold()
    rest = any(_REST.intersection(words_of(row.label)) for row in grid.items)
    whole = any(words in header for words in _OF_ALL) or (rest and "share" in share.words)
    summed = any(row.summary for row in grid.rows)
    if not whole or summed or len(known) < max(3, len(figures)) or not trust.usable(known):
        return
    if any(figure.unit != "%" or figure.value < 0 for figure in known) or trust.confirmed(known):
        return
    added = total([figure.span for figure in known])
    if not added.touches(_WHOLE) and abs(added.middle - 100) <= _NEAR:
        last = known[-1]
        message = f"the shares of `{share.header}` add up to {stretch(added, last.place)} %"
        sheet.record.find("share-differs", known[0].atom.start, known[0].atom.end, message)
