"""A tree on top of a tree: what a cell writes lands in a folder of its own, and the base below stays as it is.

Mounting needs a privilege that most users do not have; whether it works is tried once for each place, by effect.
"""

# Read for every cell.

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchctl.workspace.deep_walk import entries_below
from benchctl.workspace.mounts import (
    BIND,
    NODEV,
    NOSUID,
    READ_ONLY,
    REMOUNT,
    mount,
    unmount,
)

__all__ = ["seal", "sealed", "stack", "touched", "unavailable"]

_KINDS = ("trusted.overlay.opaque", "trusted.overlay.redirect")
_RESERVED = frozenset(",:\\")


@functools.cache
def unavailable(place: Path) -> str | None:
    """Return why no tree can be stacked on another at `place`; None where it works."""
    if _RESERVED & set(str(place)):
        return f"the path {place} holds a character that the mount options reserve"
    with tempfile.TemporaryDirectory(prefix="overlay-", dir=place) as folder:
        return _tried(Path(folder))


def _tried(folder: Path) -> str | None:
    base, own, tree = (folder / name for name in ("base", "own", "tree"))
    for path in (base, own, tree, base / "inner"):
        path.mkdir()
    for name in ("gone", "altered"):
        (base / name).write_text("base")
    (base / "inner" / "file").write_text("base")
    try:
        stack([base], own, tree)
    except OSError as error:
        return f"overlayfs cannot be mounted: {error.strerror}"
    try:
        (tree / "gone").unlink()
        (tree / "altered").write_text("cell")
        (tree / "inner").rename(tree / "moved")
        found = sorted(path for path, _ in touched(own))
    except OSError as error:
        return f"overlayfs does not hold what is written to it: {error.strerror}"
    finally:
        unmount(tree)
    whole = found == ["altered", "gone", "inner", "moved"] and (base / "altered").read_text() == "base"
    return None if whole else "overlayfs does not show what was changed"


def stack(lowers: Sequence[Path], own: Path, tree: Path) -> None:
    """Mount at `tree` the folders `lowers`, the first one on top, with everything written kept below `own`.

    Raises OSError where the system refuses.
    """
    upper, work = own / "upper", own / "work"
    upper.mkdir(mode=0o755)  # the mode of the tree itself
    work.mkdir(mode=0o700)
    # Without redirect_dir a rename of a folder fails, as it does in no ordinary tree.
    options = f"redirect_dir=on,index=off,metacopy=off,lowerdir={':'.join(map(str, lowers))},upperdir={upper},workdir={work}"
    mount("overlay", tree, "overlay", NOSUID | NODEV, options)


def touched(own: Path) -> Iterator[tuple[str, bool]]:
    """Yield what was written on top: (path, whether all that lies below it in either tree may differ too).

    A file may be as it was: opening it for writing is enough. A path that ends with `/` is of a folder that
    cannot be read: as a whole it was written by the agent.
    """
    for path, entry in entries_below(str(own / "upper"), lambda entry: not _replaced(entry.path)):
        yield path, entry is not None


def _replaced(folder: str) -> bool:
    """Return whether a folder hides the one below it, or shows another one's content."""
    try:
        return any(name in _KINDS for name in os.listxattr(folder, follow_symlinks=False))
    except OSError:
        return False  # nothing that a base can hold


def seal(folder: Path) -> bool:
    """Make a folder read-only for everybody, root included; return False where the system refuses.

    The seal is a mount: whoever asks for it has to take it away.
    """
    try:
        mount(folder, folder, None, BIND)
    except OSError:
        return False
    try:
        mount("none", folder, None, BIND | REMOUNT | READ_ONLY | NOSUID | NODEV)
    except OSError:
        unmount(folder)
        return False
    return True


def sealed(folder: Path) -> bool:
    """Return whether nobody can write below a folder."""
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
