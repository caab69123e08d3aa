"""Which comments hide what they hold from every reader, and which only some renderer takes for one.

A `<!--` in an attribute, in CDATA, across a blank line of a paragraph or in a link's target opens no
comment somewhere, and what stands up to the next `-->` is shown there.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from benchctl.claims.reading.comment_form import Place, agreed
from benchctl.claims.reading.inline import Problem, Region
from benchctl.claims.reading.starts import LONE_TAG, TAG_BLOCK, verbatim_end
from benchctl.quantities.numerals import scan

__all__ = ["disputed"]

_EVENT = re.compile(
    r"(?P<blank>^[ \t\r>]*+$)"
    r"|(?P<head>^\ufeff?[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)*+[ \t>]*+)<(?=[A-Za-z/?!])"
    r"|<(?=[A-Za-z/?!])|\](?=\()",
    re.MULTILINE,
)
_QUOTED_TAG = re.compile(
    r"""<[A-Za-z][A-Za-z0-9-]*+(?:[ \t\r\n]++[A-Za-z_:][A-Za-z0-9_.:-]*+"""
    r"""(?:[ \t\r\n]*+=[ \t\r\n]*+(?:[^\s"'=<>`]++|'[^']*+'|"[^"]*+"))?)*+[ \t\r\n]*+/?>"""
)
"""A tag by the grammar of CommonMark: a quoted value may hold a `<`."""
_TAG_STEP = re.compile(r""">|=[ \t\r\n\f]*+(["'])""")
_TEXT_ELEMENT = re.compile(
    r"<(script|style|textarea|title|xmp|iframe|noembed|noframes|plaintext)(?![A-Za-z0-9-])", re.IGNORECASE
)
"""A browser reads no markup in these, GitHub shows their tags as text."""
_NAME = re.compile(r"<([A-Za-z][A-Za-z0-9]*)")
_CLOSERS = {"<?": (r"\?>", ">"), "<![": (r"\]\]>", ">"), "<!": (">",)}
_COMMENT_END = r"--\s*!?>"
_EMPTY_LENGTH = len("<!--->")
"""`<!-->` and `<!--->` are whole comments to a browser, and only open one for the parser of the site."""
_PAREN = re.compile(r"[()]")
_BLANK = re.compile(r"\n[ \t\r>]*+(?:\n|\Z)")
_MARKER = re.compile(r"\s*(?:benchctl|claims|assert|exempt|retracted|=)", re.IGNORECASE)
_NO_LETTERS = re.compile(r"<[^<>]*>|[^\w\s]|_")
_LABEL = re.compile(r"^[ \t>]*+\[[^\]\n]{0,200}<!--", re.MULTILINE)
_OPAQUE = frozenset({"front", "fence", "code", "url"})


def disputed(text: str, regions: Sequence[Region]) -> Iterator[Problem]:
    """Yield a problem for each comment that not every renderer takes for one, if it hides a number or a marker.

    `regions` are those of the page in order.
    """
    if any(region.kind == "comment" for region in regions):
        yield from _Pass(text, regions).problems()


class _Pass:
    """One pass over everything that may open a comment, or hold one that is none.

    `inside` is where the last construct ends in which a `<!--` opens nothing, `tag` where the one ends that some
    renderer takes for a tag, `links` where a link's target may end. `in_html` is a block of HTML, which ends with a
    blank line behind `html_end`; `raw_end` is where the site ends one.
    """

    def __init__(self, text: str, regions: Sequence[Region]) -> None:
        self.text = text
        self.labelled = _LABEL.search(text) is not None
        self.regions = [region for region in regions if region.kind != "mark"]
        self.index = 0
        self.inside = self.tag = self.links = self.unlinked = self.html_end = self.raw_end = 0
        self.in_html = False
        self.until: dict[str, int] = {}

    def problems(self) -> Iterator[Problem]:
        position = 0
        while position < len(self.text) and (found := _EVENT.search(self.text, position)):
            at = found.end() if found["blank"] is not None else found.end() - 1
            position = found.end() + (found["blank"] is not None)
            region = self._region(at)
            if region is not None and (region.start < at or region.kind in _OPAQUE):
                position = max(position, region.end)
            elif found["blank"] is not None:
                self.in_html = at < self.html_end
            elif self.text[at] == "]":
                self._link(at)
            elif region is not None and region.kind == "comment":
                if region.end - at <= _EMPTY_LENGTH:
                    self.inside = max(self.inside, self._next(_COMMENT_END, region.end))
                    yield from _problem(self.text, at, self.inside)
                elif self._is_agreed(region, found["head"]):
                    position = max(position, region.end)
                else:
                    yield from _problem(self.text, at, region.end)
            elif not self.text.startswith("<!--", at):
                self._markup(at, region, found["head"])
                position = max(position, region.end if region else 0)

    def _region(self, at: int) -> Region | None:
        """Return the region that holds `at`, which only ever grows."""
        while self.index < len(self.regions) and self.regions[self.index].end <= at:
            self.index += 1
        region = self.regions[self.index] if self.index < len(self.regions) else None
        return region if region and region.start <= at else None

    def _is_agreed(self, comment: Region, head: str | None) -> bool:
        place = Place(
            head=head,
            in_html=self.in_html,
            in_tag=comment.start < self.tag,
            labelled=self.labelled,
        )
        return comment.start >= max(self.inside, self.links) and agreed(
            self.text, comment.start, comment.end, place
        )

    def _markup(self, at: int, region: Region | None, head: str | None) -> None:
        """Take in a tag, an instruction or a declaration."""
        opening = next((opening for opening in _CLOSERS if self.text.startswith(opening, at)), None)
        if opening:
            ends = [self._next(closer, at) for closer in _CLOSERS[opening]]
            self.inside = max(self.inside, *ends, 0 if ends[0] else len(self.text))
            if head is not None:
                self._block(at)
            return
        grammatical = None if region else _QUOTED_TAG.match(self.text, at)
        end = region.end if region else grammatical.end() if grammatical else 0
        if head is not None and self._opens_block(at, grammatical):
            self._block(at)
        if not region:
            self.tag = max(self.tag, self._tag_end(at))
            self.inside = max(self.inside, end, self.tag if self.in_html or at < self.raw_end else 0)
        if named := _TEXT_ELEMENT.match(self.text, at):
            self.inside = max(self.inside, self._next(f"</{named[1].lower()}", at) or len(self.text))

    def _block(self, at: int) -> None:
        """Begin the block of HTML that a tag at `at` opens."""
        self.in_html = True
        if at >= self.html_end:
            self.html_end = verbatim_end(self.text, at)
        named = _NAME.match(self.text, at)
        if named and at >= self.raw_end and TAG_BLOCK.match(self.text, at):
            depth = 0
            for found in re.compile(rf"<(/?){named[1]}(?![A-Za-z0-9-])", re.IGNORECASE).finditer(
                self.text, at
            ):
                depth += -1 if found[1] else 1
                if depth <= 0:
                    self.raw_end = found.end()
                    return
            self.raw_end = len(self.text)

    def _opens_block(self, at: int, tag: re.Match[str] | None) -> bool:
        if TAG_BLOCK.match(self.text, at):
            return True
        stop = tag.end() if tag else 0
        return bool(tag and not self.text[stop : _line_end(self.text, stop)].strip()) or bool(
            LONE_TAG.match(self.text, at, _line_end(self.text, at))
        )

    def _next(self, closer: str, at: int) -> int:
        """Return the end of the first match of `closer` behind `at`, 0 for none; each stretch is searched once."""
        if self.until.get(closer, 0) <= at:
            found = re.compile(closer, re.IGNORECASE).search(self.text, at + 1)
            self.until[closer] = found.end() if found else len(self.text) + 1
        return self.until[closer] if self.until[closer] <= len(self.text) else 0

    def _tag_end(self, at: int) -> int:
        """Return where a browser ends the tag at `at`; 0 for nowhere, and inside another, which ends first."""
        if at < self.tag or not self._next(">", at):
            return 0
        position = at
        while step := _TAG_STEP.search(self.text, position):
            if step[0] == ">":
                return step.end()
            position = self.text.find(step[1], step.end()) + 1
            if not position:
                break
        return len(self.text)

    def _link(self, at: int) -> None:
        """Take in a `](` that is no target on GitHub: the site ends one at the bracket that closes it."""
        if at < max(self.links, self.unlinked):
            return
        depth = 0
        end = self._paragraph_end(at)
        for found in _PAREN.finditer(self.text, at, end):
            depth += 1 if found[0] == "(" else -1
            if not depth:
                self.links = found.end()
                return
        self.unlinked = end
        self.links = max(self.links, self.text.rfind(")", at, end) + 1)

    def _paragraph_end(self, at: int) -> int:
        if self.until.get("", 0) <= at:
            found = _BLANK.search(self.text, at)
            self.until[""] = found.start() + 1 if found else len(self.text) + 1
        return min(self.until[""], len(self.text))


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _problem(text: str, start: int, end: int) -> Iterator[Problem]:
    """Yield the problem of a comment that may be none, if a reader could miss anything in it."""
    inner = html.unescape(text[start + 4 : end])
    if not (_MARKER.match(inner) or any(char.isdigit() for char in inner)):
        words = (token.kind for token in scan(_NO_LETTERS.sub("", inner)))
        if all(kind == "word-one" for kind in words):
            return
    what = "renderers disagree whether this is a comment, and it holds numbers or a marker"
    step = "write it on one line of text, or alone from a line's first column on, without `--` and blank lines in it"
    yield Problem(start, min(max(end, start + 4), _line_end(text, start)), what, step)
