"""Everything below a folder that an agent may have made as deep as it likes: deeper than any path that the system takes."""

# Read for every cell, in which path objects would cost more than the files.

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Final

__all__ = ["entries_below"]

_LONG: Final = 3_000
"""A path that is longer is shortened by way of a descriptor; the system takes 4,096 bytes, and a name has up to 255."""

_LONGEST: Final = 16 * 1024
"""A folder with a longer path is not read: every level costs, and an agent decides how many there are."""


class _Door:
    """A folder by its descriptor, which has a short path for as long as this is there."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        self.path = f"/proc/self/fd/{self._fd}"

    def __del__(self) -> None:
        if hasattr(self, "_fd"):
            os.close(self._fd)


def entries_below(
    root: str, enter: Callable[[os.DirEntry[str]], bool] = lambda _: True
) -> Iterator[tuple[str, os.DirEntry[str] | None]]:
    """Yield the path, from `root` on, of every file below it and of every folder that is not entered; no link is followed.

    A folder that cannot be read has a path that ends with `/`, and no entry. Where `root` is no folder there is
    nothing. An entry can be asked until the next one comes.
    """
    waiting: list[tuple[str, str, _Door | None]] = [("", root, None)]
    while waiting:
        folder, place, door = waiting.pop()
        try:
            if len(os.fsencode(place)) > _LONG and len(os.fsencode(folder)) <= _LONGEST:
                door = _Door(place)
                place = door.path
            with os.scandir(place) as listing:
                entries = list(listing)
        except OSError:
            if folder:
                yield folder, None
            continue
        for entry in entries:
            path = f"{folder}{entry.name}"
            if entry.is_dir(follow_symlinks=False) and enter(entry):
                waiting.append((f"{path}/", entry.path, door))
            else:
                yield path, entry
