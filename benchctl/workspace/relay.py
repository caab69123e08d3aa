"""The way from inside a cell to its proxy: a port of the cell's own network, carried to the proxy's socket.

Run as `python -I -S relay.py READY_FD SOCKET PORT COMMAND…`; it imports nothing of benchctl. It listens, leaves
a child behind that carries, and becomes the command. READY_FD gets one line just before that.
"""

# A single-file command; pathlib would double the time it takes to start.
# ruff: noqa: T201

from __future__ import annotations

import contextlib
import errno
import os
import socket
import sys
import threading

__all__ = ["main", "start"]

_CHUNK = 1 << 16
_AT_ONCE = 128
_OF_THE_COMMAND = frozenset(
    (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.E2BIG, errno.EISDIR, errno.ENAMETOOLONG)
)
"""Why a program cannot be executed, its interpreter's absence among them; memory and processes are the machine's."""


def _carry(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(_CHUNK):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


def _serve(client: socket.socket, path: str) -> None:
    with client, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as proxy, contextlib.suppress(OSError):
        proxy.connect(path)
        back = threading.Thread(target=_carry, args=(proxy, client), daemon=True)
        back.start()
        _carry(client, proxy)
        back.join()


def _relay(listener: socket.socket, path: str) -> None:
    """Carry until the cell ends; nothing of the command's output is held open meanwhile."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            continue
        threading.Thread(target=_serve, args=(client, path), daemon=True).start()


def start(path: str, port: int, *unwanted: int) -> None:
    """Listen, and leave a child that carries, without the descriptors that it is not to hold open."""
    with socket.create_server(("127.0.0.1", port), backlog=_AT_ONCE) as listener:
        if os.fork() == 0:
            for fd in unwanted:
                os.close(fd)
            _relay(listener, path)


def _become(ready: int, argv: list[str]) -> None:
    """Become the command. Returns where it cannot be executed, having said so: that is no fault of the wall."""
    try:
        os.execv(argv[0], argv)  # noqa: S606 - becoming the command is what this file is for
    except OSError as error:
        if error.errno not in _OF_THE_COMMAND:
            raise
        os.write(ready, b"no-command\n")
        print(f"relay: {error.strerror}: {argv[0]}", file=sys.stderr)


def main(words: list[str]) -> int:
    """Start to relay and become the command; returns only on failure, with its exit status."""
    ready, path, port, argv = int(words[0]), words[1], int(words[2]), words[3:]
    try:
        start(path, port, ready)
        os.set_inheritable(ready, False)  # noqa: FBT003 - the system's own signature
        os.write(ready, b"exit-code: that of the command\n")
        _become(ready, argv)
    except (OSError, OverflowError) as error:
        os.write(ready, b"failed\n")
        print(f"relay: {error}", file=sys.stderr)
    return 125


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
