"""What a table prints of each thing that it names, whether things are its rows or its columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchctl.claims.tables.figures import Figure
from benchctl.claims.tables.grid import Column, Grid
from benchctl.claims.tables.topics import Better, Topic, better_of, topic_of, words_of

__all__ = ["Line", "lines_of"]


@dataclass(frozen=True, slots=True)
class Line:
    """One measured quantity of a table over the things that it names.

    `things` are (folded name, figure, whether a footnote qualifies it), a thing's group (the other keys of its row)
    told apart by `group`. `complete` says that every thing has a figure.
    """

    header: str
    words: tuple[str, ...]
    topic: Topic | None
    better: Better | None
    group: tuple[str, ...]
    things: tuple[tuple[str, Figure, bool], ...]
    complete: bool


def lines_of(grid: Grid) -> Iterator[Line]:
    """Yield the quantities of a table: its columns over its rows; for a table of metrics, its rows over its columns."""
    yield from (line for column in grid.measures for line in _column(grid, column))
    yield from _rows(grid)


def _column(grid: Grid, column: Column) -> Iterator[Line]:
    groups: dict[tuple[str, ...], list[tuple[str, Figure, bool]]] = {}
    sizes: dict[tuple[str, ...], int] = {}
    for key in range(grid.keys):
        for row in grid.parts:
            label = row.cells[key].label if key < len(row.cells) else ""
            if not label or row.cells[key].shape != "text":
                continue
            rest = tuple(
                f"{at}:{cell.label.casefold()}"
                for at, cell in enumerate(row.cells[: grid.keys])
                if at != key and cell.shape == "text"
            )
            group = (str(key), *rest)
            cell = row.cell(column.index)
            sizes[group] = sizes.get(group, 0) + 1
            if cell and cell.leading:
                marked = cell.marked or row.cells[key].marked
                groups.setdefault(group, []).append((_folded(label), cell.leading, marked))
    for group, things in groups.items():
        if len(things) > 1:
            yield Line(
                column.header,
                column.words,
                column.topic,
                column.better,
                group,
                tuple(things),
                len(things) == sizes[group],
            )


def _rows(grid: Grid) -> Iterator[Line]:
    for row in grid.parts:
        topic = topic_of(row.label)
        things = [
            (_folded(column.header), cell.leading, cell.marked)
            for column in grid.columns
            if (cell := row.cell(column.index)) and cell.leading
        ]
        if topic and len(things) > 1:
            yield Line(
                row.label,
                words_of(row.label),
                topic,
                better_of(row.label, topic),
                (),
                tuple(things),
                len(things) == len(grid.columns),
            )


def _folded(label: str) -> str:
    return " ".join(label.casefold().rstrip("\u2020\u2021*\u00a7 ").split())
