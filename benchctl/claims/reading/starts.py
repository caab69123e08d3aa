"""What the lines of a page begin: headings, lists, quotes, blocks of HTML, and what may end a paragraph."""

from __future__ import annotations

import re

__all__ = [
    "BACKTICKS",
    "DEFINITION",
    "DELIMITER",
    "HEADING",
    "HEADING_TAG",
    "ITEM",
    "LABEL",
    "LIST_ITEM",
    "LONE_TAG",
    "MARKED",
    "QUOTE",
    "TAG_BLOCK",
    "TITLED",
    "UNDERLINE",
    "interrupts",
    "opens_html",
    "verbatim_end",
]

HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t\r\n]|$)")
UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t\r]*$")
_BREAK = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})\r?$")
LIST_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]")
ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|(?P<number>[0-9]{1,9})[.)])[ \t]+(?=[^\s])")
MARKED = re.compile(r"(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))+[ \t]?")
"""The marks of quotes and items before what stands in them."""
QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")
TITLED = re.compile(r"[ \t]*(?:!!!|\?\?\?\+?|===[!+]*) ")
HEADING_TAG = re.compile(r"<h([1-6])(?![A-Za-z0-9-])", re.IGNORECASE)
LABEL = re.compile(r"^ {0,3}\[([^\]^\n][^\]\n]{0,200})\]:[ \t]*\S", re.MULTILINE)
DELIMITER = re.compile(r"[ \t>]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t\r]*$")
TAG_BLOCK = re.compile(
    r" {0,3}</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div"
    r"|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main"
    r"|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title"
    r"|tr|track|ul|pre|script|style|textarea)(?=[ \t/>\r\n]|$)",
    re.IGNORECASE,
)
"""A tag of a block at a line's start."""
_HTML_BLOCK = re.compile(rf"{TAG_BLOCK.pattern}(?![^<>\n]*\bmarkdown\b)", re.IGNORECASE)
LONE_TAG = re.compile(r" {0,3}</?[A-Za-z][A-Za-z0-9-]*(?![^<>\n]*\bmarkdown\b)[^<>\n]*>[ \t\r]*$")
"""What begins a block of HTML on GitHub: a tag of a block anywhere, another tag alone where no paragraph is open."""
_VERBATIM = (
    (
        re.compile(r" {0,3}<(?:pre|script|style|textarea)(?=[\s>]|$)", re.IGNORECASE),
        re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE),
    ),
    (re.compile(r" {0,3}<\?"), re.compile(r"\?>")),
    (re.compile(r" {0,3}<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(r" {0,3}<![A-Za-z]"), re.compile(">")),
)
"""What opens a block of HTML that no blank line ends, and what does."""
BACKTICKS = re.compile(r"`+")
DEFINITION = re.compile(
    r""" {0,3}\[[^\]^\n][^\]\n]*\]:[ \t]*\S+(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^)]*\)))?[ \t\r]*$"""
)


def opens_html(line: str, *, in_paragraph: bool) -> bool:
    """Return whether a line begins a block of HTML, in which GitHub reads no markup up to the next blank line."""
    alone = not in_paragraph and LONE_TAG.match(line)
    return bool(alone or _HTML_BLOCK.match(line) or any(opening.match(line) for opening, _ in _VERBATIM))


def verbatim_end(text: str, at: int) -> int:
    """Return where the block of HTML ends that begins at `at` and that no blank line ends; 0 where none begins."""
    for opening, closing in _VERBATIM:
        if found := opening.match(text, at):
            end = closing.search(text, found.end())
            return end.end() if end else len(text)
    return 0


def interrupts(line: str) -> bool:
    """Return whether a line may end the paragraph above it: where dialects disagree, it may."""
    return bool(
        not line.strip(" \t\r>")
        or "|" in line
        or line.lstrip().startswith(("<!", "<?", "```", "~~~", ">", "[", "*[", "#"))
        or any(begins.match(line) for begins in (HEADING, LIST_ITEM, UNDERLINE, _HTML_BLOCK, _BREAK, TITLED))
    )
