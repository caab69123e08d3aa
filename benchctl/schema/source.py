"""Where a key of a TOML file stands, so that an error about it can name the line.

tomllib keeps no positions. This reads table headers and key names line by line and
skips multi-line strings and arrays; it serves messages alone, so a key it cannot
place falls back to the nearest table above it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["TomlLines"]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*="""
)
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)""")

Path = tuple[str | int, ...]


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(
        next(group for group in match.groups() if group is not None) for match in _PART.finditer(dotted)
    )


class TomlLines:
    """The line of each table and key of one TOML text; lines are 1-based."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Path, int] = {(): 1}
        counts: dict[Path, int] = {}
        table: Path = ()
        closing: str | None = None
        for number, line in enumerate(text.splitlines(), start=1):
            if closing is not None:
                if closing in line:
                    closing = None
                continue
            if header := _HEADER.match(line):
                table = self._resolve(_parts(header[2]), counts, is_array=header[1] == "[[")
                self._lines.setdefault(table, number)
            elif key := _KEY.match(line):
                self._lines.setdefault((*table, *_parts(key[1])), number)
                rest = line[key.end() :]
                closing = next((mark for mark in ('"""', "'''") if rest.count(mark) == 1), None)

    @staticmethod
    def _resolve(parts: tuple[str, ...], counts: dict[Path, int], *, is_array: bool) -> Path:
        """Return the path of a header, with the index of each array of tables on the way."""
        path: Path = ()
        for index, part in enumerate(parts):
            path = (*path, part)
            if is_array and index == len(parts) - 1:
                counts[path] = counts.get(path, -1) + 1
            if path in counts:
                path = (*path, counts[path])
        return path

    def line(self, path: Sequence[str | int]) -> int:
        """Return the line of `path`, or of its nearest ancestor that has one."""
        wanted = tuple(path)
        while wanted not in self._lines:
            wanted = wanted[:-1]
        return self._lines[wanted]
