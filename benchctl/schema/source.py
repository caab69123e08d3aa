"""A TOML file that a person writes, read strictly: every problem at once, each with its line.

tomllib keeps no positions. This reads table headers and key names line by line and
skips multi-line strings and arrays; it serves messages alone, so a key it cannot
place falls back to the nearest table above it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from benchctl.errors import InputError, Where
from benchctl.schema.unknown_key import unknown_key

__all__ = ["TomlLines", "TomlPath", "parse_toml", "problems_of"]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*="""
)
_AT = re.compile(r" \(at line (\d+), column (\d+)\)$")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)""")

TomlPath = tuple[str | int, ...]
"""Keys and indices from the top of a file down to a value."""

_Model = TypeVar("_Model", bound=BaseModel)


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(
        next(group for group in match.groups() if group is not None) for match in _PART.finditer(dotted)
    )


class TomlLines:
    """The place of each table and key of one TOML text; lines and columns are 1-based."""

    def __init__(self, text: str) -> None:
        self._text = text.splitlines()
        self._places: dict[TomlPath, tuple[int, int]] = {(): (1, 1)}
        counts: dict[TomlPath, int] = {}
        table: TomlPath = ()
        closing: str | None = None
        for number, line in enumerate(self._text, start=1):
            if closing is not None:
                if closing in line:
                    closing = None
                continue
            if header := _HEADER.match(line):
                table = self._resolve(_parts(header[2]), counts, is_array=header[1] == "[[")
                self._places.setdefault(table, (number, header.start(2) + 1))
            elif key := _KEY.match(line):
                self._places.setdefault((*table, *_parts(key[1])), (number, key.start(1) + 1))
                rest = line[key.end() :]
                closing = next((mark for mark in ('"""', "'''") if rest.count(mark) == 1), None)

    @staticmethod
    def _resolve(parts: tuple[str, ...], counts: dict[TomlPath, int], *, is_array: bool) -> TomlPath:
        """Return the path of a header, with the index of each array of tables on the way."""
        path: TomlPath = ()
        for index, part in enumerate(parts):
            path = (*path, part)
            if is_array and index == len(parts) - 1:
                counts[path] = counts.get(path, -1) + 1
            if path in counts:
                path = (*path, counts[path])
        return path

    def line(self, path: Sequence[str | int]) -> int:
        """Return the line of `path`, or of its nearest ancestor that has one."""
        return self.place(path)[0]

    def place(self, path: Sequence[str | int]) -> tuple[int, int]:
        """Return the line and column of the key `path`, or of its nearest ancestor that has one."""
        wanted = tuple(path)
        while wanted not in self._places:
            wanted = wanted[:-1]
        return self._places[wanted]

    def place_of(self, path: Sequence[str | int], written: str) -> tuple[int, int]:
        """Return where a text stands in quotes at `path` or below it, else the place of `path`."""
        line, column = self.place(path)
        for number, text in enumerate(self._text[line - 1 :], start=line):
            for quoted in (f'"{written}"', f"'{written}'"):
                found = text.find(quoted)
                if found >= 0:
                    return number, found + 1
        return line, column


def parse_toml(
    model: type[_Model], text: str, file: str, invalid: type[InputError], next_step: str
) -> _Model:
    """Return the model of a TOML text. Raises `invalid` with every problem of the file and its line."""
    try:
        # Strict models take tuples and no lists from Python, but arrays from JSON. No field of ours is a
        # date, and what a date becomes here fits none.
        data = json.dumps(tomllib.loads(text), default=lambda date: {"date": str(date)})
        return model.model_validate_json(data)
    except RecursionError as error:
        deepest = max(enumerate(text.splitlines(), start=1), key=lambda line: line[1].count("["))[0]
        where = Where(file, deepest)
        raise invalid("not TOML: nested too deeply", where=where, next_step=next_step) from error
    except ValidationError as error:
        problems = [
            (
                tuple(item["loc"]),
                unknown_key(model, item["loc"])
                if item["type"] == "extra_forbidden"
                else item["msg"].removeprefix("Value error, "),
            )
            for item in error.errors()
        ]
        raise problems_of(text, file, problems, invalid, next_step) from error
    except ValueError as error:  # TOML that is none, or an integer longer than Python reads
        raise _not_toml(error, text, file, invalid, next_step) from error


def _not_toml(
    error: ValueError, text: str, file: str, invalid: type[InputError], next_step: str
) -> InputError:
    """Return the error at the place that tomllib's message ends with; the error itself has none before Python 3.14."""
    found = _AT.search(str(error))
    place = (int(found[1]), int(found[2])) if found else (max(1, len(text.splitlines())), None)
    what = _AT.sub("", str(error))
    return invalid(f"not TOML: {what}", where=Where(file, *place), next_step=next_step)


def problems_of(
    text: str, file: str, problems: Iterable[tuple[TomlPath, str]], invalid: type[InputError], next_step: str
) -> InputError:
    """Return one error that says all problems (path, message) of a file, in the order of their lines."""
    lines = TomlLines(text)
    placed = sorted(
        (lines.line(path), ".".join(str(part) for part in path), message) for path, message in problems
    )
    first_line, first_path, first_message = placed[0]
    more = "".join(f"\n{file}:{line}: {path}: {message}" for line, path, message in placed[1:])
    return invalid(f"{first_path}: {first_message}{more}", where=Where(file, first_line), next_step=next_step)
