"""Landlock: the kernel refuses this process, and all it starts, whatever is not listed.

Weaker than bubblewrap: names and sizes of files stay visible, and the machine's network is shared, of which
one port is left; a filter refuses what Landlock does not know. It needs no privilege, no package and no user
namespaces.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchctl.workspace.interpreter import interpreter_hides, system_reads
from benchctl.workspace.process import READY_FD
from benchctl.workspace.proxy import port_of
from benchctl.workspace.sandbox import landlock_exec
from benchctl.workspace.sandbox.seccomp import filter_program
from benchctl.workspace.wall import existing, not_found, real_command

__all__ = ["MINIMUM_ABI", "unavailable", "wrap"]

MINIMUM_ABI = 3
"""Before version 3 a contained process could still truncate any file that it could name."""

_PSEUDO = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/dev/urandom", "/dev/random")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")


def unavailable() -> str | None:
    """Return why this machine cannot use Landlock; None where it can."""
    if sys.platform != "linux":
        return "Landlock is a part of Linux"
    abi = landlock_exec.abi()
    if abi < MINIMUM_ABI:
        return f"the kernel offers Landlock version {abi}, and {MINIMUM_ABI} is the least that holds"
    return None


def wrap(
    argv: Sequence[str],
    *,
    reads: Sequence[Path],
    writes: Sequence[Path],
    cwd: Path,
    env: Mapping[str, str],
    proxy: Path | None = None,
) -> list[str]:
    """Return the command line behind a Landlock ruleset. See wall.Wrap."""
    command = real_command(argv, cwd, env)
    if command is None:
        return not_found(argv)
    port = port_of(proxy) if proxy else None
    asked = existing(reads)
    resolved = {read.resolve() for read in asked}
    hides = tuple(path for path in interpreter_hides() if path not in resolved)
    listed = [*system_reads(), *asked, *(path for path in map(Path, _PSEUDO) if path.exists())]
    parts = [_without(path.resolve(), hides) for path in listed]
    spec = {
        "reads": list(dict.fromkeys(str(path) for whole, _ in parts for path in whole)),
        "lists": list(dict.fromkeys(str(path) for _, split in parts for path in split)),
        "writes": [str(path.resolve()) for path in [*existing(writes), *map(Path, _DEVICES)]],
        "cwd": str(cwd),
        "ports": [port] if port else [],
        "filter": filter_program(),
    }
    launcher = [sys.executable, "-I", "-S", landlock_exec.__file__, READY_FD, json.dumps(spec)]
    return [*launcher, *command]


@functools.cache
def _without(path: Path, hides: tuple[Path, ...]) -> tuple[list[Path], list[Path]]:
    """Return what is left of `path` without the hidden folders: (readable whole, readable only as a list of names).

    A folder asked for inside a hidden one is granted. A ruleset can only add, so a folder with a hidden one
    below it is granted child by child. Its own names must stay readable, or nothing could be imported from
    it; with them go the names below, never a content.
    """
    below = [hidden for hidden in hides if hidden != path and hidden.is_relative_to(path)]
    whole, split, todo = [], [], [path]
    while todo:
        here = todo.pop()
        if here in below:
            continue
        if here.is_dir() and any(hidden.is_relative_to(here) for hidden in below):
            split.append(here)
            # What a link leads to is granted by itself, or is not meant to be seen.
            todo += [child for child in here.iterdir() if not child.is_symlink()]
        else:
            whole.append(here)
    return whole, split
