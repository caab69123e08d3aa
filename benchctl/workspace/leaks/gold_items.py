"""The items of an answer as parts to look for, and what a file that holds some of them proves.

A tree holds every name that is asked for, so a name alone is no evidence. What the tree itself has no reason
to hold is an item in its joined form (`path::name`) outside of the file it names, several of them in another
notation, a list beside the question's id, or the whole list with nothing in between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchctl.workspace.leaks.words import normalise, unescaped, words_of

__all__ = [
    "SEVERAL",
    "Item",
    "bounded",
    "data_text",
    "is_telling",
    "item_text",
    "large_part",
    "own_source",
    "telling_id",
    "whole_list",
]

SEVERAL = 3

_JOINED = re.compile(r"(?P<path>[^\s:]*[^\s:/]\.[A-Za-z0-9]+|[^\s:]+/[^\s:]+)::\S")
_NODE = re.compile(r"(?:.*/)?(?:tests?/.*|test_[^/]*|[^/]*_test)\.py::|[^:]+\.py::(?:.*(?:::|\.))?[Tt]est")
_STRUCTURE = re.compile(r"[.:/#@]")
_MANIFEST = re.compile(r"[^\s:]*/[^\s:]*|[^\s:]+\.[A-Za-z0-9]{1,5}")
_NO_WORD = re.compile(rb"[^A-Za-z0-9\x80-\xff]{0,40}")


@dataclass(frozen=True, slots=True)
class Item:
    """One item of an answer. `path` is the file that a joined item names, None for any other form.

    `exact` is what stands in a text that holds it as it is, `words` the same as bare words; each is None where
    it would prove nothing: a single word is no item to look for. `name` is what a record has in its field: the
    name behind a path, or the whole item. `node` says that it has the form by which pytest names a test, which
    changelogs and settings of a tree write too. `forms` are a joined item's dotted names (`app.core.exit`),
    `glued` is it with nothing in between, as databases keep two columns.
    """

    path: str | None
    exact: bytes | None
    words: bytes | None
    name: bytes = b""
    node: bool = False
    forms: tuple[bytes, ...] = ()
    glued: bytes | None = None

    @classmethod
    def of(cls, text: str) -> Item:
        """Return the parts to look for of one item."""
        joined = _JOINED.match(text)
        words = normalise(text).split()
        structured = len(words) > 1 and _STRUCTURE.search(text) is not None
        return cls(
            path=joined["path"] if joined else None,
            exact=item_text(text).strip() if structured else None,
            words=words_of(text) if joined and len(words) > 3 else None,
            name=item_text(text.split("::", 1)[1] if joined else text).strip(),
            node=joined is not None and _NODE.match(text) is not None,
            forms=tuple(_dotted(*text.split("::", 1))) if joined else (),
            glued=item_text("".join(text.split("::", 1))).strip() if joined and len(words) > 3 else None,
        )


def _dotted(path: str, name: str) -> Iterator[bytes]:
    module = re.sub(r"(?:/__init__)?\.[A-Za-z0-9]+$", "", path).replace("/", ".")
    for start in dict.fromkeys((module, module.removeprefix("src."), module.removeprefix("lib."))):
        yield item_text(f"{start}.{name}").strip()


def item_text(text: str) -> bytes:
    """Return a text in which items are looked for as they are: without escapes, case and width of spaces."""
    return b" ".join(data_text(text).split())


def data_text(text: str) -> bytes:
    """Return the same with the spaces and line breaks that it has: those between records."""
    return unescaped(text).casefold().encode(errors="replace")


def is_telling(name: bytes) -> bool:
    """Say whether the appearance of a name says something: `exit` is in any text, `ship_order` is not."""
    words = words_of(name.decode(errors="replace"))
    return len(words.split()) > 1 or len(words) > 12


def telling_id(question: str) -> bytes | None:
    """Return a question's id as it is written where its appearance says something: an id like "q1" is in any text."""
    written = item_text(question).strip()
    return written if is_telling(written) else None


def large_part(found: int, of: int) -> bool:
    """Say whether so many items are enough of a list for a text to be about that list: a quarter of it."""
    return found * 4 >= of


def own_source(path: str, item: Item) -> bool:
    """Say whether a file of the tree is the one that an item names."""
    return item.path is not None and (path == item.path or path.endswith(f"/{item.path}"))


def whole_list(text: bytes, spots: Mapping[int, Sequence[tuple[int, int]]], items: Sequence[str]) -> bool:
    """Say whether a text holds every item of a list in one run, with nothing but signs in between.

    `spots` are the places (start, end) of each item that was found. A list of files is none: every manifest of
    a tree would be one.
    """
    if len(items) < SEVERAL or len(spots) < len(items) or all(_MANIFEST.fullmatch(item) for item in items):
        return False
    ordered = sorted((start, end, number) for number, places in spots.items() for start, end in places)
    run: set[int] = set()
    before = 0
    for start, end, number in ordered:
        if run and (start < before or not _NO_WORD.fullmatch(text, before, start)):
            run = set()
        run.add(number)
        before = end
        if len(run) == len(items):
            return True
    return False


def bounded(text: bytes, start: int, end: int) -> bool:
    """Say whether an item stands on its own: `core.py::Context.exit` is not in `core.py::Context.exit_code`."""
    if start and (text[start - 1 : start].isalnum() or text[start - 1] in b"_.-"):
        return False
    after = text[end : end + 2]
    return not (after[:1].isalnum() or after[:1] == b"_" or (after[:1] == b"." and after[1:].isalnum()))
