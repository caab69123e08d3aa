"""The file beside a page, `x.claims.toml` for `x.md`: the page's own named values, and how strictly it is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from benchctl.claims.files import Found
from benchctl.errors import BenchctlError, PageFileInvalidError, ValueInvalidError, Where
from benchctl.expressions import Definition, names_in, parse_definitions
from benchctl.schema.page_file import PageFile, parse_page_file
from benchctl.schema.source import TomlLines

__all__ = ["NOTHING", "Beside", "project_values", "read_beside"]


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside a page; `file` is what messages call it, "" where there is none.

    `definitions` are the page's own names alone. `max_unbound` None allows no unbound number. `problems` is
    what is wrong with the file, each with its line.
    """

    file: str = ""
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    max_unbound: int | None = None
    errors: tuple[str, ...] = ()
    problems: tuple[BenchctlError, ...] = ()
    lines: TomlLines = field(default_factory=lambda: TomlLines(""), compare=False)


NOTHING: Final = Beside()
"""Beside a page without such a file."""


def read_beside(
    files: Collection[Found], project: Mapping[str, Definition], changed: frozenset[str] | None
) -> Beside:
    """Return what the files beside a page say; never raises for what is in them.

    `project` are the names that the page's own may use and hide; SQL of a file that is among `changed` is not
    trusted.
    """
    if not files:
        return NOTHING
    (name, content), *others = files
    try:
        text = _text(name, content, others)
        said = parse_page_file(text, name)
    except PageFileInvalidError as error:
        return Beside(name, problems=tuple(_each(error)))
    return _said(name, text, said, project, trusted=changed is None or name not in changed)


def project_values(used: Iterable[str], beside: Beside) -> set[str]:
    """Return the names among those used on a page, and in its own values, that are the project's."""
    own = beside.definitions
    return {*used, *(name for value in own.values() for name in names_in(value.node))} - own.keys()


def _text(name: str, content: bytes | str, others: Collection[Found]) -> str:
    for other, _ in others:
        raise PageFileInvalidError(
            f"{name} and {other} both stand beside this page",
            where=Where(name),
            next_step="keep one of them",
        )
    if isinstance(content, str):
        raise PageFileInvalidError(f"cannot be read: {content}", where=Where(name))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"not UTF-8: {error.reason} at byte {error.start + 1}"
        raise PageFileInvalidError(what, where=Where(name, line)) from error


def _said(
    name: str, text: str, said: PageFile, project: Mapping[str, Definition], *, trusted: bool
) -> Beside:
    lines = TomlLines(text)

    def place(key: str) -> Where:
        return Where(name, lines.line(("values", key)))

    problems: tuple[BenchctlError, ...] = ()
    definitions: Mapping[str, Definition] = {}
    try:
        definitions = parse_definitions(said.values, place=place, outer=project, trusted=trusted)
    except ValueInvalidError as error:
        problems = tuple(_each(error))
    return Beside(name, definitions, said.max_unbound, said.errors, problems, lines)


def _each(error: BenchctlError) -> list[BenchctlError]:
    """Return an error that says several problems as one a problem: the first has its place, the others say theirs."""
    first, *others = error.what.split("\n")
    kind, step = type(error), error.next_step or "correct the file beside the page"
    return [
        kind(first, where=error.where, expected=error.expected, next_step=step),
        *(kind(other, next_step=step) for other in others),
    ]
