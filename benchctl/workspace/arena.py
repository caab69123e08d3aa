"""The arena of an attack: folders with a secret in them, listeners, and a process that stands in for a supervisor.

Everything that is attacked belongs to it, and is gone with it, but for a few things of this machine that are
only knocked at: the sockets of container engines, of an ssh-agent, of a message bus, and the names in the
home and in the project's folders.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import socket
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchctl.workspace.cells import cell_root
from benchctl.workspace.interpreter import interpreter_reads, system_reads
from benchctl.workspace.kernel_targets import (
    in_keyring,
    in_message_queue,
    in_shared_memory,
    in_system_v_memory,
)

__all__ = ["Arena", "hidden_names", "open_arena"]

_ENGINES = (
    "/run/docker.sock",
    "/var/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/containerd/containerd.sock",
)
_BUSES = ("/run/dbus/system_bus_socket",)


@dataclass(frozen=True, slots=True)
class Arena:
    """Made for one attack; `shared_memory`, `keyring`, `system_v` and `message_queue` are None where this machine has none."""

    root: Path
    secret: str
    supervisor: subprocess.Popen[bytes]
    tcp: socket.socket
    tcp6: socket.socket | None
    udp: socket.socket
    datagram: socket.socket
    abstract: str
    git_object: Path
    shared_memory: Path | None
    keyring: dict[str, Any] | None
    system_v: int | None
    message_queue: str | None

    @property
    def cell(self) -> Path:
        """The folder of the attacking cell; its `tree` is all that it may write to."""
        return self.root / "cell"

    @property
    def store(self) -> Path:
        """The folder that stands in for a store."""
        return self.root / "store"

    def targets(self, protected: Sequence[Path], elsewhere: tuple[str, int] | None = None) -> dict[str, Any]:
        """Return what the attack is told: where everything is that it is to try.

        `elsewhere` is where someone listens at the proxy's port and another address; see `arena_visitors`.
        """
        runtime = os.environ.get("XDG_RUNTIME_DIR", "")
        bus = os.environ.get("DBUS_SESSION_BUS_ADDRESS", "").removeprefix("unix:path=").partition(",")[0]
        engine = os.environ.get("DOCKER_HOST", "").removeprefix("unix://")
        own = [f"{runtime}/podman/podman.sock", engine] if runtime else [engine]
        return {
            "secret": self.secret,
            "tree": str(self.cell / "tree"),
            "gold": str(self.root / "gold"),
            "store": str(self.root / "store"),
            "other_cell": str(self.root / "other"),
            "git_object": str(self.git_object),
            "shared_memory": str(self.shared_memory or ""),
            "protected": {str(path.resolve()): hidden_names(path.resolve(), self.root) for path in protected},
            "home": {
                str(home): hidden_names(home, self.root) for home in [Path.home()] if home != home.parent
            },
            "supervisor": self.supervisor.pid,
            "supervisor_start": _started(self.supervisor.pid),
            "collector": os.getpid(),
            "collector_start": _started(os.getpid()),
            "tcp": self.tcp.getsockname()[1],
            "tcp6": self.tcp6.getsockname()[1] if self.tcp6 else 0,
            "udp": self.udp.getsockname()[1],
            "unix": str(self.root / "unix"),
            "datagram": str(self.root / "datagram"),
            "elsewhere": elsewhere,
            "abstract": self.abstract,
            "container_engines": _sockets(*_ENGINES, *own),
            "ssh_agents": _sockets(os.environ.get("SSH_AUTH_SOCK", "")),
            "message_buses": _sockets(*_BUSES, bus),
            "keyring": self.keyring,
            "system_v": self.system_v,
            "message_queue": self.message_queue or "",
        }


def hidden_names(folder: Path, *given: Path) -> list[str]:
    """Return the entries of a folder that no cell may see: all but those on the way to what a cell is given.

    `given` is what a cell is given beside this interpreter and the operating system.

    An environment inside the project is the common case: its interpreter must be readable, and then the
    project's folder exists inside the wall, with nothing else in it.
    """
    granted = [path.absolute() for path in (*interpreter_reads(), *system_reads(), *given)]
    try:
        entries = sorted(folder.iterdir()) if folder.is_dir() else []
    except OSError:
        return []
    return [entry.name for entry in entries if not any(path.is_relative_to(entry) for path in granted)]


def _sockets(*paths: str) -> list[str]:
    return sorted({os.path.realpath(path) for path in paths if path and Path(path).is_socket()})


def _started(pid: int) -> str:
    """Return when a process was started, as /proc says it; empty where there is no /proc."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    except OSError:
        return ""


@contextlib.contextmanager
def open_arena() -> Iterator[Arena]:
    """Give an arena, and take it away."""
    secret = secrets.token_hex(16)
    with cell_root() as root, contextlib.ExitStack() as stack:
        for folder in ("gold", "store", "other", "cell/tree"):
            (root / folder).mkdir(parents=True)
        for name in ("gold/key", "store/rows", "store/removable", "store/mode", "other/answer"):
            (root / f"{name}.json").write_text(json.dumps({"secret": secret}))
        (root / "cell/tree/link-to-gold").symlink_to(root / "gold" / "key.json")
        inherited = os.open(root / "gold" / "key.json", os.O_RDONLY)
        stack.callback(os.close, inherited)
        os.set_inheritable(inherited, True)  # noqa: FBT003 - as a careless caller leaves it
        abstract = f"benchctl-{secret[:8]}" if sys.platform == "linux" else ""
        stack.enter_context(_listener(socket.AF_UNIX, str(root / "unix")))
        if abstract:
            stack.enter_context(_listener(socket.AF_UNIX, f"\0{abstract}"))
        with _one_over_v6() as tcp6:
            yield Arena(
                root=root,
                secret=secret,
                supervisor=stack.enter_context(_stand_in(secret, root / "gold" / "key.json")),
                tcp=stack.enter_context(_listener(socket.AF_INET, ("127.0.0.1", 0))),
                tcp6=tcp6,
                udp=stack.enter_context(_bound(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))),
                datagram=stack.enter_context(
                    _bound(socket.AF_UNIX, socket.SOCK_DGRAM, str(root / "datagram"))
                ),
                abstract=abstract,
                git_object=_repository(root / "repository", secret),
                shared_memory=stack.enter_context(in_shared_memory(secret)),
                keyring=stack.enter_context(in_keyring(secret)),
                system_v=in_system_v_memory(secret),
                message_queue=stack.enter_context(in_message_queue(secret)),
            )


def _bound(family: int, kind: int, address: tuple[str, int] | str) -> socket.socket:
    here = socket.socket(family, kind)
    try:
        here.bind(address)
    except OSError:
        here.close()
        raise
    return here


def _listener(family: int, address: tuple[str, int] | str) -> socket.socket:
    here = _bound(family, socket.SOCK_STREAM, address)
    here.listen()
    return here


@contextlib.contextmanager
def _one_over_v6() -> Iterator[socket.socket | None]:
    try:
        here = _listener(socket.AF_INET6, ("::1", 0))
    except OSError:
        yield None
        return
    with here:
        yield here


@contextlib.contextmanager
def _stand_in(secret: str, gold: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Give a process with the secret in its environment and a file of it open, which waits until it is ended.

    It has a group of its own: an attack on that group is none on ours.
    """
    with gold.open("rb") as opened:
        process = subprocess.Popen(
            ["cat"],
            env={"PATH": os.environ.get("PATH", os.defpath), "KEY": secret},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=opened,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _repository(folder: Path, secret: str) -> Path:
    """Write one blob as git keeps it, of a file that no tree holds any more; return its path."""
    blob = secret.encode()
    whole = b"blob %d\0%b" % (len(blob), blob)
    name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    path = folder / ".git" / "objects" / name[:2] / name[2:]
    path.parent.mkdir(parents=True)
    path.write_bytes(zlib.compress(whole))
    return path
