"""The parts of a page by place: paragraphs, headings, tables with rows and cells."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchctl.claims.reading.inline import Problem, Region

__all__ = ["Block", "Cell", "Heading", "Layout", "Row", "Table"]


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list or other run of lines without a blank one: code points, half open."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6; offsets are those of its line, half open."""

    level: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell without the white space around it; `start` may equal `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table."""

    start: int
    end: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A pipe table: its header, its rows, and where the whole of it lies."""

    start: int
    end: int
    header: Row
    rows: tuple[Row, ...]


@dataclass(slots=True)
class Layout:
    """Everything `scan_blocks` saw, in page order.

    `walls` are the raw offsets at which a block, list item, heading or row begins or has ended;
    `runs` the stretches in which inline markup may pair.
    """

    regions: list[Region] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    walls: list[int] = field(default_factory=list)
    runs: list[tuple[int, int]] = field(default_factory=list)
