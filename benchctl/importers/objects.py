"""JSON objects as rows: parsed without losing a digit or a doubled key, nested ones flattened with dots."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from benchctl.errors import ImportUnreadableError
from benchctl.importers.base import ABSENT, WIDEST, Number, too_wide

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from benchctl.importers.base import Raw, ReadOptions

__all__ = ["Document", "Flattener", "aligned", "json_text"]

_MEND: Final = "mend this place, or have whoever wrote the file write it anew"
_SPACE = re.compile(r"[ \t\n\r]*")


class _DoubledKeyError(ValueError):
    """A key that stands twice in one object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _DoubledKeyError(key)
            seen.add(key)
    return made


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=Number, parse_float=Number, parse_constant=Number
)


class Document:
    """A JSON text. Numbers stay as written, and NaN and Infinity are numbers that no column of numbers holds.

    `first_line` is the line of the file in which the text begins.
    """

    def __init__(self, text: str, options: ReadOptions, *, first_line: int = 1) -> None:
        self.text = text
        self.options = options
        self._first_line = first_line
        self._escaped = "\\u" in text
        self._counted = (0, first_line)

    def whole(self) -> Any:
        """Return the one value that the text is. Raises ImportUnreadableError."""
        value, end = self.value(self.skip(0))
        self.end(end)
        return value

    def value(self, position: int) -> tuple[Any, int]:
        """Return (the value that begins here, where it ends). Raises ImportUnreadableError."""
        try:
            value, end = _DECODER.raw_decode(self.text, position)
            if self._escaped and "\\u" in self.text[position:end]:
                _refuse_unsayable(value)
        except json.JSONDecodeError as error:
            raise self.unreadable(f"not JSON: {error.msg}", error.pos) from error
        except _DoubledKeyError as error:
            raise self.unreadable(
                f"the key {error.args[0]!r} stands twice in one object", position, "each key once"
            ) from error
        except RecursionError as error:
            raise self.unreadable("nested too deeply", position) from error
        except ValueError as error:
            raise self.unreadable(str(error), position, "text that UTF-8 can say") from error
        return value, end

    def skip(self, position: int) -> int:
        """Return where the next thing begins."""
        match = _SPACE.match(self.text, position)
        return match.end() if match else position

    def end(self, position: int) -> None:
        """Raise ImportUnreadableError where something follows the end of the text."""
        if (rest := self.skip(position)) != len(self.text):
            raise self.unreadable(
                "something follows the end of the JSON",
                rest,
                next_step="objects one after the other are JSON Lines: `jq -c .` writes each in a line of its own,"
                " and the format is jsonl"
                if self.text[rest] == "{"
                else _MEND,
            )

    def line(self, position: int) -> int:
        """Return the line of a position; asked in rising order it reads the text once."""
        done, line = self._counted
        if position < done:
            done, line = 0, self._first_line
        line += self.text.count("\n", done, position)
        self._counted = (position, line)
        return line

    def unreadable(
        self, what: str, position: int, expected: str | None = None, next_step: str = _MEND
    ) -> ImportUnreadableError:
        """Return a refusal placed at a position."""
        column = position - self.text.rfind("\n", 0, position)
        return ImportUnreadableError(
            what,
            where=self.options.where(self.line(position), column),
            expected=expected,
            next_step=next_step,
        )


def _refuse_unsayable(value: object) -> None:
    """Raise ValueError where a text anywhere inside holds what no file of ours can say."""
    match value:
        case str():
            if "\0" in value:
                raise ValueError("the character NUL (\\u0000)")
            try:
                value.encode()
            except UnicodeEncodeError:
                raise ValueError("half a character (a lone surrogate)") from None
        case dict():
            for key, item in value.items():
                _refuse_unsayable(key)
                _refuse_unsayable(item)
        case list():
            for item in value:
                _refuse_unsayable(item)


def json_text(value: object) -> str:
    """Return a parsed value as compact JSON text, its numbers as they were written."""
    match value:
        case Number():
            return str(value)
        case dict():
            inner = (
                f"{json.dumps(key, ensure_ascii=False)}:{json_text(item)}" for key, item in value.items()
            )
            return "{" + ",".join(inner) + "}"
        case list():
            return "[" + ",".join(map(json_text, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


class Flattener:
    """Nested objects as one row: `{"a": {"b": 1}}` is the column `a.b`; an empty object and a list stay JSON texts."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._paths: dict[str, tuple[str, ...]] = {}

    def columns(self, objects: Iterable[tuple[int, dict[str, object]]]) -> dict[str, int]:
        """Return each column's place in the order in which the columns are first met. Raises ImportUnreadableError."""
        for line, row in objects:
            self.row(row, line)
            if len(self._paths) > WIDEST:
                raise too_wide(self._options, len(self._paths))
        return {name: index for index, name in enumerate(self._paths)}

    def row(self, values: Mapping[str, object], line: int) -> dict[str, Raw]:
        """Return an object's flat values by column. Raises ImportUnreadableError where two paths read alike."""
        flat: dict[str, Raw] = {}
        try:
            self._flatten(values, (), flat, line)
        except RecursionError as error:
            raise ImportUnreadableError(
                "nested too deeply", where=self._options.where(line), next_step=_MEND
            ) from error
        return flat

    def _flatten(
        self, values: Mapping[str, object], above: tuple[str, ...], flat: dict[str, Raw], line: int
    ) -> None:
        for key, value in values.items():
            path = (*above, key)
            if isinstance(value, dict) and value:
                self._flatten(value, path, flat, line)
                continue
            name = ".".join(path)
            if self._paths.setdefault(name, path) != path:
                raise ImportUnreadableError(
                    f"the key {' in '.join(map(repr, reversed(path)))} and the key"
                    f" {' in '.join(map(repr, reversed(self._paths[name])))} both read as {name!r}",
                    where=self._options.where(line),
                    expected="one meaning for each dotted name",
                    next_step="rename one of them",
                )
            flat[name] = _raw(value)


def _raw(value: object) -> Raw:
    if value is None or isinstance(value, str | bool):
        return value
    return json_text(value)


def aligned(
    objects: Iterable[tuple[int, dict[str, object]]], columns: Mapping[str, int], options: ReadOptions
) -> Iterator[tuple[int, Sequence[Raw]]]:
    """Yield each object's values in the order of these columns, ABSENT where it has not the key."""
    flattener, width = Flattener(options), len(columns)
    for line, values in objects:
        row: list[Raw] = [ABSENT] * width
        for name, value in flattener.row(values, line).items():
            row[columns[name]] = value
        yield line, row
