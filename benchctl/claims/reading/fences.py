"""Fenced code: where it begins and ends, and whether every renderer says so."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchctl.claims.reading.inline import Problem, Region

__all__ = ["Fence", "opened", "skip"]

_CONTAINER = re.compile(r"[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+)*[ \t]*")
_FENCE = re.compile(r"(?P<run>`{3,}|~{3,})(?P<info>[^\r\n]*)")
_INFO = re.compile(r"[ \t]*\.?[\w#.+-]*[ \t]*(?:\{[^{}]*\})?[ \t\r]*")
"""What the site lets follow the tildes of a fence; others it shows, and what stands between them."""


@dataclass(frozen=True, slots=True)
class Fence:
    """The line that opens one: its run of marks, how far it is indented, how deeply quoted, and where it starts.

    `disputed` says that some renderer begins no fence there.
    """

    run: str
    indent: int
    quotes: int
    start: int
    disputed: bool = False


def opened(line: str, start: int, *, in_html: bool = False) -> Fence | None:
    """Return the fence that a line opens, None where it opens none; `start` is the line's place on the page."""
    container = _CONTAINER.match(line)
    indent = container.end() if container else 0
    found = _FENCE.match(line, indent)
    if not found or (found["run"][0] == "`" and "`" in found["info"]):
        return None
    odd = found["run"][0] == "~" and not _INFO.fullmatch(found["info"])
    disputed = in_html or odd or line[:indent].strip(" \t>") != ""
    return Fence(found["run"], indent, line[:indent].count(">"), start, disputed)


def skip(text: str, fence: Fence, position: int) -> tuple[Region, Problem | None, int]:
    """Return the region of a fence, what is wrong with it, and the start of the line behind it.

    It ends with its closing line, or before the first line that lies outside what holds it. `position` is the
    start of the line below the one that opens it.
    """
    disputed = fence.disputed
    while position < len(text):
        end = _line_end(text, position)
        line = text[position:end]
        prefix = _CONTAINER.match(line) if fence.quotes else re.match(r"[ \t]*", line)
        indent = prefix.end() if prefix else 0
        body, quotes = line[indent:].rstrip(" \t\r"), line[:indent].count(">")
        if body.startswith(fence.run) and not body.strip(fence.run[0]):
            exact = not disputed and (body, indent, quotes) == (fence.run, fence.indent, fence.quotes)
            return Region("fence", fence.start, end), None if exact else _disputed(text, fence, end), end + 1
        disputed = disputed or (body != "" and quotes != fence.quotes)
        if body and (indent < fence.indent or quotes < fence.quotes):
            break
        position = end + 1
    step = f"close it with `{fence.run}` at the same indentation"
    problem = Problem(fence.start, _line_end(text, fence.start), "this code fence is never closed", step)
    return Region("fence", fence.start, min(position, len(text))), problem, position


def _disputed(text: str, fence: Fence, end: int) -> Problem | None:
    """Return the problem of a fence that one renderer ends, or begins, where another does not: if it holds a digit."""
    if not any(char.isdigit() for char in text[fence.start : end]):
        return None
    what = "renderers disagree where this code fence begins and ends, and it holds digits"
    step = f"write `{fence.run}` twice alone on a line, at the same indentation, not behind a list marker"
    return Problem(fence.start, _line_end(text, fence.start), what, step)


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end
