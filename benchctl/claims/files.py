"""Which files are pages, and their text."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchctl.errors import NoPagesError, PageUnreadableError, Where
from benchctl.store.disk.untrusted import read_linked

if TYPE_CHECKING:
    from benchctl.store.project import Project

__all__ = [
    "BESIDE",
    "MOST_BYTES",
    "Found",
    "files_beside",
    "find_pages",
    "is_inside",
    "named_really",
    "names_beside",
    "read_page",
    "shown_path",
]

MOST_BYTES: Final = 64 * 1024 * 1024
"""The largest page, file beside one, or lock; none that a person wrote is."""

BESIDE: Final = ".claims.toml"
"""How the file beside a page ends: `x.claims.toml` or `x.md.claims.toml` for `x.md`."""

Found = tuple[str, bytes | str]
"""A file beside a page as messages call it, and its bytes; a text where it cannot be read: why."""


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
    found = _each_once(project, found)
    if not found:
        where = ", ".join(str(path) for path in paths) or ", ".join(project.config.claims.pages)
        raise NoPagesError(
            f"no page in {where}", next_step="name a page, or set `pages` under [claims] in benchctl.toml"
        )
    return list(found.items())


def _each_once(project: Project, found: dict[Path, bool]) -> dict[Path, bool]:
    """Return every page once, under the first of the names that it was given; named where one of them was."""
    first: dict[str, Path] = {}
    for path in found:
        first.setdefault(shown_path(project, path), path)
    named = {first[shown_path(project, path)] for path, by_name in found.items() if by_name}
    return {path: path in named for path in first.values()}


def read_page(file: Path) -> str:
    """Return the text of a page. Raises PageUnreadableError."""
    try:
        return read_linked(file, MOST_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"not UTF-8: {error.reason} at byte {error.start + 1}"
        raise PageUnreadableError(what, where=Where(str(file))) from error
    except OSError as error:
        raise PageUnreadableError(f"cannot be read: {error.strerror}", where=Where(str(file))) from error


def shown_path(project: Project, file: Path) -> str:
    """Return what messages and claims.lock call a file: its path from the project's folder, whichever way it was named.

    The folder that a file is in is the one it really is in; a file that is a link keeps its own name.
    """
    place = Path(os.path.realpath(file.parent), file.name) if file.name else file.resolve()
    return Path(os.path.relpath(place, os.path.realpath(project.root))).as_posix()


def named_really(project: Project) -> Project:
    """Return a project whose `max_unbound` calls each page as `shown_path` does: of two names of one page the lower limit."""
    limits: dict[str, int] = {}
    for page, limit in project.config.claims.max_unbound.items():
        name = page if "\0" in page else shown_path(project, project.root / page)
        limits[name] = min(limit, limits.get(name, limit))
    if limits == project.config.claims.max_unbound:
        return project
    claims = project.config.claims.model_copy(update={"max_unbound": limits})
    return replace(project, config=project.config.model_copy(update={"claims": claims}))


def is_inside(project: Project, file: Path) -> bool:
    """Whether a file, links followed, is in the project's folder."""
    return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(project.root))


def names_beside(page: Path) -> tuple[str, ...]:
    """Return what a file beside a page may be called."""
    return tuple(dict.fromkeys((f"{page.stem}{BESIDE}", f"{page.name}{BESIDE}")))


def files_beside(project: Project, path: str) -> tuple[Found, ...]:
    """Return the files there are beside a page; `path` is what messages call the page."""
    page = Path(path)
    folder = Path(os.path.realpath(project.root)) / page.parent
    found: list[Found] = []
    for name in names_beside(page):
        shown = (page.parent / name).as_posix()
        try:
            found.append((shown, read_linked(folder / name, MOST_BYTES)))
        except (FileNotFoundError, NotADirectoryError, ValueError):
            continue
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:  # a page may have the longest name that there is
                continue
            found.append((shown, error.strerror or str(error)))
    return tuple(found)
