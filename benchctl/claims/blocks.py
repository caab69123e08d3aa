"""The blocks of a markdown page, line by line: fences, headings, tables and paragraphs.

A strict line scanner instead of a parser: indented text is read (it is the body of a mkdocs
admonition or tab), only fenced code is code, and every offset is one of the raw page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from benchctl.claims.inline import UNCLOSED, Problem, Region, scan_inline
from benchctl.claims.layout import Block, Cell, Heading, Layout, Row, Table

__all__ = ["scan_blocks"]

_CONTAINER = re.compile(r"[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+)*[ \t]*")
_FENCE = re.compile(r"(?P<run>`{3,}|~{3,})(?P<info>[^\r\n]*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t\r\n]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t\r]*$")
_LIST_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_DELIMITER = re.compile(r"[ \t>]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t\r]*$")
_DEFINITION = re.compile(
    r""" {0,3}\[[^\]^\n][^\]\n]*\]:[ \t]*\S+(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^)]*\)))?[ \t\r]*$"""
)
_PIPE = re.compile(r"\\.|\|", re.DOTALL)


@dataclass(slots=True)
class _Fence:
    run: str
    indent: int
    quotes: int
    start: int


def scan_blocks(text: str, start: int = 0) -> Layout:
    """Return the layout of `text[start:]`, `start` being behind any front matter."""
    return _Scanner(text, start).layout


class _Scanner:
    """One pass over the lines. `position` is always the start of a line, or lies behind a comment on one."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.position = start
        self.layout = Layout()
        self.paragraph: int | None = None
        self.last_close = text.rfind("-->")
        while self.position < len(text):
            self._line()
        self._end_paragraph(len(text))
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
            self.position = end + 1
        elif fence := self._opened(line, start):
            self._end_paragraph(start)
            self._skip_fence(fence, end + 1)
        elif heading := _HEADING.match(line):
            self._end_paragraph(start)
            self.layout.headings.append(Heading(len(heading[1]), start, end))
            self._inline(start, end)
        elif self.paragraph is not None and _UNDERLINE.match(line) and self._underlines(start):
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
            self._inline(start, self._line_end(start))
            return
        if self.paragraph is None:
            self.paragraph = start
            if _DEFINITION.match(line):
                self.layout.regions.append(Region("url", start, start + len(line)))
                self._end_paragraph(start + len(line))
                self.position = start + len(line) + 1
                return
        self._inline(start, self._paragraph_end(start))

    def _paragraph_end(self, start: int) -> int:
        """Return the end of the last line that surely continues the one at `start`: a code span may reach there."""
        end = self._line_end(start)
        while end < len(self.text):
            following, after = end + 1, self._line_end(end + 1)
            line = self.text[following:after]
            ends = not line.strip(" \t\r>") or _HEADING.match(line) or _LIST_ITEM.match(line)
            if (
                ends
                or "|" in line
                or _UNDERLINE.match(line)
                or line.lstrip().startswith(("<!--", "```", "~~~", ">"))
            ):
                break
            end = after
        return end

    def _inline(self, start: int, end: int) -> None:
        """Scan `start` to `end`; go on behind it, or behind the line of a comment that reaches further."""
        scan = scan_inline(self.text, start, end, self.last_close)
        self.layout.regions += scan.regions
        self.layout.problems += scan.problems
        while scan.end > end:
            # The rest of the line on which a comment of several lines ends.
            rest = scan.end
            end = max(self._line_end(rest), rest)
            scan = scan_inline(self.text, rest, end, self.last_close)
            self.layout.regions += scan.regions
            self.layout.problems += scan.problems
        self.position = end + 1

    def _end_paragraph(self, end: int) -> None:
        if self.paragraph is not None:
            self.layout.blocks.append(Block(self.paragraph, end))
            self.paragraph = None

    def _opened(self, line: str, start: int) -> _Fence | None:
        container = _CONTAINER.match(line)
        indent = container.end() if container else 0
        found = _FENCE.match(line, indent)
        if not found or (found["run"][0] == "`" and "`" in found["info"]):
            return None
        return _Fence(found["run"], indent, line[:indent].count(">"), start)

    def _skip_fence(self, fence: _Fence, position: int) -> None:
        """Move behind the fence: its closing line, or the first line that lies outside what holds it."""
        while position < len(self.text):
            end = self._line_end(position)
            line = self.text[position:end]
            quoted = _CONTAINER.match(line) if fence.quotes else re.match(r"[ \t]*", line)
            indent = quoted.end() if quoted else 0
            body = line[indent:].rstrip(" \t\r")
            if body.startswith(fence.run) and not body.strip(fence.run[0]):
                self.layout.regions.append(Region("fence", fence.start, end))
                self.position = end + 1
                return
            if body and (indent < fence.indent or line[:indent].count(">") < fence.quotes):
                break
            position = end + 1
        self.layout.regions.append(Region("fence", fence.start, min(position, len(self.text))))
        self.layout.problems.append(
            Problem(
                fence.start,
                self._line_end(fence.start),
                "this code fence is never closed",
                f"close it with `{fence.run}` at the same indentation",
            )
        )
        self.position = position

    def _underlines(self, start: int) -> bool:
        """Whether the line above `start` is a paragraph's, so that `===` or `---` makes a heading of it."""
        previous = self.text.rfind("\n", 0, start - 1) + 1
        return not _LIST_ITEM.match(self.text, previous) and self.paragraph is not None

    def _setext(self, line: str, start: int, end: int) -> None:
        begin = start if self.paragraph is None else self.paragraph
        self.layout.headings.append(Heading(1 if "=" in line else 2, begin, end))
        self.paragraph = None
        self.position = end + 1

    def _is_table(self, start: int, end: int) -> bool:
        following = end + 1
        after = self._line_end(following)
        rule = self.text[following:after]
        if (
            "|" not in self.text[start:end] + rule
            or following >= len(self.text)
            or not _DELIMITER.match(rule)
        ):
            return False
        return len(self._row(start, end).cells) == len(self._row(following, after).cells)

    def _table(self, start: int) -> None:
        header = self._row(start, self._line_end(start))
        rows: list[Row] = []
        end = self._line_end(header.end + 1)
        self.position = min(end + 1, len(self.text))
        while self.position < len(self.text) and self._continues(self.position):
            end = self._line_end(self.position)
            rows.append(self._row(self.position, end))
            self.position = end + 1
        self.layout.tables.append(Table(start, end, header, tuple(rows)))
        for row in (header, *rows):
            for region, problem in self._in_cells(row):
                self.layout.regions += region
                self.layout.problems += problem

    def _continues(self, start: int) -> bool:
        line = self.text[start : self._line_end(start)]
        return bool(
            line.strip(" \t\r>")
            and not line.lstrip().startswith("<!--")
            and not _HEADING.match(line)
            and not self._opened(line, start)
        )

    def _in_cells(self, row: Row) -> Iterator[tuple[tuple[Region, ...], tuple[Problem, ...]]]:
        for cell in row.cells:
            scan = scan_inline(self.text, cell.start, cell.end, self.last_close)
            cut = [region for region in scan.regions if region.end > cell.end]
            problems = tuple(
                Problem(
                    region.start, cell.end, "a comment in a table holds `|` or a line end", "write it without"
                )
                for region in cut
            )
            yield tuple(region for region in scan.regions if region not in cut), (*scan.problems, *problems)

    def _row(self, start: int, end: int) -> Row:
        """Return the cells of a line, parted by unescaped pipes; the outer pipes are optional."""
        begin, stop = start, end
        while begin < stop and self.text[begin] in " \t>":
            begin += 1
        while stop > begin and self.text[stop - 1] in " \t\r":
            stop -= 1
        pipes = [match.start() for match in _PIPE.finditer(self.text, begin, stop) if match[0] == "|"]
        if pipes and pipes[0] == begin:
            begin, pipes = begin + 1, pipes[1:]
        if pipes and pipes[-1] == stop - 1:
            stop, pipes = stop - 1, pipes[:-1]
        edges = [begin - 1, *pipes, stop]
        cells = tuple(self._cell(left + 1, right) for left, right in pairwise(edges))
        return Row(start, end, cells)

    def _cell(self, start: int, end: int) -> Cell:
        while start < end and self.text[start] in " \t":
            start += 1
        while end > start and self.text[end - 1] in " \t":
            end -= 1
        return Cell(start, end)
