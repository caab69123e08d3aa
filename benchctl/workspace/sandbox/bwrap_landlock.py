"""Bubblewrap without a network space of its own: the machine's network, of which Landlock leaves one port.

For machines that forbid a new network space and nothing else. What Landlock does not know, a system call
filter refuses; see seccomp.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchctl.workspace.process import READY_FD
from benchctl.workspace.proxy import port_of
from benchctl.workspace.sandbox import bwrap, landlock_exec
from benchctl.workspace.sandbox.seccomp import filter_program
from benchctl.workspace.wall import INSIDE, not_found, real_command

__all__ = ["unavailable", "wrap"]

_KNOWS_TCP = 4


def unavailable() -> str | None:
    """Return why this machine cannot put the two together; None where it can."""
    if missing := bwrap.unavailable():
        return missing
    abi = landlock_exec.abi()
    if abi < _KNOWS_TCP:
        return f"the kernel offers Landlock version {abi}, and {_KNOWS_TCP} is the least that knows TCP"
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
    """Return the command line inside bubblewrap, with the port of `proxy` alone. See wall.Wrap."""
    command = real_command(argv, cwd, env)
    if command is None:
        return not_found(argv)
    port = port_of(proxy) if proxy else None
    spec = {"ports": [port] if port else [], "cwd": str(cwd), "filter": filter_program()}
    launcher = [sys.executable, "-I", "-S", f"{INSIDE}/wall.py", READY_FD, json.dumps(spec)]
    return bwrap.bwrapped(
        [*launcher, *command],
        walls=(),
        launched=True,
        shown={"wall.py": Path(landlock_exec.__file__)},
        reads=reads,
        writes=writes,
        cwd=cwd,
    )
