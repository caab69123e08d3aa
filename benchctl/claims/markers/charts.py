"""The chart lines of a page, and the names of the charts there are.

    <!-- benchctl:chart chart=score run=demo -->

A chart's line stands alone, from its first column. What looks like one and is none is a
problem: it would be drawn nowhere, and no reader would know. Fenced code and code spans
are left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchctl.claims.reading.inline import Problem
from benchctl.claims.reading.page import Page
from benchctl.report.lines import in_code_span, lines_outside_code
from benchctl.schema.names import NAME_PATTERN

__all__ = ["CHARTS", "CHART_LIKE", "CHART_LINE", "ChartLine", "read_charts"]

CHARTS = ("score",)
"""Every chart that a line may name."""

CHART_LINE = re.compile(
    rf"<!-- benchctl:chart chart=(?P<chart>{NAME_PATTERN}) run=(?P<run>{NAME_PATTERN}) -->"
)
CHART_LIKE = re.compile(r"<!--\s*benchctl\s*:\s*chart(?![A-Za-z0-9])[^\n]*?(?:-->|$)", re.IGNORECASE)
_COMMENT = re.compile(r"\s*benchctl\s*:\s*chart(?![A-Za-z0-9])", re.IGNORECASE)
_NEXT_STEP = "write <!-- benchctl:chart chart=NAME run=ID --> alone on its line"


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A chart that the page shows. `start` and `end` are code points of the page."""

    chart: str
    run: str
    start: int
    end: int


def read_charts(page: Page) -> tuple[list[ChartLine], list[Problem]]:
    """Return the charts of a page in order, and everything that only looks like one."""
    charts: list[ChartLine] = []
    problems: list[Problem] = []
    seen: set[int] = set()
    for _, offset, line, _ in lines_outside_code(page.text):
        for found in CHART_LIKE.finditer(line):
            if in_code_span(line, found.start()):
                continue
            start = offset + found.start()
            seen.add(start)
            if match := CHART_LINE.fullmatch(line):
                charts.append(ChartLine(match["chart"], match["run"], start, offset + len(line)))
            else:
                problems.append(
                    Problem(start, offset + found.end(), "this chart's line is malformed", _NEXT_STEP)
                )
    # A comment over several lines, or behind an odd backtick, is on no line that is read above.
    for comment in page.comments:
        if _COMMENT.match(comment.text) and comment.start not in seen:
            what = "this chart's line stands where it is not read"
            problems.append(Problem(comment.start, comment.end, what, _NEXT_STEP))
    return charts, problems
