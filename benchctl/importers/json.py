"""A JSON document: the array that a pointer names, its objects one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from benchctl.errors import ImportUnreadableError, OptionInvalidError
from benchctl.expressions import near
from benchctl.importers.base import Sheet, Tally
from benchctl.importers.encoding import BYTE_ORDER_MARK, encoding_of, undecodable
from benchctl.importers.objects import Document, Flattener, aligned, json_text
from benchctl.quantities.format import counted
from benchctl.schema import pointers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchctl.importers.base import ReadOptions

__all__ = ["SUFFIX", "read"]

SUFFIX: Final = "json"


def read(path: Path, options: ReadOptions) -> Sheet:
    """Return the array's objects as a sheet. The document's text is held in memory, its rows are not."""
    encoding, notes = encoding_of(path, options)
    try:
        text = path.read_text(encoding=encoding)
    except UnicodeDecodeError as error:
        raise undecodable(path, options, encoding) from error
    text = text.removeprefix(BYTE_ORDER_MARK)
    start = _Search(Document(text, options), _tokens(options.pointer or "")).array()

    def objects() -> Iterator[tuple[int, dict[str, Any]]]:
        return _objects(Document(text, options), start)

    columns = Flattener(options).columns(objects())
    return Sheet(
        columns=tuple(columns),
        bare=(False,) * len(columns),
        unit="line",
        rows=lambda: aligned(objects(), columns, options),
        encoding=encoding,
        notes=notes,
        tally=Tally(),
        options={"pointer": options.pointer} if options.pointer else {},
    )


def _tokens(pointer: str) -> list[str]:
    """Return a pointer's keys (RFC 6901). Raises OptionInvalidError."""
    if pointer and not pointer.startswith("/"):
        raise OptionInvalidError(
            f"--pointer: {pointer!r} does not begin with a slash",
            expected="such as /results/0/rows",
            next_step="leave it out where the document is the array itself",
        )
    return pointers.keys(pointer)


class _Search:
    """The way to the array, through a document that is read to its end: what follows the array is held to be JSON too."""

    def __init__(self, document: Document, tokens: list[str]) -> None:
        self._document = document
        self._tokens = tokens
        self._found: int | None = None

    def array(self) -> int:
        """Return where the array begins. Raises ImportUnreadableError."""
        self._document.end(self._walk(self._document.skip(0), self._tokens))
        if self._found is None:
            raise self._document.unreadable("there is no such array", 0)
        return self._found

    def _walk(self, position: int, tokens: list[str]) -> int:
        """Return where the value ends that begins here, having looked for the array inside."""
        opening = self._document.text[position : position + 1]
        if not tokens:
            if opening != "[":
                raise self._no_array(position)
            self._found = position
            for _, _, end in _elements(self._document, position):
                position = end
            return _closing(self._document, position, "]", self._found)
        if opening == "{":
            return self._members(position, tokens)
        if opening == "[":
            return self._items(position, tokens)
        raise self._lost(position, tokens[0], ())

    def _members(self, position: int, tokens: list[str]) -> int:
        document, seen, begin = self._document, dict[str, None](), position
        position = document.skip(position + 1)
        while document.text[position : position + 1] != "}":
            key, position = document.value(position)
            if not isinstance(key, str) or key in seen:
                raise document.unreadable(
                    f"the key {key!r} stands twice in one object", begin, "each key once"
                )
            seen[key] = None
            position = document.skip(position)
            if document.text[position : position + 1] != ":":
                raise document.unreadable("not JSON: Expecting ':' delimiter", position)
            position = document.skip(position + 1)
            position = self._walk(position, tokens[1:]) if key == tokens[0] else document.value(position)[1]
            position = _after(document, position, "}")
        if tokens[0] not in seen:
            raise self._lost(begin, tokens[0], list(seen))
        return position + 1

    def _items(self, position: int, tokens: list[str]) -> int:
        document, begin, index = self._document, position, 0
        position = document.skip(position + 1)
        while document.text[position : position + 1] != "]":
            position = (
                self._walk(position, tokens[1:]) if str(index) == tokens[0] else document.value(position)[1]
            )
            position = _after(document, position, "]")
            index += 1
        if not any(str(number) == tokens[0] for number in range(index)):
            raise self._lost(begin, tokens[0], [str(number) for number in range(min(index, 3))])
        return position + 1

    def _lost(self, position: int, token: str, known: list[str] | tuple[()]) -> ImportUnreadableError:
        where = self._document.options.where(self._document.line(position))
        return ImportUnreadableError(
            f"--pointer: there is no {token!r} here",
            where=where,
            expected=near(token, known) or ", ".join(known[:10]) or "an object or an array",
            next_step="write the keys as the document has them; a slash inside one is ~1, a tilde ~0",
        )

    def _no_array(self, position: int) -> ImportUnreadableError:
        value, end = self._document.value(position)
        if position == self._document.skip(0):
            self._document.end(end)  # what follows says more of the file than its first value does
        found = list(_arrays(value, self._document.options.pointer or "", 3))
        named = " or ".join(f"`--pointer {pointer}`" for pointer in found[:3])
        return ImportUnreadableError(
            f"not an array but {_described(value, found)}",
            where=self._document.options.where(self._document.line(position)),
            expected="an array of objects",
            next_step=f"{named} names one" if named else _remedy(value),
        )


_BY_KEY: Final = (
    "make an array of the objects: `jq 'to_entries | map({key} + .value)'`; --pointer only finds arrays"
)


def _described(value: object, found: list[str]) -> str:
    """Return what stands where an array of objects was to be."""
    match value:
        case dict() if not value:
            return "an empty object"
        case dict():
            objects = sum(isinstance(item, dict) for item in value.values())
            if objects == len(value):
                return f"an object of {counted(objects, 'object')}"
            keys = f"an object of {counted(len(value), 'key')}"
            return keys if found else f"{keys} without an array of objects inside"
        case _:
            return f"`{json_text(value)[:40]}`"


def _remedy(value: object) -> str:
    """Return what makes rows of a document that holds no array of objects."""
    if not isinstance(value, dict):
        return "each row has to be an object whose keys are the columns, and all of them one array"
    if value and all(isinstance(item, dict) for item in value.values()):
        return _BY_KEY
    if any(isinstance(item, list) for item in value.values()):
        return "its arrays hold no objects: make one object of each row, whose keys are the columns"
    return "one object is one row: put it in brackets, or in a line of its own as jsonl"


def _arrays(value: object, pointer: str, depth: int) -> Iterator[str]:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        yield pointer
        yield from _arrays(value[0], f"{pointer}/0", depth - 1)
    elif isinstance(value, dict) and depth > 0:
        for key, item in value.items():
            yield from _arrays(item, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}", depth - 1)


def _elements(document: Document, start: int) -> Iterator[tuple[int, Any, int]]:
    """Yield (where it begins, the value, where the next begins or the array ends) of each element."""
    position = document.skip(start + 1)
    while document.text[position : position + 1] != "]":
        begin = position
        value, position = document.value(begin)
        position = _after(document, position, "]")
        yield begin, value, position


def _after(document: Document, position: int, closing: str) -> int:
    """Return where the next element begins, or where `closing` stands."""
    position = document.skip(position)
    if document.text[position : position + 1] == ",":
        position = document.skip(position + 1)
        if document.text[position : position + 1] != closing:
            return position
    elif document.text[position : position + 1] == closing:
        return position
    raise document.unreadable(f"not JSON: Expecting ',' or '{closing}'", position)


def _closing(document: Document, position: int, closing: str, start: int) -> int:
    position = position if position > start else document.skip(start + 1)
    if document.text[position : position + 1] != closing:
        raise document.unreadable("not JSON: the array does not end", position)
    return position + 1


def _objects(document: Document, start: int) -> Iterator[tuple[int, dict[str, Any]]]:
    for begin, value, _ in _elements(document, start):
        line = document.line(begin)
        if not isinstance(value, dict):
            raise ImportUnreadableError(
                f"an element of the array is no object: {json_text(value)[:60]}",
                where=document.options.where(line),
                expected="an array of objects",
                next_step="make an object of it whose keys are the columns",
            )
        yield line, value
