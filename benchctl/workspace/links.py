"""The symbolic links on the way to a file: each is a file of its own to git, and whoever changes one changes what is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["places_below", "places_of"]

_MOST_LINKS: Final = 40
"""As many as Linux follows before it calls them a loop."""


def places_of(file: Path) -> tuple[Path, ...]:
    """Return where a name leads: each link on the way, in its real folder, and last the file itself.

    What is not there leads to where it would be; a loop ends among its links.
    """
    start = Path.cwd() / file
    at, waiting, found = Path(start.anchor), _parts(start), list[Path]()
    while waiting and len(found) < _MOST_LINKS:
        part = waiting.pop()
        if part == "..":
            at = at.parent
            continue
        try:
            target = (at / part).readlink()
        except (OSError, ValueError):  # no link, nothing there, or no name that a file can have
            at /= part
            continue
        found.append(at / part)
        at = Path(target.anchor) if target.is_absolute() else at
        waiting += _parts(target)
    return (*dict.fromkeys(found), at)


def places_below(folder: Path, within: Path) -> Iterator[Path]:
    """Yield each link on the way to a folder and to all that is in it, and each real folder or file that they lead to.

    A real folder stands for what is in it. Only those in `within`, a real folder, are looked into for further links.
    """
    waiting, seen = [folder], set[Path]()
    while waiting:
        *links, real = places_of(waiting.pop())
        yield from links
        if real not in seen:
            seen.add(real)
            yield real
            if real.is_relative_to(within):
                waiting += _links_in(real)


def _links_in(folder: Path) -> Iterator[Path]:
    """Yield the links in a folder and in the folders below it, none of them followed."""
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        yield Path(entry.path)
                    elif entry.is_dir():
                        waiting.append(entry.path)
        except OSError:  # a file, or nobody may look into it: then nothing is read from it either
            continue


def _parts(path: Path) -> list[str]:
    """Return the names on a path, the first one last."""
    return [part for part in reversed(path.parts) if part != path.anchor]
