"""Which files are pages, and their text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.errors import NoPagesError, PageUnreadableError, Where

if TYPE_CHECKING:
    from benchctl.store.project import Project

__all__ = ["find_pages", "read_page", "shown_path"]


def find_pages(project: Project, paths: Sequence[Path]) -> list[tuple[Path, bool]]:
    """Return the files to read, and whether each was named itself, every file once. Raises NoPagesError."""
    found: dict[Path, bool] = {}
    if not paths:
        for pattern in project.config.claims.pages:
            found |= {file: False for file in sorted(project.root.glob(pattern)) if file.is_file()}
    for path in paths:
        if path.is_dir():
            found |= {file: found.get(file, False) for file in sorted(path.rglob("*.md"))}
        else:
            found[path] = True
    if not found:
        where = ", ".join(str(path) for path in paths) or ", ".join(project.config.claims.pages)
        raise NoPagesError(
            f"no page in {where}", next_step="name a page, or set `pages` under [claims] in benchctl.toml"
        )
    return list(found.items())


def read_page(file: Path) -> str:
    """Return the text of a page. Raises PageUnreadableError."""
    try:
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"not UTF-8: {error.reason} at byte {error.start + 1}"
        raise PageUnreadableError(what, where=Where(str(file))) from error
    except OSError as error:
        raise PageUnreadableError(f"cannot be read: {error.strerror}", where=Where(str(file))) from error


def shown_path(project: Project, file: Path) -> str:
    """Return what messages call a page: its path inside the project, else as it was named."""
    absolute = file.absolute()
    inside = absolute.is_relative_to(project.root)
    return absolute.relative_to(project.root).as_posix() if inside else str(file)
