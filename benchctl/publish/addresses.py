"""Where pages stand, and how one is reached from another: relative, so that a site can be moved or opened as files."""

from __future__ import annotations

import posixpath
from urllib.parse import quote

__all__ = ["RUNS_PAGE", "cell_page", "link", "run_folder", "run_page"]

RUNS_PAGE = "runs/index.html"


def run_folder(run: str) -> str:
    """Return the folder of a run's page and its downloads."""
    return f"runs/{run}"


def run_page(run: str) -> str:
    """Return the path of a run's page."""
    return f"{run_folder(run)}/index.html"


def cell_page(run: str, cell: str) -> str:
    """Return the path of a cell's page; a cell's name is path-safe."""
    return f"{run_folder(run)}/cells/{cell}/index.html"


def link(source: str, target: str, *, leaf: bool) -> str:
    """Return the address of page `target` as written on page `source`.

    With `leaf` it names index.html, which a page opened from a disk needs; without, the folder.
    """
    path = posixpath.relpath(target, posixpath.dirname(source))
    if not leaf and posixpath.basename(path) == "index.html":
        path = posixpath.dirname(path) + "/"
    return quote(path if path != "/" else "./")
