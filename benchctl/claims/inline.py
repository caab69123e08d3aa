"""What stands inside one run of markdown text: comments, code spans, tags and link targets.

Positions are code points of the raw page. Where dialects disagree, text wins over markup: a
number that is read needlessly is a finding, a number that is skipped needlessly is a hole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["UNCLOSED", "InlineScan", "Problem", "Region", "RegionKind", "closing_backticks", "scan_inline"]

RegionKind = Literal["front", "fence", "comment", "code", "url", "html"]

_ATTRIBUTE = (
    r"""[ \t\r\n]+[A-Za-z_:][A-Za-z0-9_.:-]*(?:[ \t\r\n]*=[ \t\r\n]*(?:[^\s"'=<>`]+|'[^'<]*'|"[^"<]*"))?"""
)
_TAG = re.compile(
    rf"<(?:/[A-Za-z][A-Za-z0-9-]*[ \t\r\n]*|[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*[ \t\r\n]*/?)>"
)
_AUTOLINK = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>")
_TARGET = re.compile(
    r"""\]\([ \t]*(?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?[ \t]*\)"""
)
_NUMERIC_TAGS = frozenset({"<sup>", "</sup>", "<sub>", "</sub>"})
_MARK = re.compile(r"\\[!-/:-@\[-`{-~]|`+|<|\[|\]")


UNCLOSED = "this comment is never closed"


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of the page that is no prose; `start` and `end` are code points, half open."""

    kind: RegionKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something on a page that cannot be read as it stands."""

    start: int
    end: int
    what: str
    next_step: str


@dataclass(frozen=True, slots=True)
class InlineScan:
    """What `scan_inline` saw; `end` lies behind the scanned text where a comment runs past it."""

    regions: tuple[Region, ...]
    problems: tuple[Problem, ...]
    end: int


def closing_backticks(text: str, start: int, end: int, run: str) -> int:
    """Return where the code span that `run` opened is closed before `end`, or -1."""
    for match in re.compile(r"`+").finditer(text, start, end):
        if match[0] == run:
            return match.end()
    return -1


def scan_inline(text: str, start: int, end: int, last_close: int) -> InlineScan:
    """Return the regions of `text[start:end]`, which is one paragraph, heading or table cell.

    `last_close` is where the page's last `-->` stands (-1: nowhere), so that no comment is sought in vain twice.
    """
    regions: list[Region] = []
    problems: list[Problem] = []
    brackets = 0
    position = start
    while (mark := _MARK.search(text, position, end)) is not None:
        position = mark.end()
        found: Region | Problem | None = None
        if mark[0] == "[":
            brackets += 1
        elif mark[0] == "]":
            found = _target(text, mark.start(), end) if brackets else None
            brackets = max(0, brackets - 1)
        elif mark[0].startswith("`"):
            found = _code(text, mark, end)
        elif mark[0] == "<":
            found = _angle(text, mark.start(), end, last_close)
        if isinstance(found, Problem):
            # One is enough: where this comment is never closed, no later one is.
            problems = problems or [found]
        elif found is not None:
            position = found.end
            if text[found.start : found.end].lower() not in _NUMERIC_TAGS:
                regions.append(found)
    return InlineScan(tuple(regions), tuple(problems), max(position, end))


def _target(text: str, start: int, end: int) -> Region | None:
    """Return the target of the link whose text ends at `start`; its parentheses are left to the reader."""
    found = _TARGET.match(text, start, end)
    return Region("url", start + 2, found.end() - 1) if found else None


def _code(text: str, mark: re.Match[str], end: int) -> Region | None:
    closed = closing_backticks(text, mark.end(), end, mark[0])
    return Region("code", mark.start(), closed) if closed >= 0 else None


def _angle(text: str, start: int, end: int, last_close: int) -> Region | Problem | None:
    """Return what the `<` at `start` opens: a comment, a tag, an autolink, or nothing."""
    if text.startswith("<!--", start):
        for empty in ("<!-->", "<!--->"):
            if text.startswith(empty, start):
                return Region("comment", start, start + len(empty))
        if last_close < start + 4:
            return Problem(start, start + 4, UNCLOSED, "close it with `-->`")
        return Region("comment", start, text.index("-->", start + 4) + 3)
    if found := _AUTOLINK.match(text, start, end):
        return Region("url", start, found.end())
    if found := _TAG.match(text, start, end):
        return Region("html", start, found.end())
    return None
