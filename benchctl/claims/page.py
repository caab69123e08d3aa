"""A markdown page: what its reader sees of it, what stands where, and the comments that bind.

`Page.visible` is the page as it reads: comments taken out, so that `2<!--= x --> %` is one
number with its glyph, and everything that is no prose blanked out character by character. Each of
its offsets maps back to the raw page, and from there to a line and a column in code points.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from benchctl.claims.blocks import scan_blocks
from benchctl.claims.frontmatter import FrontMatter, read_front_matter
from benchctl.claims.inline import Problem, Region
from benchctl.claims.layout import Block, Heading, Layout, Table
from benchctl.claims.quantity import is_quantity

__all__ = ["Comment", "Page"]

_WORD = re.compile(r"\S*\d\S*")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_AS_TEXT = re.compile(r"`|(?<=\])\(|<(?=[A-Za-z/!])(?!/?su[bp]>)", re.IGNORECASE)
"""What is no markup here, although a scanner of single lines would take it for some."""
_SHOWN_KEYS = ("title", "description")


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
        self.problems: list[Problem] = [*self.front.problems, *layout.problems, *self._lone_returns()]
        self._line_starts = [0, *(match.end() for match in re.finditer(r"\n", text))]
        self._visible_starts: list[int] = []
        self._raw_starts: list[int] = []
        self.visible: str = self._read()

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
        before = self.text[self.text.rfind("\n", 0, region.start) + 1 : region.start]
        after_end = self.text.find("\n", region.end)
        after = self.text[region.end : len(self.text) if after_end < 0 else after_end]
        return not before.strip(" \t>") and not after.strip()

    def _read(self) -> str:
        """Return the page as it reads, and note which piece of it comes from where."""
        parts: list[str] = []
        length = 0
        position = 0
        for region in [Region("front", 0, self.front.end), *self.regions]:
            if region.start < position:
                continue
            replacement = "" if region.kind == "comment" else self._blanked(region)
            prose = self.text[position : region.start]
            opener = prose[-1:] if region.kind == "url" else ""
            prose = _AS_TEXT.sub(" ", prose[: len(prose) - len(opener)]) + opener
            for start, piece in ((position, prose), (region.start, replacement)):
                if piece:
                    self._visible_starts.append(length)
                    self._raw_starts.append(start)
                    parts.append(piece)
                    length += len(piece)
            position = region.end
        self._visible_starts.append(length)
        self._raw_starts.append(position)
        self._visible_length = length + len(self.text) - position
        return "".join([*parts, _AS_TEXT.sub(" ", self.text[position:])])

    def _blanked(self, region: Region) -> str:
        piece = self.text[region.start : region.end]
        if region.kind == "front":
            return self._blanked_front(piece)
        if region.kind == "code" and is_quantity(piece.strip("`")):
            return piece.replace("`", " ")
        return re.sub(r"[^\n]", " ", piece)

    def _blanked_front(self, piece: str) -> str:
        """Keep what a site shows of the front matter: its title and description."""
        shown = [self.front.entries[key] for key in _SHOWN_KEYS if key in self.front.entries]
        kept = {index for entry in shown for index in range(entry.start, entry.end)}
        return "".join(char if char == "\n" or index in kept else " " for index, char in enumerate(piece))

    def raw(self, visible_offset: int) -> int:
        """Return the raw offset of a visible one."""
        index = bisect_right(self._visible_starts, visible_offset) - 1
        return self._raw_starts[index] + visible_offset - self._visible_starts[index]

    def seen(self, raw_offset: int) -> int:
        """Return the visible offset at which a raw one stands; inside a comment, where the comment stood."""
        index = bisect_right(self._raw_starts, raw_offset) - 1
        within = raw_offset - self._raw_starts[index]
        following = (
            self._visible_starts[index + 1] if index + 1 < len(self._visible_starts) else self._visible_length
        )
        return min(self._visible_starts[index] + within, following)

    @cached_property
    def skipped(self) -> dict[str, int]:
        """Return how many digit-bearing words stand in code and targets, by kind."""
        counts: dict[str, int] = {}
        for region in self.regions:
            piece = self.text[region.start : region.end]
            kind = "code" if region.kind == "fence" else region.kind
            if kind in ("code", "url", "html") and not (
                region.kind == "code" and is_quantity(piece.strip("`"))
            ):
                found = len(_WORD.findall(piece))
                if found:
                    counts[kind] = counts.get(kind, 0) + found
        return counts

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
