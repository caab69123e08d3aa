"""The project's own named values, each with its line in benchctl.toml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.errors import Where
from benchctl.expressions import Definition, parse_definitions
from benchctl.schema.source import TomlLines
from benchctl.store.project import PROJECT_FILE

if TYPE_CHECKING:
    from benchctl.store.project import Project

__all__ = ["project_lines", "project_names"]


def project_names(project: Project, changed: frozenset[str] | None = None) -> dict[str, Definition]:
    """Return the named values of benchctl.toml; their SQL is not trusted where that file is among `changed`.

    Raises ValueInvalidError with every problem and its line.
    """
    lines = project_lines(project)
    return parse_definitions(
        project.config.values,
        place=lambda key: Where(PROJECT_FILE, lines.line(("values", key))),
        trusted=changed is None or PROJECT_FILE not in changed,
    )


def project_lines(project: Project) -> TomlLines:
    """Return where everything stands in benchctl.toml; of a file that is gone by now, nowhere but at its beginning."""
    try:
        return TomlLines((project.root / PROJECT_FILE).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError):
        return TomlLines("")
