"""Which rows a table has: the combinations of its key columns that occur, in the order that the author wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.errors import ColumnUnknownError
from benchctl.quantities.format import counted
from benchctl.report.asked import reading_order, suite_of
from benchctl.report.cell_rows import cell_columns, distinct, without

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchctl.store.reader import StoredRun

__all__ = ["combinations", "left_out"]


def combinations(run: StoredRun, by: Sequence[str]) -> tuple[list[tuple[str, ...]], int]:
    """Return the combinations of key texts that occur, in the author's order and then by their text.

    The second is how many cells have no value in one of the columns, as an import's may, and so no combination.
    """
    known = {column.name for column in cell_columns(run)}
    for column in by:
        if column not in known:
            raise ColumnUnknownError(
                f"no column {column!r} to make rows of", expected=", ".join(sorted(known))
            )
    ranks = {
        column: {value: place for place, value in enumerate(order)}
        for column, order in reading_order(suite_of(run)).items()
    }
    whole = {tuple(map(_key_text, key)) for key in distinct(run, by)}
    ordered = sorted(
        whole, key=lambda key: [_place(ranks.get(c, {}), value) for c, value in zip(by, key, strict=True)]
    )
    return ordered, without(run, by)


def left_out(cells: int, by: Sequence[str]) -> tuple[str, ...]:
    """Return the note that says how many cells are in no row; empty where all are."""
    return (f"{counted(cells, 'cell')} without {' or '.join(by)} in no row.",) if cells else ()


def _place(ranks: Mapping[str, int], value: str) -> tuple[int, int, str]:
    """Return where a key sorts: by the author's order, then numbers by size, then by text."""
    number = int(value) if value.isascii() and value.isdigit() else 0
    return (ranks.get(value, len(ranks)), number, value)


def _key_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
