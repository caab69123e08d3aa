"""Proves a sandbox by effect: builds a small arena, lets an attack loose in it, and sees what it reached.

That `bwrap --version` works says nothing: where user namespaces are forbidden it fails only when used.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from benchctl.errors import SandboxUnavailableError
from benchctl.workspace import attack
from benchctl.workspace.cells import cell_root
from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.process import run_process
from benchctl.workspace.wall import Sandbox

__all__ = ["DECISIVE", "Finding", "probe"]

Finding = Literal["blocked", "open", "absent"]

DECISIVE = frozenset(
    {
        "gold_by_path",
        "gold_by_symlink",
        "gold_by_proc_root",
        "gold_by_supervisor_root",
        "gold_listed",
        "store_read",
        "store_write",
        "store_create",
        "other_cell_read",
        "protected_read",
        "supervisor_environment",
        "supervisor_memory",
        "supervisor_trace",
        "environment",
        "git_history",
    }
)
"""Probes that must not be open: through any of these a cell can read its answer or forge its row."""


@dataclass(frozen=True, slots=True)
class _Arena:
    """Made for one attack: folders with a secret in them, listeners, and a stand-in for the supervisor."""

    root: Path
    secret: str
    supervisor: subprocess.Popen[bytes]
    tcp: socket.socket
    udp: socket.socket
    unix: socket.socket
    abstract: socket.socket

    @property
    def cell(self) -> Path:
        return self.root / "cell"

    def targets(self, protected: Sequence[Path]) -> dict[str, object]:
        return {
            "secret": self.secret,
            "tree": str(self.cell / "tree"),
            "gold": str(self.root / "gold"),
            "store": str(self.root / "store"),
            "other_cell": str(self.root / "other"),
            "protected": {str(path.resolve()): _hidden(path.resolve()) for path in protected},
            "supervisor": self.supervisor.pid,
            "tcp": self.tcp.getsockname()[1],
            "udp": self.udp.getsockname()[1],
            "unix": str(self.root / "unix"),
            "abstract": self.abstract.getsockname()[1:].decode() if sys.platform == "linux" else "",
        }


def probe(sandbox: Sandbox, *, protected: Sequence[Path] = ()) -> dict[str, Finding]:
    """Return what an attack inside the sandbox reached, probe by probe.

    `protected` are real folders that no cell may see: the project, its store, the suite's gold. Raises
    SandboxUnavailableError where the attack could not even be started, with the sandbox's own words.
    """
    with _arena() as arena:
        script = arena.cell / "attack.py"
        script.write_bytes(Path(attack.__file__).read_bytes())
        targets = arena.targets(protected)
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(arena.cell), "LANG": "C.UTF-8"}
        argv = sandbox.wrap(
            [sys.executable, "-I", "-S", str(script), json.dumps(targets)],
            reads=[*interpreter_reads(), script],
            writes=[arena.cell / "tree"],
            cwd=arena.cell / "tree",
            env=environment,
        )
        result = run_process(
            argv, cwd=arena.cell / "tree", env=environment, wall_s=60.0, output_bytes=1 << 20
        )
        try:
            said = json.loads(result.stdout.text)
        except ValueError as error:
            reason = result.stderr.text.strip() or result.detail or result.outcome
            raise SandboxUnavailableError(f"{sandbox.level} does not work here: {reason[:500]}") from error
        return {name: _finding(name, said, arena, protected) for name in attack.PROBES}


def _hidden(folder: Path) -> list[str]:
    """Return the entries of a folder that no cell may see: all but those on the way to what a cell is given.

    An environment inside the project is the common case: its interpreter must be readable, and then the
    project's folder exists inside the wall, with nothing else in it.
    """
    granted = [path.absolute() for path in interpreter_reads()]
    entries = sorted(folder.iterdir()) if folder.is_dir() else []
    return [entry.name for entry in entries if not any(path.is_relative_to(entry) for path in granted)]


def _finding(name: str, said: dict[str, str], arena: _Arena, protected: Sequence[Path]) -> Finding:
    """Return one finding; where the effect shows on this side, by the effect and not by what the attack says."""
    match name:
        case "store_write":
            reached = b"forged" in (arena.root / "store" / "rows.json").read_bytes()
        case "store_create":
            reached = (arena.root / "store" / "forged.json").exists()
        case "udp":
            reached = _received(arena.udp)
        case "supervisor_signal":
            with contextlib.suppress(subprocess.TimeoutExpired):
                arena.supervisor.wait(0.05)
            reached = arena.supervisor.poll() is not None
        case "protected_read" if not protected:
            return "absent"
        case "abstract_socket" if sys.platform != "linux":
            return "absent"
        case _:
            return cast("Finding", said.get(name, "absent"))
    return "open" if reached else "blocked"


def _received(receiver: socket.socket) -> bool:
    receiver.settimeout(0.02)
    try:
        return bool(receiver.recv(256))
    except TimeoutError:
        return False


@contextlib.contextmanager
def _arena() -> Iterator[_Arena]:
    secret = secrets.token_hex(16)
    with cell_root() as root, contextlib.ExitStack() as stack:
        for folder in ("gold", "store", "other", "cell/tree"):
            (root / folder).mkdir(parents=True)
        for file in ("gold/key.json", "store/rows.json", "other/answer.json"):
            (root / file).write_text(json.dumps({"secret": secret}))
        (root / "cell/tree/link-to-gold").symlink_to(root / "gold" / "key.json")
        sockets = [
            stack.enter_context(socket.socket(family, kind))
            for family, kind in (
                (socket.AF_INET, socket.SOCK_STREAM),
                (socket.AF_INET, socket.SOCK_DGRAM),
                (socket.AF_UNIX, socket.SOCK_STREAM),
                (socket.AF_UNIX, socket.SOCK_STREAM),
            )
        ]
        addresses: list[tuple[str, int] | str] = [
            ("127.0.0.1", 0),
            ("127.0.0.1", 0),
            str(root / "unix"),
            f"\0benchctl-{secret[:8]}",
        ]
        for here, address in zip(sockets, addresses, strict=True):
            if sys.platform == "linux" or not str(address).startswith("\0"):
                here.bind(address)
            if here.type == socket.SOCK_STREAM:
                here.listen()
        yield _Arena(root, secret, stack.enter_context(_stand_in(secret)), *sockets)


@contextlib.contextmanager
def _stand_in(secret: str) -> Iterator[subprocess.Popen[bytes]]:
    """Give a process with the secret in its environment, which waits until it is ended."""
    process = subprocess.Popen(
        ["cat"],
        env={"PATH": os.environ.get("PATH", os.defpath), "KEY": secret},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
