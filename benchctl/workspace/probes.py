"""Proves a sandbox by effect: lets an attack loose inside it, in an arena made for it, and sees what it reached.

That `bwrap --version` works says nothing: where user namespaces are forbidden it fails only when used.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, cast

from benchctl.errors import SandboxUnavailableError
from benchctl.workspace import attack
from benchctl.workspace.arena import Arena, open_arena
from benchctl.workspace.arena_visitors import listening_elsewhere, visiting
from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.proxy import RELAY_PORT, CellProxy, port_of
from benchctl.workspace.wall import Sandbox
from benchctl.workspace.workers import Workers

__all__ = ["DECISIVE", "Finding", "probe"]

Finding = Literal["blocked", "open", "absent"]

DECISIVE = frozenset(
    {
        "gold_by_path",
        "gold_by_symlink",
        "gold_by_own_link",
        "gold_by_proc_root",
        "gold_by_supervisor_root",
        "gold_by_memory_program",
        "gold_by_descriptor",
        "gold_listed",
        "store_read",
        "store_write",
        "store_create",
        "store_remove",
        "other_cell_read",
        "other_cell_write",
        "cells_listed",
        "protected_read",
        "home_read",
        "supervisor_environment",
        "supervisor_descriptor",
        "supervisor_memory",
        "supervisor_trace",
        "collector_environment",
        "environment",
        "git_history",
        "git_object",
        "container_engine",
        "proxy_other_host",
        "proxy_address",
    }
)
"""Probes that must not be open: through any of these a cell can read its answer or forge its row."""


def probe(sandbox: Sandbox, *, protected: Sequence[Path] = ()) -> dict[str, Finding]:
    """Return what an attack inside the sandbox reached, probe by probe.

    The attack runs as a cell does: in a worker of its own, with a proxy that lets nothing through. `protected`
    are real folders that no cell may see: the project, its store, the suite's gold. Raises
    SandboxUnavailableError where the attack could not even be started, with the sandbox's own words, or where
    no way leads to the proxy.
    """
    with (
        open_arena() as arena,
        Workers() as workers,
        CellProxy((), {}, {}, arena.root, tcp=sandbox.shares_network) as proxy,
        listening_elsewhere(port_of(proxy.socket) or RELAY_PORT) as elsewhere,
        visiting(arena.cell / "tree"),
    ):
        program = arena.cell / "program"
        shutil.copytree(
            Path(attack.__file__).parent, program / "attack", ignore=shutil.ignore_patterns("__pycache__")
        )
        targets = json.dumps(arena.targets(protected, elsewhere))
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(arena.cell), "LANG": "C.UTF-8"}
        environment |= proxy.environment
        argv = sandbox.wrap(
            [sys.executable, "-I", "-S", "-B", "-c", attack.START, str(program), targets],
            reads=[*interpreter_reads(), program],
            writes=[arena.cell / "tree"],
            cwd=arena.cell / "tree",
            env=environment,
            proxy=proxy.socket,
        )
        result = workers.run(
            argv, cwd=arena.cell / "tree", env=environment, wall_s=60.0, output_bytes=1 << 20
        )
        try:
            said = json.loads(result.stdout.text)
        except ValueError as error:
            reason = result.stderr.text.strip() or result.detail or result.outcome
            raise SandboxUnavailableError(f"{sandbox.level} does not work here: {reason[:500]}") from error
        found = {name: _finding(name, said, arena) for name in attack.PROBES}
        # A wall with a hole in it has the worse fault: that is what its reader has to be told.
        if not proxy.refused and not any(found[name] == "open" for name in DECISIVE):
            raise SandboxUnavailableError(
                f"{sandbox.level} does not work here: a cell does not reach its proxy"
            )
        return found


def _finding(name: str, said: dict[str, str], arena: Arena) -> Finding:
    """Return one finding; where the effect shows on this side, by the effect and not by what the attack says."""
    effect = _EFFECTS.get(name)
    if effect is None:
        return cast("Finding", said.get(name, "absent"))
    return "open" if effect(arena) else "blocked"


def _ended(arena: Arena) -> bool:
    with contextlib.suppress(subprocess.TimeoutExpired):
        arena.supervisor.wait(0.05)
    return arena.supervisor.poll() is not None


def _has_attribute(path: Path) -> bool:
    try:
        return bool(os.getxattr(path, "user.message"))
    except (OSError, AttributeError):
        return False


def _received(receiver: socket.socket) -> bool:
    receiver.settimeout(0.02)
    try:
        return bool(receiver.recv(256))
    except TimeoutError:
        return False


_EFFECTS: dict[str, Callable[[Arena], bool]] = {
    "store_write": lambda arena: b"forged" in (arena.store / "rows.json").read_bytes(),
    "store_create": lambda arena: (arena.store / "forged.json").exists(),
    "store_remove": lambda arena: not (arena.store / "removable.json").exists(),
    "store_mode": lambda arena: (arena.store / "mode.json").stat().st_mode & 0o777 == 0,
    "store_attribute": lambda arena: _has_attribute(arena.store / "mode.json"),
    "store_times": lambda arena: (arena.store / "mode.json").stat().st_mtime == 1,
    "other_cell_write": lambda arena: (arena.root / "other" / "planted").exists(),
    "udp": lambda arena: _received(arena.udp),
    "unix_datagram": lambda arena: _received(arena.datagram),
    "supervisor_signal": _ended,
}
