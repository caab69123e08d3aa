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
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from benchctl.workspace.cgroup import end_groups

__all__ = [
    "MARKER",
    "SUBREAPER",
    "Swept",
    "adopt_orphans",
    "close_memory",
    "descendants",
    "end_adopted",
    "end_family",
    "end_marked",
    "in_our_namespace",
    "inner_processes",
    "own_children",
    "spared",
]

MARKER = "BENCHCTL_CELL"
"""The environment variable that every process of a cell inherits; its value names the cell's attempt."""

SUBREAPER = sys.platform == "linux" and Path("/proc/thread-self/children").exists()

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_ROUND_S = 0.0005

SWEEP_S = 10.0
"""How long what multiplies is ended again and again before it is given up."""

_CALM_ROUNDS = 4
"""So many rounds end what does not multiply."""

_adopter = 0
"""The process that adopts, since a fork inherits this variable and not what it stands for."""

spared: set[int] = set()
"""Children of this process that are nobody's stragglers, whatever else is known of them."""


def adopt_orphans() -> None:
    """Make this process the parent of every orphan below it; done once, free afterwards."""
    global _adopter  # noqa: PLW0603 - a property of the process, so it has one place in it
    if _adopter == os.getpid() or not SUBREAPER:
        return
    import ctypes

    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _adopter = os.getpid()


def close_memory() -> None:
    """Keep other processes of this user out of this one's memory and environment, and out of all it forks."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


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


def descendants(pid: int) -> Iterator[int]:
    """Yield all processes below `pid`, nearest first; each one's children are looked up after it was yielded."""
    found = _children(pid)
    for child in found:  # grows while it is walked
        yield child
        found.extend(_children(child))


def in_our_namespace(pid: int) -> bool:
    """Say whether a process lives in our pid namespace; not in one below it, and not where it is gone."""
    return len(_namespace_pids(pid)) == 1


def _namespace_pids(pid: int) -> list[int]:
    """Return the process's ids from our pid namespace inwards; empty where it is gone."""
    for line in _read(f"/proc/{pid}/status").splitlines():
        if line.startswith(b"NSpid:"):
            return [int(part) for part in line.split()[1:]]
    return []


def inner_processes(pid: int, until: float) -> Iterator[int]:
    """Yield the descendants of `pid` that live in a pid namespace of their own, as far as they are found `until` then.

    A signal to a sandbox's outer process ends the inner ones by SIGKILL; these are the ones to ask
    politely first. `until` is one of time.monotonic().
    """
    for child in descendants(pid) if SUBREAPER else ():
        if time.monotonic() > until:
            return
        if len(_namespace_pids(child)) > 1:
            yield child


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

    A process may have cleared its environment, or pass itself off as another cell's; where no other cell is
    running beside us, it is ours if it lives in a foreign session.
    """
    if alone and _in_foreign_session(pid):
        return True
    return marker in _read(f"/proc/{pid}/environ").split(b"\0")


def _reap(pid: int) -> float:
    """Collect a dead child of ours; return its CPU seconds and those of the children it had collected."""
    try:
        done, _, usage = os.wait4(pid, os.WNOHANG)
    except ChildProcessError:
        return 0.0
    return usage.ru_utime + usage.ru_stime if done else 0.0


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep ended: processes that were alive, CPU seconds of those that were collected; `whole` if nothing is left."""

    stragglers: int
    cpu_s: float
    whole: bool


def end_adopted(
    before: frozenset[int], known: frozenset[int], marker: str, ended: Collection[int] = ()
) -> Swept:
    """End every orphan of the cell that we adopted, and all below it.

    `before` are children we had when the cell started, `known` the first processes of all cells that run now,
    `ended` are stragglers that were ended already. The first process of a pid namespace is a wall and no
    straggler: it takes its inmates along.
    """
    if not SUBREAPER:
        return Swept(end_marked(marker, whole=True), 0.0, whole=True)
    wanted = f"{MARKER}={marker}".encode()
    stragglers = set(ended)
    cpu_s = 0.0
    until = time.monotonic() + SWEEP_S
    with contextlib.ExitStack() as race:
        for number in count():
            hurried = number >= _CALM_ROUNDS
            if number == _CALM_ROUNDS:
                race.enter_context(_first_in_line())
            busy = False
            for pid in reversed(own_children()):  # the newest first, which has had the least time to multiply
                if pid in before or pid in known or pid in spared:
                    continue
                if _is_dead_child(pid):
                    if _in_foreign_session(pid):
                        cpu_s += _reap(pid)
                        busy = True
                elif _is_ours(pid, wanted, alone=len(known) <= 1):
                    stragglers |= end_family(pid, hurried=hurried)
                    busy = True
            if not busy or time.monotonic() > until:
                break
            # What was killed hands its own children to us once it is dead: look again at once.
            time.sleep(_ROUND_S)
    return Swept(len(stragglers), cpu_s, whole=not busy)


@contextlib.contextmanager
def _first_in_line() -> Iterator[None]:
    """Run before all others while the block lasts, where we may: what is ended multiplies while we wait for our turn."""
    policy, param = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError:
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, policy, param)


def _is_dead_child(pid: int) -> bool:
    """Say whether a child of ours has exited, in one call: of those who multiply there are thousands."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except OSError:
        return True


def end_family(pid: int, *, hurried: bool = False) -> set[int]:
    """End a living child of ours and all below it; return those that were alive, of a wall with its inmates none.

    Each is killed before its children are looked up: it has no further ones then, and those that it has are still
    its own or ours by now. Whoever ended orphans alone would run behind a chain in which each has forked the
    next one long before it is an orphan. Who is `hurried` does not tell the dead from others below it.
    """
    _kill(pid)
    if not in_our_namespace(pid):
        return set()
    ended = {pid}
    for each in descendants(pid):
        alive = hurried or not _is_dead(each)
        _kill(each)
        if alive and (hurried or in_our_namespace(each)):
            ended.add(each)
    return ended


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def end_marked(marker: str, *, whole: bool = False) -> int:
    """End every process on this machine that carries the marker of a run whose supervisor died; return how many.

    What was in the group of such a cell is ended whatever it carries. `marker` is a prefix, so that one run's attempts are swept together, unless `whole` is asked for.
    Systems without /proc have nothing to look through.
    """
    wanted = f"{MARKER}={marker}".encode()
    ended: set[int] = set(end_groups(marker, whole=whole))
    until = time.monotonic() + SWEEP_S
    while time.monotonic() < until:
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
