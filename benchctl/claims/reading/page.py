"""A markdown page: what its reader sees of it, what stands where, and the comments that bind.

`Page.visible` is the page as it reads: comments and markup taken out, so that `**2**<!--= x --> %` is
one number with its glyph, code and addresses replaced by a placeholder, and a wall where a block
begins. Each of its offsets maps back to the raw page, and from there to a line and a column in code points.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property

from benchctl.claims.reading.blocks import scan_blocks
from benchctl.claims.reading.comments import disputed
from benchctl.claims.reading.emphasis import emphasis_marks
from benchctl.claims.reading.frontmatter import FrontMatter, read_front_matter
from benchctl.claims.reading.inline import Problem, Region
from benchctl.claims.reading.layout import Block, Cell, Heading, Layout, Row, Table
from benchctl.claims.reading.shown import entities, shown
from benchctl.claims.reading.visible import Edit, Reading, read
from benchctl.quantities.fold import WALL

__all__ = ["Comment", "Page"]

_WORD = re.compile(r"\d\S*")
"""A word that holds a digit, from its first digit on."""
_TEXT = re.compile(r"\S")
_REST = re.compile(r"[ \t\r]*+(?:\n|\Z)")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_AS_TEXT = re.compile(r"`|(?<=\])\(|<(?=[A-Za-z/!])(?!/?su[bp]>)", re.IGNORECASE)
"""What is no markup here, although a scanner of single lines would take it for some."""
_SHOWN_KEYS = ("title", "description", "summary")


@dataclass(frozen=True, slots=True)
class Comment:
    """An HTML comment: its place, what stands inside, and whether it has its lines to itself."""

    start: int
    end: int
    text: str
    alone: bool


class Page:
    """A page's text and its layout; `path` is only what messages call it."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.front: FrontMatter = read_front_matter(text)
        layout: Layout = scan_blocks(text, self.front.end)
        self.headings: list[Heading] = layout.headings
        self.tables: list[Table] = layout.tables
        self.blocks: list[Block] = layout.blocks
        self.regions: list[Region] = sorted(layout.regions, key=lambda region: region.start)
        self.problems: list[Problem] = [
            *self.front.problems,
            *layout.problems,
            *self._lone_returns(),
            *disputed(text, self.regions),
        ]
        self._line_starts = [0, *(match.end() for match in re.finditer(r"\n", text))]
        self.reading: Reading = self._read(layout)

    def _lone_returns(self) -> list[Problem]:
        found = _LONE_RETURN.search(self.text)
        if not found:
            return []
        what = "a carriage return without a line feed: renderers disagree whether the line ends here"
        return [Problem(found.start(), found.end(), what, "write line ends as \\n or \\r\\n")]

    def place(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column of an offset, in code points."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """Return the comments of the page, in order."""
        return tuple(
            Comment(
                region.start, region.end, self.text[region.start + 4 : region.end - 3], self._alone(region)
            )
            for region in self.regions
            if region.kind == "comment"
        )

    def _alone(self, region: Region) -> bool:
        start = region.start
        while start > 0 and self.text[start - 1] in " \t>\ufeff":
            start -= 1
        return self.text[start - 1 : start] in ("", "\n") and _REST.match(self.text, region.end) is not None

    def _read(self, layout: Layout) -> Reading:
        """Return the page as it reads: regions by what is shown of them, emphasis gone, entities decoded."""
        edits = [self._front_edit(), *(shown(self.text, region) for region in self.regions)]
        edits += [Edit(wall, wall, (WALL,)) for wall in sorted(set(layout.walls))]
        position = self.front.end
        for region in [*self.regions, Region("front", len(self.text), len(self.text))]:
            edits += entities(self.text, position, region.start)
            position = max(position, region.end)
        starts = [region.start for region in self.regions]
        for start, end in layout.runs:
            hidden = self.regions[bisect_left(starts, start) : bisect_left(starts, end)]
            edits += [Edit(*mark) for mark in emphasis_marks(self.text, start, end, hidden)]
        reading = read(self.text, edits)
        reading.text = _AS_TEXT.sub(" ", reading.text)
        return reading

    def _front_edit(self) -> Edit:
        """Keep what a site shows of the front matter: its title, description and summary."""
        entries = [self.front.entries[key] for key in _SHOWN_KEYS if key in self.front.entries]
        parts: list[str | tuple[int, int] | Edit] = []
        for entry in sorted(entries, key=lambda entry: entry.start):
            parts += [Edit(entry.start, entry.start, (WALL,)), (entry.start, entry.end)]
        return Edit(0, self.front.end, (*parts, Edit(self.front.end, self.front.end, (WALL,))))

    @property
    def visible(self) -> str:
        """Return the page as it reads."""
        return self.reading.text

    def raw(self, visible_offset: int) -> int:
        """Return the raw offset of a visible one."""
        return self.reading.raw(visible_offset)

    def behind(self, visible_offset: int) -> int:
        """Return the raw offset behind the character before a visible one."""
        return self.reading.behind(visible_offset)

    def seen(self, raw_offset: int) -> int:
        """Return the visible offset at which a raw one stands; inside a comment, where the comment stood."""
        return self.reading.seen(raw_offset)

    @cached_property
    def skipped(self) -> dict[str, int]:
        """Return how many digit-bearing words stand in code and targets, by kind."""
        counts: dict[str, int] = {}
        for region in self.regions:
            kind = "code" if region.kind == "fence" else region.kind
            if kind in ("code", "url", "html"):
                found = len(_WORD.findall(self._unread(region)))
                if found:
                    counts[kind] = counts.get(kind, 0) + found
        return counts

    def _unread(self, region: Region) -> str:
        """Return a region's text without what is read of it."""
        pieces: list[str] = []
        position = region.start
        for start, end, _, kept in shown(self.text, region).pieces(self.text):
            if kept:
                pieces.append(self.text[position:start])
                position = end
        return " ".join([*pieces, self.text[position : region.end]])

    def heading_before(self, offset: int) -> Heading | None:
        """Return the heading under which an offset stands; None above the first."""
        index = bisect_right(self.headings, offset, key=lambda heading: heading.start)
        return self.headings[index - 1] if index else None

    def table_at(self, offset: int) -> Table | None:
        """Return the table that an offset lies in."""
        index = bisect_right(self.tables, offset, key=lambda table: table.start)
        table = self.tables[index - 1] if index else None
        return table if table and offset <= table.end else None

    def block_at(self, offset: int) -> Block | None:
        """Return the paragraph that an offset lies in."""
        index = bisect_right(self.blocks, offset, key=lambda block: block.start)
        block = self.blocks[index - 1] if index else None
        return block if block and offset < block.end else None

    def row_at(self, offset: int) -> tuple[Table, Row] | None:
        """Return the table and the row of its body that an offset lies in."""
        table = self.table_at(offset)
        index = bisect_right(table.rows, offset, key=lambda row: row.start) if table else 0
        row = table.rows[index - 1] if table and index else None
        return (table, row) if table and row and offset < row.end else None

    def cell_at(self, offset: int) -> tuple[Table, Row, Cell, int] | None:
        """Return the table, row, cell and the cell's place in its row, of an offset in a table's body."""
        place = self.row_at(offset)
        for index, cell in enumerate(place[1].cells if place else ()):
            if place and cell.start <= offset <= cell.end:
                return *place, cell, index
        return None

    def below(self, offset: int) -> int:
        """Return where the first text at or behind an offset stands; the page's end where none does."""
        found = _TEXT.search(self.text, offset)
        return found.start() if found else len(self.text)
