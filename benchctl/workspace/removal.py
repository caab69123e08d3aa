"""Removes a folder whatever an agent has made of it: without permissions, or deeper than any path or call stack.

Folders below the first level are moved up to it before they are entered: each step then works on two levels, by
descriptor, and no name gets longer than one.
"""

# Descriptors throughout, which path objects do not know.
# ruff: noqa: PTH101, PTH106, PTH208

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

__all__ = ["remove_stubborn"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MOVED = ".moved-"
_TAKEN = frozenset({errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR})


def remove_stubborn(root: Path) -> None:
    """Remove a folder and all below it as far as the system lets us; links are removed and not followed."""
    with contextlib.suppress(OSError):
        os.chmod(root, 0o700)
    try:
        top = os.open(root, _FOLDER)
    except OSError:
        return
    try:
        _empty(top)
    finally:
        os.close(top)
    with contextlib.suppress(OSError):
        os.rmdir(root)


def _empty(top: int) -> None:
    """Empty a folder; what cannot be removed is tried once and then left."""
    given_up: set[str] = set()
    number = 0
    while left := [name for name in os.listdir(top) if name not in given_up]:
        for name in left:
            if not _is_folder(name, top):
                if not _gone(os.unlink, name, top):
                    given_up.add(name)
                continue
            number = _lift(name, top, number)
            if not _gone(os.rmdir, name, top):
                given_up.add(name)


def _lift(name: str, top: int, number: int) -> int:
    """Remove the files of a folder and move its folders beside it; return the number of the last one that was moved."""
    with contextlib.suppress(OSError):
        os.chmod(name, 0o700, dir_fd=top)
    try:
        folder = os.open(name, _FOLDER, dir_fd=top)
    except OSError:
        return number
    try:
        for child in os.listdir(folder):
            if not _is_folder(child, folder):
                _gone(os.unlink, child, folder)
                continue
            with contextlib.suppress(OSError):  # to be moved, a folder has to be writable itself
                os.chmod(child, 0o700, dir_fd=folder)
            moved = False
            while not moved:
                number += 1
                try:
                    os.rename(child, f"{_MOVED}{number}", src_dir_fd=folder, dst_dir_fd=top)
                except OSError as error:
                    if error.errno in _TAKEN:
                        continue  # a name that was here before
                    break
                moved = True
    finally:
        os.close(folder)
    return number


def _is_folder(name: str, folder: int) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _gone(remove: Callable[..., None], name: str, folder: int) -> bool:
    try:
        remove(name, dir_fd=folder)
    except OSError:
        return False
    return True
