"""Which entry of a column is the odd one out: what fits all entries but one says that this one is wrong.

A column of ratios does not say which other column it was computed from. Every reading that could be meant is
tried on every row. Where one fits all of them nothing is wrong; where none fits most of them nothing is
known; only a reading that fits nearly all, and would hardly do so by accident, makes an outlier wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Generic, TypeVar

__all__ = ["Odd", "Trial", "odd_ones"]

Reading = TypeVar("Reading")

_LEAST_CHANCE = 1e-9
_MOST_WRONG = 8
"""A column with more wrong rows is another column than the one that it is taken for."""


@dataclass(frozen=True, slots=True)
class Trial:
    """How one reading does on one row.

    `chance` is how likely it would fit if something like it were meant (a median of ratios for a ratio of medians):
    near 0 for a number of many digits, 1 for a row that any reading fits.
    """

    fits: bool
    chance: float


@dataclass(frozen=True, slots=True)
class Odd(Generic[Reading]):
    """The reading that was meant, and the rows that it does not fit."""

    reading: Reading
    rows: tuple[int, ...]


def odd_ones(
    readings: Mapping[Reading, Iterable[Trial | None]], *, limit: float = 0.1
) -> Odd[Reading] | None:
    """Return the odd rows, or None where a reading fits every row or no reading is surely meant.

    `readings` gives for each its trial of every row, None where the row cannot be tried; it is read no further
    than a reading may still be meant. One that can be tried on less than half of the rows of another says nothing.
    `limit` bounds how likely the fits of the best reading are an accident.
    """
    alive = {
        reading: kept for reading, trials in readings.items() if (kept := _while_alive(trials)) is not None
    }
    most = max((_tried(trials) for trials in alive.values()), default=0)
    scored = {reading: trials for reading, trials in alive.items() if _tried(trials) * 2 >= most > 0}
    if not scored or any(not _misfits(trials) for trials in scored.values()):
        return None
    best = min(scored, key=lambda reading: (len(_misfits(scored[reading])), _accident(scored[reading])))
    wrong, tried = _misfits(scored[best]), _tried(scored[best])
    rivals = [_misfits(trials) for trials in scored.values() if len(_misfits(trials)) == len(wrong)]
    agreed = tuple(row for row in wrong if all(row in rows for rows in rivals))
    few = len(wrong) <= max(1, tried // 4) and tried - len(wrong) >= len(wrong)
    if not agreed or not few or _accident(scored[best]) * len(readings) > limit:
        return None
    return Odd(best, agreed)


def _while_alive(trials: Iterable[Trial | None]) -> list[Trial | None] | None:
    """Return the trials of a reading; None as soon as more rows are against it than any verdict would allow."""
    kept: list[Trial | None] = []
    wrong = 0
    for trial in trials:
        kept.append(trial)
        wrong += trial is not None and not trial.fits
        if wrong > _MOST_WRONG:
            return None
    return kept


def _tried(trials: Sequence[Trial | None]) -> int:
    return sum(trial is not None for trial in trials)


def _misfits(trials: Sequence[Trial | None]) -> tuple[int, ...]:
    return tuple(row for row, trial in enumerate(trials) if trial and not trial.fits)


def _accident(trials: Sequence[Trial | None]) -> float:
    return prod(max(trial.chance, _LEAST_CHANCE) for trial in trials if trial and trial.fits)
