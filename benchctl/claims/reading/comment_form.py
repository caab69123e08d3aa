"""Whether a comment has a form that every renderer takes for one, wherever it stands in plain text.

CommonMark begins a block with a `<!--` that begins its line, and ends it at the line of the `-->`; inside a
paragraph it wants one without `--`. Python-Markdown takes a block of its own out first, and seeks any other
comment last of all inside one paragraph: behind escapes, code spans and links.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchctl.claims.reading.starts import HEADING, TITLED, interrupts

__all__ = ["Place", "agreed"]

_SHORTEST = len("<!---->")
_ENDS_EARLY = re.compile(r"--!?\s*>|--\s*!>")
_INDENT = re.compile(r"[ \t>]*")
_BACKTICKS = re.compile(r"`+")
_FENCE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})", re.MULTILINE)
_BRACKET = re.compile(r"[\[\]]")
_PARAGRAPH = re.compile(r"\n[ \t\r>]*+\n")
_FARTHEST_LINK = 4000
_TAB = 4


@dataclass(frozen=True, slots=True)
class Place:
    """Where a comment stands. `head` is what its line has in front of it if that is no text, else None.

    `in_html` says that a block of HTML has begun, `in_tag` that some renderer sees a tag around it, `labelled` that
    a label of a link may hold a `<!--`.
    """

    head: str | None
    in_html: bool
    in_tag: bool
    labelled: bool


def agreed(text: str, start: int, end: int, place: Place) -> bool:
    """Return whether every renderer hides the comment `text[start:end]`, and nothing behind it."""
    inner = text[start + 4 : end - 3]
    if end - start < _SHORTEST:
        return True
    if _ENDS_EARLY.search(inner):
        return False
    lines = inner.split("\n")
    if place.head is not None and not place.head.strip(" \ufeff") and len(place.head) < _TAB:
        if len(lines) == 1:
            return True
        if not place.in_tag:
            return _is_block(lines, place)
    return _is_inline(text, start, end, place) and (
        len(lines) == 1 or _is_paragraph(text, start, lines, place)
    )


def _is_block(lines: list[str], place: Place) -> bool:
    """Whether a comment of several lines that begins its line is a block of its own to its end."""
    indent = len((place.head or "").lstrip("\ufeff"))
    return (
        not (place.in_html and any(not line.strip() for line in lines[1:]))
        and all(_width(line) >= indent for line in lines[1:] if line.strip(" \t\r"))
        and len(_FENCE.findall("\n".join(lines))) % 2 == 0
    )


def _is_inline(text: str, start: int, end: int, place: Place) -> bool:
    """Whether both renderers see one comment in a paragraph: the one by its grammar, the other after all other markup."""
    inner = text[start + 4 : end - 3]
    if (
        "--" in inner
        or inner.startswith((">", "->"))
        or inner.endswith(("-", "\\"))
        or "<!--" in text[start + 4 : end]
    ):
        return False
    runs = _BACKTICKS.findall(inner)
    if any(runs.count(run) % 2 for run in set(runs)):
        return False
    depth = 0
    for found in _BRACKET.finditer(inner):
        depth += 1 if found[0] == "[" else -1
        if depth < 0 and (place.labelled or inner[found.end() : found.end() + 1] in ("(", "[", ":")):
            return False
        depth = max(0, depth)
    return not (depth and _links(text, end, depth)) and not _is_cut(inner)


def _links(text: str, end: int, opened: int) -> bool:
    """Whether a bracket behind `end`, in the same paragraph, makes a link of one that stands open in the comment."""
    blank = _PARAGRAPH.search(text, end, end + _FARTHEST_LINK)
    depth = opened
    for found in _BRACKET.finditer(text, end, blank.start() if blank else end + _FARTHEST_LINK):
        depth += 1 if found[0] == "[" else -1
        if depth < opened:
            if text[found.end() : found.end() + 1] in ("(", "["):
                return True
            opened = depth
        if not opened:
            break
    return False


def _is_cut(inner: str) -> bool:
    """Whether a link's target begins in the comment and does not end in it."""
    opened = inner.rfind("](")
    return opened >= 0 and inner.find(")", opened) < 0


def _is_paragraph(text: str, start: int, lines: list[str], place: Place) -> bool:
    """Whether the lines of a comment surely stand in one paragraph, in one quote or item."""
    begin = text.rfind("\n", 0, start) + 1
    first = text[begin:start]
    if HEADING.match(first) or TITLED.match(first):
        return False
    indent, quotes = _width(first), (place.head or first[: len(first) - len(first.lstrip(" \t>"))]).count(">")
    least = len(place.head.expandtabs(_TAB)) if place.head is not None else indent if indent >= _TAB else 0
    return all(_goes_on(line, quotes, least) for line in lines[1:])


def _goes_on(line: str, quotes: int, least: int) -> bool:
    prefix = _INDENT.match(line)
    stop = prefix.end() if prefix else 0
    body = line[stop:]
    return (
        line[:stop].count(">") == quotes
        and len(line[:stop].expandtabs(_TAB)) >= least
        and not body.startswith(("#", ":", "<", "="))
        and not interrupts(body)
    )


def _width(line: str) -> int:
    """Return how far a line is indented, a tab being four spaces."""
    line = line.expandtabs(_TAB)
    return len(line) - len(line.lstrip(" "))
