"""Markup between numbers: tags, footnote marks, the targets of links, addresses, character references.

What a reader does not see is passed, as one token where it holds a digit. Only what HTML takes for a tag is
hidden from a reader: `<b 5 c>` is text, and its number counts.
"""

from __future__ import annotations

import re

from benchctl.quantities.addresses import read_url
from benchctl.quantities.tokens import Span

__all__ = ["read_markup", "read_reference"]

_S = r"[ \t\r\n\f]"
_ATTRIBUTE = (
    rf"""{_S}++[A-Za-z_:@][\w.:-]*+(?:{_S}*+={_S}*+(?:"[^"<\u2029]*+"|'[^'<\u2029]*+'|[^\s"'=<>`]++))?+"""
)
_TAG = re.compile(rf"</?[A-Za-z][\w-]{{0,40}}(?:{_ATTRIBUTE})*+{_S}*+/?>")
_DESTINATION = re.compile(r"[^\s)]{1,1000}+(?=\)|[ \t\r\n]+[\"'(])")
_FOOTNOTE = re.compile(r"[\w.-]{1,80}\]")


def read_markup(flat: str, at: int, opened: int) -> Span:
    """Read the markup, or the address, whose opening marks are `flat[at:opened]`.

    The span is only the opening where no markup follows; the kind of a tag is "code".
    """
    if flat[at] == "<":
        tag = _TAG.match(flat, at)
        return at, tag.end() if tag else at + 1, "code"
    if flat.startswith("[^", at):
        note = _FOOTNOTE.match(flat, opened)
        return at, note.end() if note else opened, "footnote"
    if flat[at] == "]":
        target = _DESTINATION.match(flat, opened)
        return opened, target.end() if target else opened, "url"
    return at, read_url(flat, at, len(flat)), "url"


def read_reference(flat: str, at: int) -> Span | None:
    """Read the digits of a character reference like `&#215;`, of which the one at `at` is the first."""
    if flat[at - 2 : at] != "&#":
        return None
    stop = flat.find(";", at, at + 8)
    return (at, stop, "code") if stop > 0 and flat[at:stop].isdigit() else None
