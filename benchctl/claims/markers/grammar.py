"""How a comment's words are parted: quotes and brackets kept whole, every piece with its place.

Expressions stay text here; what they mean is parsed where they are bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["GrammarError", "Option", "Source", "options", "split_outside"]

_NAME = re.compile(r'"(?P<quoted>[^"]+)"|(?P<bare>[^\s"\'=\[\](){},;]+)')
_LABEL = re.compile(r"""\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"',={}]+))\s*""")
_WORD = re.compile(r"\S")
_PAIRS = {"[": "]", "(": ")", "{": "}"}


class GrammarError(Exception):
    """A comment that does not parse; `position` is an offset of the page. Caught where the comment is read."""

    def __init__(self, position: int, what: str, expected: str) -> None:
        super().__init__(what)
        self.position = position
        self.what = what
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Source:
    """A piece of a comment and its offset on the page."""

    text: str
    start: int

    def cut(self, start: int, end: int) -> Source:
        """Return a part of it, without the white space around it."""
        piece = self.text[start:end]
        return Source(piece.strip(), self.start + start + len(piece) - len(piece.lstrip()))


@dataclass(frozen=True, slots=True)
class Option:
    """One `name=value`; `quoted` where the name stood in quotes. `value` has lost its outer quotes."""

    name: str
    quoted: bool
    value: Source
    start: int


def _characters(source: Source, start: int = 0) -> Iterator[tuple[int, str, bool]]:
    """Yield (index, character, whether it stands outside quotes and brackets)."""
    mark = ""
    closers: list[str] = []
    for index in range(start, len(source.text)):
        char = source.text[index]
        outside = not mark and not closers
        if mark:
            mark = "" if char == mark else mark
        elif char in "\"'":
            mark = char
        elif char in _PAIRS:
            closers.append(_PAIRS[char])
        elif closers and char == closers[-1]:
            closers.pop()
        yield index, char, outside


def split_outside(source: Source, separator: re.Pattern[str]) -> list[Source]:
    """Return the pieces between matches of `separator` that stand outside quotes and brackets."""
    pieces: list[Source] = []
    begin = skip = 0
    for index, _, outside in _characters(source):
        if outside and index >= skip and (found := separator.match(source.text, index)):
            pieces.append(source.cut(begin, index))
            begin = skip = found.end()
    return [*pieces, source.cut(begin, len(source.text))]


def options(source: Source) -> list[Option]:
    """Return the `name=value` pairs of a comment, parted by white space. Raises GrammarError."""
    found: list[Option] = []
    position = 0
    text = source.text
    while (word := _WORD.search(text, position)) is not None:
        position = word.start()
        name = _NAME.match(text, position)
        if not name or not text.startswith("=", name.end()):
            raise GrammarError(
                source.start + position, "this is no `name=value`", 'name=value or "a name"="a value"'
            )
        end = _value_end(source, name.end() + 1)
        value = _unquoted(source.cut(name.end() + 1, end))
        if not value.text.strip():
            raise GrammarError(source.start + position, f"`{name[0]}` has no value", "a value behind the `=`")
        found.append(
            Option(name["quoted"] or name["bare"], name["quoted"] is not None, value, source.start + position)
        )
        position = end
    return found


def _unquoted(value: Source) -> Source:
    """Return a value without its outer quotes. Raises GrammarError for a quote that is never closed."""
    mark = value.text[:1]
    if mark not in ("'", '"') or not mark:
        return value
    if value.text.find(mark, 1) != len(value.text) - 1:
        raise GrammarError(
            value.start, "this quote is not closed where the value ends", f"the value in {mark}…{mark}"
        )
    return Source(value.text[1:-1], value.start + 1)


def _value_end(source: Source, start: int) -> int:
    for index, char, outside in _characters(source, start):
        if outside and char.isspace():
            return index
    return len(source.text)


def label_map(source: Source) -> dict[str, str]:
    """Return the labels of `{"Plain grep"=grep, x=y}` without its braces. Raises GrammarError."""
    found: dict[str, str] = {}
    for piece in split_outside(source, re.compile(",")):
        label = _LABEL.match(piece.text)
        value = (
            _LABEL.fullmatch(piece.text, label.end() + 1)
            if label and piece.text[label.end() :][:1] == "="
            else None
        )
        if not label or not value:
            raise GrammarError(
                piece.start, "this is no label with its value", '"label in the table"=value in the run'
            )
        name = _text(label)
        if name in found:
            raise GrammarError(piece.start, f"the label `{name}` is mapped twice", "one value for each label")
        found[name] = _text(value)
    return found


def _text(match: re.Match[str]) -> str:
    return next(group for group in (match["double"], match["single"], match["bare"]) if group is not None)
