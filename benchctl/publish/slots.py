"""Places in a hand-written page that are filled after markdown: charts, and tables whose block was verified.

    <!-- benchctl:chart chart=score run=demo -->

A chart's line has the same strictness as a block's markers: what looks like one and is
none is a problem, not a comment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchctl.claims.markers.charts import CHART_LIKE, CHART_LINE
from benchctl.report.lines import in_code_span, lines_outside_code
from benchctl.report.stamp import Block, scan_blocks

__all__ = ["ChartPlace", "SlotProblem", "chart_places", "put_slots", "slot"]


@dataclass(frozen=True, slots=True)
class ChartPlace:
    """A chart's line. `start` and `end` are code points of the page; `line` counts from 1."""

    chart: str
    run: str
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class SlotProblem:
    """A chart's line that is malformed; line and column count from 1."""

    what: str
    line: int
    column: int


def slot(number: int) -> str:
    """Return the comment that stands for a page's slot until it is filled; markdown and search leave it alone."""
    return f"<!--benchctl-slot:{number}-->"


def chart_places(text: str) -> tuple[list[ChartPlace], list[SlotProblem]]:
    """Return the charts of a page and the lines that only look like one, both in page order."""
    places: list[ChartPlace] = []
    problems: list[SlotProblem] = []
    for number, start, line, _ in lines_outside_code(text):
        for found in CHART_LIKE.finditer(line):
            if in_code_span(line, found.start()):
                continue
            if match := CHART_LINE.fullmatch(line):
                places.append(ChartPlace(match["chart"], match["run"], start, start + len(line), number))
            else:
                what = "a chart's line is malformed; expected <!-- benchctl:chart chart=NAME run=ID --> alone on its line"
                problems.append(SlotProblem(what, number, found.start() + 1))
    return places, problems


def put_slots(
    text: str, *, table: Callable[[Block], str] | None, chart: Callable[[ChartPlace], str]
) -> tuple[str, list[str]]:
    """Return the page with slots, and the HTML of each slot by number.

    `table` None leaves generated blocks as markdown: a block that was not verified must show what it says.
    """
    places: list[Block | ChartPlace] = [*chart_places(text)[0]]
    if table is not None:
        places += scan_blocks(text)[0]
    filled: list[str] = []
    parts: list[str] = []
    position = 0
    for place in sorted(places, key=lambda place: place.start):
        filled.append(chart(place) if isinstance(place, ChartPlace) else table(place) if table else "")
        parts += [text[position : place.start], f"\n{slot(len(filled) - 1)}\n"]
        position = place.end
    return "".join([*parts, text[position:]]), filled
