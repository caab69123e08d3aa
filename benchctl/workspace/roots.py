"""The temporary folder of a run: private, outside of everything that must not be found, and gone when the run is.

Also after a run that was killed: the next one sweeps what it left, mounts included.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchctl.errors import PreflightRefusedError
from benchctl.workspace.mounts import unmount_below
from benchctl.workspace.removal import remove_stubborn

__all__ = ["cell_root", "in_cell_root", "remove_tree"]

_PREFIX = "benchctl-"
_OWNER = ".owner"


@contextlib.contextmanager
def cell_root(*, outside: Sequence[Path] = ()) -> Iterator[Path]:
    """Give a private folder for a run's cells, removed afterwards.

    It lies outside every git checkout and outside the folders given, so that walking up from a cell finds
    no history and no answer. Raises PreflightRefusedError where no temporary folder is such a place.
    """
    forbidden = [path.resolve() for path in outside]
    for place in dict.fromkeys((tempfile.gettempdir(), "/var/tmp", "/dev/shm")):  # noqa: S108 - private by mkdtemp
        parent = Path(place).resolve()
        if not os.access(parent, os.W_OK) or any(parent.is_relative_to(path) for path in forbidden):
            continue
        if any((above / ".git").exists() for above in (parent, *parent.parents)):
            continue
        _sweep(parent)
        root, owner = _owned_root(parent)
        try:
            yield root
        finally:
            try:
                _remove_root(root)
            finally:
                os.close(owner)  # last: a root that nobody holds is anybody's to remove
        return
    raise PreflightRefusedError(
        "no temporary folder lies outside of every git checkout",
        next_step="set TMPDIR to a folder that does",
    )


def _owned_root(parent: Path) -> tuple[Path, int]:
    """Return a new root, and the lock by which others know that it is in use; the system lets go of it at any death.

    Until the lock is ours, another run's sweep takes the root for a dead one's and removes it; then another is made.
    """
    while True:
        root = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        fd = os.open(root / _OWNER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
        except BaseException:
            os.close(fd)
            raise
        if os.fstat(fd).st_nlink > 0:
            return root, fd
        os.close(fd)


def _sweep(parent: Path) -> None:
    """Remove the roots of runs that were killed before they could do so themselves."""
    for root in parent.glob(f"{_PREFIX}*"):
        try:
            fd = os.open(root / _OWNER, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            continue  # not one of ours, or of another user, or not owned yet
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove_root(root)
        except BlockingIOError:
            continue
        finally:
            os.close(fd)


def _remove_root(root: Path) -> None:
    """Remove a root, last the file by which others know whose it is: who is killed meanwhile leaves it to be swept."""
    if not unmount_below(root):
        return
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(root)):
            if entry.is_dir(follow_symlinks=False):
                remove_tree(Path(entry.path))
            elif entry.name != _OWNER:
                with contextlib.suppress(OSError):
                    Path(entry.path).unlink()
    remove_tree(root)


def in_cell_root(folder: Path) -> bool:
    """Return whether a folder lies in such a place, so that a mount at it has an end."""
    return any((above / _OWNER).is_file() for above in folder.parents)


def remove_tree(root: Path) -> None:
    """Remove a folder and all below it, however deep, also where an agent took the permissions away; links are not followed.

    Mounts in it are taken away first. Where one cannot be, nothing is removed: what it shows is somebody else's.
    """
    if not unmount_below(root):
        return
    try:
        shutil.rmtree(root)
    except (OSError, RecursionError):
        remove_stubborn(root)
