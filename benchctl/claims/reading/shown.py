"""What a reader sees of markup: the text of links, of images, of tags and their attributes, of entities."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from benchctl.claims.reading.inline import Region
from benchctl.claims.reading.visible import OBJECT, Edit
from benchctl.quantities.fold import WALL
from benchctl.quantities.numerals import is_quantity, scan

__all__ = ["entities", "shown"]

Part = str | tuple[int, int] | Edit

_ENTITY = re.compile(r"&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
_TITLE = re.compile(r"""[ \t\n](?:"([^"]*)"|'([^']*)'|\(([^()]*)\))[ \t\r]*\)?\Z""")
_READ_ALOUD = re.compile(
    r"""[ \t\r\n](?:alt|title|aria-label|aria-description|value|label|placeholder|srcdoc)[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))""",
    re.IGNORECASE,
)
_BLOCK_TAGS = frozenset(
    str.split(
    "address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 head header hr html iframe legend li main menu menuitem nav noscript ol optgroup option p pre"
    " script section select style summary table tbody td template textarea tfoot th thead title tr ul video audio"
    )
)  # fmt: skip


def shown(text: str, region: Region) -> Edit:
    """Return what is read of a region: nothing, a placeholder, or the texts inside it."""
    start, end = region.start, region.end
    parts: tuple[Part, ...] = ()
    if region.kind == "fence":
        parts = (WALL,)
    elif region.kind == "code":
        parts = _code(text, start, end)
    elif region.kind == "html":
        parts = _tag(text, start, end)
    elif region.kind == "url":
        opening = OBJECT if text[start] == "<" else ""
        parts = (opening, *_aside(text, _TITLE.search(text, start, end)))
    return Edit(start, end, parts)


def entities(text: str, start: int, end: int) -> Iterator[Edit]:
    """Yield the character references of a stretch, decoded."""
    for found in _ENTITY.finditer(text, start, end):
        decoded = html.unescape(found[0])
        if decoded != found[0]:
            yield Edit(found.start(), found.end(), (decoded,))


def _code(text: str, start: int, end: int) -> tuple[Part, ...]:
    first, last = start, end
    while text[first] == "`" and first < last - 1:
        first, last = first + 1, last - 1
    return ((first, last),) if is_quantity(text[first:last]) else (OBJECT,)


def _tag(text: str, start: int, end: int) -> tuple[Part, ...]:
    named = _TAG_NAME.match(text, start, end)
    name = named[1].lower() if named else ""
    opening = "\n" if name == "br" else WALL if name in _BLOCK_TAGS else ""
    attributes = (part for found in _READ_ALOUD.finditer(text, start, end) for part in _aside(text, found))
    return (opening, *attributes)


def _aside(text: str, found: re.Match[str] | None) -> tuple[Part, ...]:
    """Return a title or attribute between walls where it holds a number; any other says nothing to check."""
    if found is None:
        return ()
    group = next(index for index in (1, 2, 3) if found[index] is not None)
    first, last = found.span(group)
    if all(token.kind == "word-one" for token in scan(html.unescape(found[group]))):
        return ()
    parts: list[Part] = [Edit(first, first, (WALL,))]
    position = first
    for edit in entities(text, first, last):
        parts += [(position, edit.start), edit]
        position = edit.end
    return (*parts, (position, last), Edit(last, last, (WALL,)))
