"""Files that are there whole or not at all, and that never replace another.

Bytes go to a temporary name, are fsynced, and are then given their name by a hard
link, which fails where a rename would overwrite; the folder is fsynced last.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchctl.errors import StoreExistsError, StoreUnwritableError, Where

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "TEMPORARY",
    "create_once",
    "fsync_file",
    "fsync_folder",
    "link_once",
    "make_folder",
    "removed_after",
    "unwritable",
]

TEMPORARY = ".tmp"
"""How the name of a file ends that nobody needs once its writer is dead."""


@contextmanager
def unwritable(path: Path) -> Iterator[None]:
    """Turn an OSError inside into StoreUnwritableError naming `path`."""
    try:
        yield
    except OSError as error:
        raise StoreUnwritableError(
            f"cannot write: {error.strerror or error}",
            where=Where(str(path)),
            next_step="free the disk or the permission, then run the same command again",
        ) from error


def fsync_file(path: Path) -> None:
    """Flush a file's bytes to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def fsync_folder(folder: Path) -> None:
    """Flush a folder's names to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Create a folder and its parents durably; existing ones stay."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    with unwritable(folder):
        folder.mkdir(exist_ok=True)
        fsync_folder(folder.parent)


def link_once(temporary: Path, final: Path) -> None:
    """Give a fsynced temporary file its final name and drop the temporary one.

    Raises StoreExistsError where the final name is taken, whatever it holds.
    """
    make_folder(final.parent)
    with unwritable(final):
        try:
            os.link(temporary, final)
        except FileExistsError as error:
            raise StoreExistsError(
                "the file is already there, and files of a run are written once",
                where=Where(str(final)),
                next_step="choose another run id, or resume the run",
            ) from error
        temporary.unlink()
        fsync_folder(final.parent)


@contextmanager
def removed_after(path: Path) -> Iterator[None]:
    """Remove the file `path`, whatever happens inside; it need not exist. Raises StoreUnwritableError."""
    try:
        yield
    finally:
        with unwritable(path):
            path.unlink(missing_ok=True)


def create_once(final: Path, content: bytes, scratch: Path) -> None:
    """Write a file durably under a name nobody has, by way of the folder `scratch` on the same disk.

    Raises StoreExistsError where somebody has the name.
    """
    make_folder(scratch)
    temporary = scratch / f"{final.name}.{os.getpid()}{TEMPORARY}"
    with unwritable(final):
        try:
            temporary.write_bytes(content)
            fsync_file(temporary)
            link_once(temporary, final)
        finally:
            temporary.unlink(missing_ok=True)
