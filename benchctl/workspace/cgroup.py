"""A control group per cell: whoever is born in a cell is in it, and all of them are ended at one stroke.

Only where a version 2 hierarchy can be written to (by root, or where a folder of it was delegated); elsewhere
stragglers.py is all there is. A group outlives whoever made it, and its name says whose cell it was.
"""

# Names and numbers throughout, read for every cell.
# ruff: noqa: PTH102, PTH106, PTH118, PTH119, PTH208

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CellGroup", "end_group_of", "end_groups", "groups_home", "remove_empty_groups"]

_PREFIX = "benchctl-"
_SPOKEN = re.compile(r"[A-Za-z0-9-]{1,100}")
_EMPTY_S = 5.0
_ROUND_S = 0.0005


@dataclass
class CellGroup:
    """The group of one cell, which its worker enters before the cell is started; `home` is where it came from."""

    home: str
    path: str

    @classmethod
    def entered(cls, home: str, marker: str) -> CellGroup | None:
        """Return a new group for a cell with this marker, this process in it; None where that is refused."""
        group = cls(home, os.path.join(home, f"{_name(marker)}.{os.getpid()}"))
        try:
            os.mkdir(group.path, 0o755)
            _join(group.path)
        except OSError:
            with contextlib.suppress(OSError):
                os.rmdir(group.path)
            return None
        return group

    def others(self) -> frozenset[int]:
        """Return who is in the group beside this process; the dead are not."""
        return _members(self.path) - {os.getpid()}

    def end(self) -> frozenset[int]:
        """End all others that are in the group, where there are any, and leave it; return who they were."""
        others = self.others()
        if others:
            with contextlib.suppress(OSError):
                _join(self.home)
                _end(self.path)
        return others


def groups_home() -> str | None:
    """Return the folder in which this process can make groups, found by making one and ending a child in it."""
    home = _own()
    if home is None or not hasattr(os, "fork"):
        return None
    path = os.path.join(home, f"{_PREFIX}probe.{os.getpid()}")
    try:
        os.mkdir(path, 0o755)
        works = _ends_a_child(path)
        os.rmdir(path)
    except OSError:
        with contextlib.suppress(OSError):
            os.rmdir(path)
        return None
    return home if works else None


def end_group_of(home: str, worker: int) -> None:
    """End what is left in the group of a worker that is dead, and remove it."""
    for name in _listdir(home):
        if name.startswith(_PREFIX) and name.endswith(f".{worker}"):
            with contextlib.suppress(OSError):
                _end(os.path.join(home, name))


def remove_empty_groups(home: str) -> None:
    """Remove the groups of dead workers that nobody is in: whoever should have done so died as well."""
    for name in _listdir(home):
        worker = name.rpartition(".")[2]
        if name.startswith(_PREFIX) and worker.isdecimal() and not _is_taken(int(worker)):
            with contextlib.suppress(OSError):  # somebody is in it, and it is for who goes on with that run
                os.rmdir(os.path.join(home, name))


def end_groups(marker: str, *, whole: bool = False) -> frozenset[int]:
    """End all groups of cells whose marker is this, or begins with it; return who was in them.

    They are looked for in the whole hierarchy: whoever made them may have been started in another place of it.
    """
    ended: set[int] = set()
    root = _mounted()
    wanted = f"{_name(marker)}." if whole else f"{_PREFIX}{marker}"
    if root is None or not (whole or _SPOKEN.fullmatch(marker)):
        return frozenset()
    for path in _groups(root):
        if os.path.basename(path).startswith(wanted):
            members = _members(path)
            with contextlib.suppress(OSError):
                _end(path)
                ended |= members
    return frozenset(ended)


def _name(marker: str) -> str:
    spoken = marker if _SPOKEN.fullmatch(marker) else hashlib.sha256(marker.encode()).hexdigest()
    return f"{_PREFIX}{spoken}"


def _groups(root: str) -> Iterator[str]:
    for folder, names, _ in os.walk(root):
        yield from (os.path.join(folder, name) for name in names if name.startswith(_PREFIX))


def _end(path: str) -> None:
    """End all in a group, wait until they are gone, and remove it. Raises OSError where one of it fails."""
    _write(path, "cgroup.kill", b"1")
    until = time.monotonic() + _EMPTY_S
    while b"populated 1" in _read(path, "cgroup.events") and time.monotonic() < until:
        time.sleep(_ROUND_S)
    os.rmdir(path)


def _join(path: str) -> None:
    _write(path, "cgroup.procs", b"0")


def _members(path: str) -> frozenset[int]:
    try:
        return frozenset(map(int, _read(path, "cgroup.procs").split()))
    except OSError:
        return frozenset()


def _ends_a_child(path: str) -> bool:
    """Say whether a child that is put into a group is found in it, and ended with it."""
    child = os.fork()
    if child == 0:
        try:
            time.sleep(_EMPTY_S)
        finally:
            os._exit(0)
    try:
        _write(path, "cgroup.procs", b"%d" % child)
        found = _members(path) == {child}
        _write(path, "cgroup.kill", b"1")
    except OSError:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    return found and os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _is_taken(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _own() -> str | None:
    """Return the folder of this process's own group in the version 2 hierarchy; None where there is none."""
    root = _mounted()
    own = next((line[3:] for line in _lines("/proc/self/cgroup") if line.startswith("0::/")), None)
    return None if root is None or own is None else os.path.normpath(f"{root}/{own}")


def _mounted() -> str | None:
    """Return where the version 2 hierarchy is mounted; None where it is not."""
    mounts = (line.split(" ") for line in _lines("/proc/self/mounts"))
    return next((mount[1] for mount in mounts if mount[2:3] == ["cgroup2"]), None)


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []


def _read(folder: str, name: str) -> bytes:
    fd = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = bytearray()
        while part := os.read(fd, 1 << 16):
            data += part
        return bytes(data)
    finally:
        os.close(fd)


def _write(folder: str, name: str, data: bytes) -> None:
    fd = os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, data)
    finally:
        os.close(fd)


def _listdir(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except OSError:
        return []
