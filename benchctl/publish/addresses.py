"""Where pages stand, and how one is reached from another: relative, so that a site can be moved or opened as files."""

from __future__ import annotations

import hashlib
import posixpath
import re
from typing import Final
from urllib.parse import quote

from benchctl.schema.names import path_safe

__all__ = ["RUNS_PAGE", "cell_page", "link", "run_folder", "run_page"]

RUNS_PAGE = "runs/index.html"

_NAME_BYTES: Final = 255
"""The longest name of one file or folder that the usual file systems take."""
_PATH_BYTES: Final = 2000
"""The longest name of a cell as folders: a whole path of 4,096 bytes must hold it and the site's own folder."""
_HEAD_BYTES: Final = 180
_PLAIN: Final = re.compile(r"(?!\.+$)[A-Za-z0-9_.%-]+")
"""What a cell's name is made of. `~` is none of it, so a shortened name is never another cell's whole one."""


def run_folder(run: str) -> str:
    """Return the folder of a run's page and its downloads."""
    return f"runs/{run}"


def run_page(run: str) -> str:
    """Return the path of a run's page."""
    return f"{run_folder(run)}/index.html"


def cell_page(run: str, cell: str) -> str:
    """Return the path of a cell's page: its name as folders, and no two cells the same.

    A part that no file system takes (longer than 255 bytes: a question in Chinese is ten times its length)
    is its beginning and its digest.
    """
    parts = [part if _fits(part) else _shortened(part) for part in cell.split("/")]
    folders = "/".join(parts)
    return (
        f"{run_folder(run)}/cells/{folders if len(folders) <= _PATH_BYTES else _shortened(cell)}/index.html"
    )


def _fits(part: str) -> bool:
    return len(part) <= _NAME_BYTES and _PLAIN.fullmatch(part) is not None


def _shortened(name: str) -> str:
    return f"{path_safe(name)[:_HEAD_BYTES]}~{hashlib.sha256(name.encode()).hexdigest()[:32]}"


def link(source: str, target: str, *, leaf: bool) -> str:
    """Return the address of page `target` as written on page `source`.

    With `leaf` it names index.html, which a page opened from a disk needs; without, the folder.
    """
    path = posixpath.relpath(target, posixpath.dirname(source))
    if not leaf and posixpath.basename(path) == "index.html":
        path = posixpath.dirname(path) + "/"
    return quote(path if path != "/" else "./")
