"""Which values of the key columns the words around a number choose, and which they rule out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from benchctl.claims.suggesting.clues import Clue, Surroundings
from benchctl.expressions.reference import show_value

__all__ = ["Selection", "filters_text", "selections"]

_MOST_VALUES, _MOST_SELECTIONS = 4, 24


@dataclass(frozen=True, slots=True)
class Selection:
    """One choice of values for the key columns, and what speaks for it."""

    values: tuple[tuple[str, str], ...]
    score: float
    evidence: tuple[str, ...]
    against: tuple[tuple[str, str], ...] = ()
    """Each key column for which the words close by say another value, and these words."""

    def denied(self, *, but: str = "") -> str:
        """Return what the words close by say instead, of a column other than `but`; "" where they agree."""
        return next((words for column, words in self.against if column != but), "")


def filters_text(values: Sequence[tuple[str, str]], *conditions: str) -> str:
    """Return `[arm=grep, answered=true]`; "" for no filter."""
    parts = [f"{column}={show_value(value)}" for column, value in values]
    inside = ", ".join([*parts, *conditions])
    return f"[{inside}]" if inside else ""


def selections(around: Surroundings) -> list[Selection]:
    """Return the choices of key values that the words allow, the likeliest first."""
    columns: dict[str, list[tuple[tuple[str, str], Clue] | None]] = {}
    for key, clue in sorted(around.keys.items(), key=lambda item: -item[1].weight):
        columns.setdefault(key[0], [None])
        if len(columns[key[0]]) <= _MOST_VALUES:
            columns[key[0]].append((key, clue))
    found = [
        _selection(around, columns, chosen)
        for chosen in islice(product(*columns.values()), 4 * _MOST_SELECTIONS)
    ]
    return sorted(found, key=lambda item: -item.score)[:_MOST_SELECTIONS]


def _selection(
    around: Surroundings,
    columns: dict[str, list[tuple[tuple[str, str], Clue] | None]],
    chosen: Sequence[tuple[tuple[str, str], Clue] | None],
) -> Selection:
    kept = [item for item in chosen if item]
    lost = sum(
        around.omitted.get(column, 0) for column, item in zip(columns, chosen, strict=True) if item is None
    )
    return Selection(
        tuple(key for key, _ in kept),
        sum(clue.weight for _, clue in kept) - lost,
        tuple(clue.words for _, clue in kept),
        tuple(_denied(around, {key for key, _ in kept}, columns)),
    )


def _denied(
    around: Surroundings, kept: set[tuple[str, str]], columns: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Yield each column of which the words close by name a value, and the choice none of these."""
    for column in columns:
        named = around.close.keys.get(column, {})
        if named and not any((column, value) in kept for value in named):
            yield column, next(iter(named.values()))
