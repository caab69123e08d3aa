"""What stands inside one run of markdown text: comments, code spans, tags and link targets.

Positions are code points of the raw page. Where dialects disagree, text wins over markup: a
number that is read needlessly is a finding, a number that is skipped needlessly is a hole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["UNCLOSED", "InlineScan", "Problem", "Region", "RegionKind", "scan_inline"]

RegionKind = Literal["front", "fence", "comment", "code", "url", "html", "mark"]
"""`mark` is punctuation that a reader never sees: an escaping backslash, the brackets of a link, a quote's `>`."""

_ATTRIBUTE = (
    r"""[ \t\r\n]+[A-Za-z_:][A-Za-z0-9_.:-]*(?:[ \t\r\n]*=[ \t\r\n]*(?:[^\s"'=<>`]+|'[^'<]*'|"[^"<]*"))?"""
)
_TAG = re.compile(
    rf"<(?:/[A-Za-z][A-Za-z0-9-]*[ \t\r\n]*|[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*[ \t\r\n]*/?)>"
)
_AUTOLINK = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>")
_PLAIN = r"(?:[^\s()<>\\]|\\[^\s])*+"
"""What a link's target holds beside brackets; an escaped one closes nothing."""
_TARGET = re.compile(
    rf"""\]\([ \t]*(?:<[^<>\n]*>|{_PLAIN}(?:\({_PLAIN}\){_PLAIN})*)(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?[ \t]*\)"""
)
_REFERENCE = re.compile(r"\]\[(?P<label>[^\[\]\n]{0,200})\]")
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
    """What `scan_inline` saw; `end` lies behind the scanned text where a comment runs past it.

    `loose` are the runs of backticks that nothing closes.
    """

    regions: tuple[Region, ...]
    problems: tuple[Problem, ...]
    end: int
    loose: frozenset[str] = frozenset()


def _closing_backticks(text: str, start: int, end: int, run: str) -> int:
    """Return where the code span that `run` opened is closed before `end`, or -1."""
    for match in re.compile(r"`+").finditer(text, start, end):
        if match[0] == run:
            return match.end()
    return -1


def scan_inline(
    text: str, start: int, end: int, last_close: int, defined: frozenset[str] = frozenset()
) -> InlineScan:
    """Return the regions of `text[start:end]`, which is one paragraph, heading or table cell.

    `last_close` is where the page's last `-->` stands (-1: nowhere), so that no comment is sought in vain twice. `defined`
    are the labels that the page's link definitions name, in small letters.
    """
    regions: list[Region] = []
    problems: list[Problem] = []
    brackets: list[int] = []
    loose: set[str] = set()
    position = start
    while (mark := _MARK.search(text, position, end)) is not None:
        position = mark.end()
        found: Region | Problem | None = None
        if mark[0] == "[":
            brackets.append(mark.start())
        elif mark[0] == "]":
            opening, found = _closed(text, brackets, mark.start(), (start, end), defined)
            regions += opening
        elif mark[0][0] == "\\":
            found = Region("mark", mark.start(), mark.start() + 1)
        elif mark[0].startswith("`"):
            found = _code(text, mark, end, loose)
        elif mark[0] == "<":
            found = _angle(text, mark.start(), end, last_close)
        if isinstance(found, Problem):
            # One is enough: where this comment is never closed, no later one is.
            problems = problems or [found]
        elif found is not None:
            position = max(position, found.end)
            if text[found.start : found.end].lower() not in _NUMERIC_TAGS:
                regions.append(found)
    return InlineScan(tuple(regions), tuple(problems), max(position, end), frozenset(loose))


def _closed(
    text: str, brackets: list[int], at: int, span: tuple[int, int], defined: frozenset[str]
) -> tuple[list[Region], Region | None]:
    """Return the opening and the closing marks of the link whose text ends at `at`; none where it is no link."""
    opened = brackets.pop() if brackets else None
    found = None if opened is None else _target(text, opened, at, span[1], defined)
    return ([], None) if opened is None or found is None else ([_opening(text, opened, span[0])], found)


def _opening(text: str, at: int, start: int) -> Region:
    """Return the bracket that opens a link, or the `![` of an image."""
    is_image = at > start and text[at - 1] == "!" and text[at - 2 : at - 1] != "\\"
    return Region("mark", at - is_image, at + 1)


def _target(text: str, opened: int, start: int, end: int, defined: frozenset[str]) -> Region | None:
    """Return what closes the link whose text lies between `opened` and `start`: a target, a label, a bracket."""
    if found := _TARGET.match(text, start, end):
        return Region("url", start, found.end())
    if not defined:
        return None
    own = text[opened + 1 : start][:200].casefold()
    if found := _REFERENCE.match(text, start, end):
        return Region("url", start, found.end()) if (found["label"].casefold() or own) in defined else None
    # `[7]` alone is a citation, defined or not.
    return Region("mark", start, start + 1) if own in defined and not own.isdigit() else None


def _code(text: str, mark: re.Match[str], end: int, loose: set[str]) -> Region | None:
    """Return the code span that a run of backticks opens; a run that nothing closes joins `loose`."""
    if mark[0] not in loose:
        closed = _closing_backticks(text, mark.end(), end, mark[0])
        if closed >= 0:
            return Region("code", mark.start(), closed)
        loose.add(mark[0])
    return None


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
