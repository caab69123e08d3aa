"""Where templates are found: the project's own first, then the ones that came with benchctl.

A wheel carries them as `benchctl/templates`; a checkout, and an editable install of one,
has them at the repository's root.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["asset", "environment", "template_folders"]

_PACKAGE = Path(__file__).resolve().parent.parent


def template_folders(project_root: Path | None) -> tuple[Path, ...]:
    """Return the folders that exist, in the order in which they are searched."""
    own = (project_root / "templates",) if project_root is not None else ()
    folders = (*own, _PACKAGE / "templates", _PACKAGE.parent / "templates")
    return tuple(folder for folder in folders if folder.is_dir())


def environment(project_root: Path | None) -> Environment:
    """Return the jinja2 environment. Everything is escaped unless it is Markup, and a missing name is an error."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(template_folders(project_root)),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def asset(name: str, project_root: Path | None) -> str:
    """Return the text of a style sheet or script. Raises FileNotFoundError for a name that no folder has."""
    for folder in template_folders(project_root):
        file = folder / "assets" / name
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise FileNotFoundError(f"assets/{name} is in none of the template folders")
