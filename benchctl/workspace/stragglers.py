"""The processes that a finished cell left behind: found, ended, counted.

A group kill misses what called setsid. On Linux this process therefore makes itself a child
subreaper: whoever loses its parent inside a cell becomes our child, and our list of children is
one small file. Where there is none of this, processes are looked for by the marker in their
environment, and where there is no /proc either, the group kill is all there is.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

__all__ = [
    "MARKER",
    "SUBREAPER",
    "adopt_orphans",
    "descendants",
    "end_adopted",
    "end_marked",
    "inner_processes",
    "own_children",
]

MARKER = "BENCHCTL_CELL"
"""The environment variable that every process of a cell inherits; its value names the cell's attempt."""

SUBREAPER = sys.platform == "linux" and Path("/proc/thread-self/children").exists()

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 4000
_ROUND_S = 0.0005
_adopting = False


def adopt_orphans() -> None:
    """Make this process the parent of every orphan below it; done once, free afterwards."""
    global _adopting  # noqa: PLW0603 - a property of the process, so it has one place in it
    if _adopting or not SUBREAPER:
        return
    import ctypes

    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _adopting = True


def _read(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, 1 << 20)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _children(pid: int) -> list[int]:
    """Return the direct children of a process, those of all its threads; empty where it is gone."""
    found: list[int] = []
    for thread in _listdir(f"/proc/{pid}/task"):
        found.extend(int(child) for child in _read(f"/proc/{pid}/task/{thread}/children").split())
    return found


def own_children() -> list[int]:
    """Return the children of this process, adopted ones included; empty where the system has no list of them."""
    return _children(os.getpid()) if SUBREAPER else []


def descendants(pid: int) -> list[int]:
    """Return all processes below `pid`, nearest first."""
    found = _children(pid)
    for child in found:  # grows while it is walked
        found.extend(_children(child))
    return found


def _namespace_pids(pid: int) -> list[int]:
    """Return the process's ids from our pid namespace inwards; empty where it is gone."""
    for line in _read(f"/proc/{pid}/status").splitlines():
        if line.startswith(b"NSpid:"):
            return [int(part) for part in line.split()[1:]]
    return []


def inner_processes(pid: int) -> list[int]:
    """Return the descendants of `pid` that live in a pid namespace of their own.

    A signal to a sandbox's outer process ends the inner ones by SIGKILL; these are the ones to ask
    politely first.
    """
    if not SUBREAPER:
        return []
    return [child for child in descendants(pid) if len(_namespace_pids(child)) > 1]


def _is_dead(pid: int) -> bool:
    stat = _read(f"/proc/{pid}/stat")
    return not stat or stat.rpartition(b")")[2].split()[0:1] in ([b"Z"], [b"X"])


def _in_foreign_session(pid: int) -> bool:
    """Say whether a process has left our session: what this program starts for itself stays in it."""
    try:
        return os.getsid(pid) != os.getsid(0)
    except OSError:
        return False


def _is_ours(pid: int, marker: bytes, *, alone: bool) -> bool:
    """Say whether a living adopted child belongs to the cell with this marker.

    A process may have cleared its environment; then it is ours if it lives in a foreign session
    and no other cell is running beside us.
    """
    variables = _read(f"/proc/{pid}/environ").split(b"\0")
    if marker in variables:
        return True
    if any(variable.startswith(f"{MARKER}=".encode()) for variable in variables):
        return False
    return alone and _in_foreign_session(pid)


def _reap(pid: int) -> float:
    """Collect a dead child of ours; return its CPU seconds and those of the children it had collected."""
    try:
        done, _, usage = os.wait4(pid, os.WNOHANG)
    except ChildProcessError:
        return 0.0
    return usage.ru_utime + usage.ru_stime if done else 0.0


def end_adopted(before: frozenset[int], known: frozenset[int], marker: str) -> tuple[int, float]:
    """End every orphan of the cell that we adopted; return (how many were alive, CPU seconds of the reaped).

    `before` are children we had when the cell started, `known` the first processes of all cells that run now.
    The first process of a pid namespace is a wall and no straggler: it takes its inmates along.
    """
    if not SUBREAPER:
        return end_marked(marker, whole=True), 0.0
    wanted = f"{MARKER}={marker}".encode()
    stragglers: set[int] = set()
    cpu_s = 0.0
    for _ in range(_ROUNDS):
        busy = False
        for pid in own_children():
            if pid in before or pid in known:
                continue
            if _is_dead(pid):
                if _in_foreign_session(pid):
                    cpu_s += _reap(pid)
                    busy = True
            elif _is_ours(pid, wanted, alone=len(known) <= 1):
                if len(_namespace_pids(pid)) == 1:
                    stragglers.add(pid)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                busy = True
        if not busy:
            break
        # What was killed hands its own children to us once it is dead: look again at once.
        time.sleep(_ROUND_S)
    return len(stragglers), cpu_s


def end_marked(marker: str, *, whole: bool = False) -> int:
    """End every process on this machine that carries the marker of a run whose supervisor died; return how many.

    `marker` is a prefix, so that one run's attempts are swept together, unless `whole` is asked for.
    Systems without /proc have nothing to look through.
    """
    wanted = f"{MARKER}={marker}".encode()
    ended: set[int] = set()
    for _ in range(_ROUNDS):
        found = [
            pid
            for pid in map(int, filter(str.isdigit, _listdir("/proc")))
            if pid != os.getpid()
            and any(
                part == wanted or (not whole and part.startswith(wanted))
                for part in _read(f"/proc/{pid}/environ").split(b"\0")
            )
        ]
        if not found:
            break
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                ended.add(pid)
        time.sleep(_ROUND_S)
    return len(ended)


def _listdir(path: str) -> list[str]:
    try:
        return os.listdir(path)  # noqa: PTH208 - read for every cell, and a name is all that is wanted
    except OSError:
        return []
