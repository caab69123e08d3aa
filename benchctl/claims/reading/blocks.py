"""The blocks of a markdown page, line by line: fences, headings, tables and paragraphs.

A strict line scanner instead of a parser: indented text is read (it is the body of a mkdocs
admonition or tab), only fenced code is code, and every offset is one of the raw page.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchctl.claims.reading.code_spans import surely
from benchctl.claims.reading.fences import Fence, opened, skip
from benchctl.claims.reading.inline import UNCLOSED, InlineScan, Problem, Region, scan_inline
from benchctl.claims.reading.layout import Block, Heading, Layout, Row, Table
from benchctl.claims.reading.rows import row_at
from benchctl.claims.reading.starts import (
    DEFINITION,
    DELIMITER,
    HEADING,
    HEADING_TAG,
    ITEM,
    LABEL,
    LIST_ITEM,
    MARKED,
    QUOTE,
    TITLED,
    UNDERLINE,
    interrupts,
    opens_html,
    verbatim_end,
)

__all__ = ["scan_blocks"]


def scan_blocks(text: str, start: int = 0) -> Layout:
    """Return the layout of `text[start:]`, `start` being behind any front matter."""
    return _Scanner(text, start).layout


class _Scanner:
    """One pass over the lines. `position` is always the start of a line, or lies behind a comment on one."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.position = max(start, text.startswith("\ufeff"))
        self.layout = Layout()
        self.paragraph: int | None = None
        self.item = -1
        self.quotes = 0
        self.in_html = False
        self.html_end = 0
        self.loose: frozenset[str] = frozenset()
        self.defined = frozenset(label.casefold() for label in LABEL.findall(text))
        self.last_close = text.rfind("-->")
        while self.position < len(text):
            self._line()
        self._end_paragraph(len(text))
        self._html_headings()
        # Where one comment is never closed, no later one is: the first says it all.
        unclosed = [problem for problem in self.layout.problems if problem.what == UNCLOSED]
        if len(unclosed) > 1:
            self.layout.problems = [p for p in self.layout.problems if p.what != UNCLOSED or p is unclosed[0]]

    def _line_end(self, position: int) -> int:
        end = self.text.find("\n", position)
        return len(self.text) if end < 0 else end

    def _line(self) -> None:
        start, end = self.position, self._line_end(self.position)
        line = self.text[start:end]
        if not line.strip(" \t\r>"):
            self._end_paragraph(start)
            self.in_html = start < self.html_end
            self.position = end + 1
        elif fence := opened(line, start, in_html=self.in_html):
            self._end_paragraph(start)
            self._skip(fence, end + 1)
        elif heading := HEADING.match(line):
            self._end_paragraph(start)
            self.layout.headings.append(Heading(len(heading[1]), start, end))
            self.layout.walls += [start, min(end + 1, len(self.text))]
            self._inline(start, end)
        elif self.paragraph is not None and UNDERLINE.match(line) and self._underlines(start):
            self._setext(line, start, end)
        elif self._is_table(start, end):
            self._end_paragraph(start)
            self._table(start)
        else:
            self._text(line, start)

    def _text(self, line: str, start: int) -> None:
        """Take in one paragraph's lines up to the next line that could begin something else."""
        if line.lstrip().startswith("<!--"):
            self._end_paragraph(start)
            self.layout.walls.append(start)
            self._inline(start, self._line_end(start))
            return
        quote = self._quote(line, start)
        self._open_block(line[quote:], start)
        self._open_html(line, start)
        if self.paragraph is None:
            self.paragraph = start
            if DEFINITION.match(line):
                self.layout.regions.append(Region("url", start, start + len(line)))
                self._end_paragraph(start + len(line))
                self.position = start + len(line) + 1
                return
        if TITLED.match(line):
            self.layout.walls.append(self._line_end(start))
        self._inline(start + quote, self._paragraph_end(start))

    def _open_html(self, line: str, start: int) -> None:
        """Note whether a block of HTML begins, in an item or a quote too, and up to where no blank line ends it."""
        item = MARKED.match(line)
        stop = item.end() if item else 0
        self.in_html = self.in_html or opens_html(
            line[stop:], in_paragraph=self.paragraph is not None and not item
        )
        if self.in_html and start >= self.html_end:
            self.html_end = verbatim_end(self.text, start + stop)

    def _quote(self, line: str, start: int) -> int:
        """Take the `>` before a quoted line away, and return its length; a deeper quote is a block of its own."""
        found = QUOTE.match(line)
        depth = found[0].count(">") if found else 0
        if depth > self.quotes or self.paragraph is None:
            self.layout.walls.append(start)
        self.quotes = depth if found or self.paragraph is None else self.quotes
        if found:
            self.layout.regions.append(Region("mark", start, start + found.end()))
        return found.end() if found else 0

    def _open_block(self, line: str, start: int) -> None:
        """Put a wall before a list item; `977. ` on a wrapped line is one only where it goes on a list."""
        if self.paragraph is None:
            self.item = -1
        item = ITEM.match(line)
        if item is None:
            return
        indent, number = len(item["indent"]), item["number"]
        if number is None or self.paragraph is None or number == "1" or indent <= self.item:
            self.layout.walls.append(start)
            self.item = indent + len(number) if number else -1

    def _paragraph_end(self, start: int) -> int:
        """Return the end of the last line that surely continues the one at `start`: a code span may reach there."""
        end = self._line_end(start)
        while end < len(self.text):
            following, after = end + 1, self._line_end(end + 1)
            if interrupts(self.text[following:after]):
                break
            end = after
        return end

    def _inline(self, start: int, end: int) -> None:
        """Scan `start` to `end`; go on behind it, or behind the line of a comment that reaches further."""
        scan = scan_inline(self.text, start, end, self.last_close, self.defined)
        self.layout.regions += self._sure(scan)
        self.layout.problems += scan.problems
        self.layout.runs.append((start, end))
        while scan.end > end:
            # The rest of the line on which a comment of several lines ends.
            rest = scan.end
            end = max(self._line_end(rest), rest)
            scan = scan_inline(self.text, rest, end, self.last_close, self.defined)
            self.layout.runs.append((rest, end))
            self.layout.regions += self._sure(scan)
            self.layout.problems += scan.problems
        self.position = end + 1

    def _sure(self, scan: InlineScan) -> Iterator[Region]:
        """Yield the regions of a scan without the code spans that may be none."""
        regions, self.loose = surely(self.text, scan, self.loose, in_html=self.in_html)
        yield from regions

    def _end_paragraph(self, end: int) -> None:
        if self.paragraph is not None:
            self.layout.blocks.append(Block(self.paragraph, end))
            self.paragraph = None
        self.loose = frozenset()

    def _skip(self, fence: Fence, position: int) -> None:
        """Move behind the fence."""
        region, problem, self.position = skip(self.text, fence, position)
        self.layout.regions.append(region)
        self.layout.problems += [problem] if problem else []

    def _html_headings(self) -> None:
        """Add the headings that are written as tags; one ends where its tag does."""
        tags = (
            (HEADING_TAG.match(self.text, region.start), region)
            for region in self.layout.regions
            if region.kind == "html"
        )
        found = [Heading(int(tag[1]), region.start, region.end) for tag, region in tags if tag]
        self.layout.headings = sorted([*self.layout.headings, *found], key=lambda heading: heading.start)

    def _underlines(self, start: int) -> bool:
        """Whether the line above `start` is a paragraph's, so that `===` or `---` makes a heading of it."""
        previous = self.text.rfind("\n", 0, start - 1) + 1
        return not LIST_ITEM.match(self.text, previous) and self.paragraph is not None

    def _setext(self, line: str, start: int, end: int) -> None:
        begin = start if self.paragraph is None else self.paragraph
        self.layout.headings.append(Heading(1 if "=" in line else 2, begin, end))
        self.layout.walls.append(min(end + 1, len(self.text)))
        self.paragraph = None
        self.position = end + 1

    def _is_table(self, start: int, end: int) -> bool:
        following = end + 1
        after = self._line_end(following)
        rule = self.text[following:after]
        if "|" not in self.text[start:end] + rule or following >= len(self.text) or not DELIMITER.match(rule):
            return False
        return len(row_at(self.text, start, end).cells) == len(row_at(self.text, following, after).cells)

    def _table(self, start: int) -> None:
        header = row_at(self.text, start, self._line_end(start))
        rows: list[Row] = []
        end = self._line_end(header.end + 1)
        self.position = min(end + 1, len(self.text))
        while self.position < len(self.text) and self._continues(self.position):
            end = self._line_end(self.position)
            rows.append(row_at(self.text, self.position, end))
            self.position = end + 1
        self.layout.tables.append(Table(start, end, header, tuple(rows)))
        self.layout.walls += [start, *(row.start for row in rows), min(end + 1, len(self.text))]
        for row in (header, *rows):
            for region, problem in self._in_cells(row):
                self.layout.regions += region
                self.layout.problems += problem

    def _continues(self, start: int) -> bool:
        line = self.text[start : self._line_end(start)]
        return bool(
            line.strip(" \t\r>")
            and not line.lstrip().startswith("<!--")
            and not HEADING.match(line)
            and not opened(line, start)
        )

    def _in_cells(self, row: Row) -> Iterator[tuple[tuple[Region, ...], tuple[Problem, ...]]]:
        for cell in row.cells:
            scan = scan_inline(self.text, cell.start, cell.end, self.last_close, self.defined)
            self.layout.runs.append((cell.start, cell.end))
            cut = [region for region in scan.regions if region.end > cell.end]
            problems = tuple(
                Problem(
                    region.start, cell.end, "a comment in a table holds `|` or a line end", "write it without"
                )
                for region in cut
            )
            yield tuple(region for region in scan.regions if region not in cut), (*scan.problems, *problems)
