"""Mounts that the collector makes itself, and their end: by system calls, since a command for each would cost more than the mount."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import re
import sys
from pathlib import Path

__all__ = [
    "BIND",
    "NODEV",
    "NOSUID",
    "READ_ONLY",
    "REMOUNT",
    "mount",
    "mounts_below",
    "unmount",
    "unmount_below",
]

READ_ONLY, NOSUID, NODEV, REMOUNT, BIND = 1, 2, 4, 32, 4096
"""Flags of mount(2), from linux/mount.h."""

_DETACH = 2
_TABLE = "/proc/self/mountinfo"
_ESCAPED = re.compile(rb"\\([0-7]{3})")


def mount(source: Path | str, target: Path, kind: str | None, flags: int, options: str | None = None) -> None:
    """Put a file system, or a folder, at `target`. Raises OSError, also where the system is not Linux."""
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    _checked(
        _libc().mount(
            os.fsencode(source),
            os.fsencode(target),
            kind.encode() if kind else None,
            ctypes.c_ulong(flags),
            os.fsencode(options) if options else None,
        ),
        target,
    )


def unmount(target: Path) -> None:
    """Take a mount away, from everybody who does not have it open. Raises OSError."""
    _checked(_libc().umount2(os.fsencode(target), _DETACH), target)


def mounts_below(folder: Path) -> list[Path]:
    """Return the mount points at and below a folder, the ones on top first; none where the system cannot tell."""
    try:
        with open(_TABLE, "rb") as table:  # noqa: PTH123 - read for every cell
            lines = table.read().splitlines()
    except OSError:
        return []
    whole = os.fsencode(folder)
    points = [_ESCAPED.sub(_byte, line.split(b" ", 5)[4]) for line in lines]
    return [
        Path(os.fsdecode(point))
        for point in reversed(points)
        if point == whole or point.startswith(whole + b"/")
    ]


def unmount_below(folder: Path) -> bool:
    """Take every mount at and below a folder away; return whether none is left."""
    # Each round sees what the one before uncovered: mounts may lie on top of each other.
    while found := mounts_below(folder):
        for point in found:
            with contextlib.suppress(OSError):
                unmount(point)
        if len(mounts_below(folder)) >= len(found):
            return False
    return True


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, target: Path) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(target))


def _byte(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 8)])
