"""The one way out of a cell: it reaches what its agent may reach, adds the keys, and writes down every attempt.

The proxy lives in the collector, outside of every wall, and listens on a socket of its own cell. What runs in
the cell sees the socket through a relay and never a key: a key is put into a request on its way out.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets as dice
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

from benchctl.errors import SandboxUnavailableError
from benchctl.schema.agent_spec import Injected
from benchctl.workspace.allow_list import AllowList
from benchctl.workspace.http_door import ProxyTerms, serve
from benchctl.workspace.network_log import Connection, NetworkLog
from benchctl.workspace.upstream import Door, sendable

__all__ = ["HELD_BACK", "PROXY_NAMES", "RELAY_PORT", "CellProxy", "Connection", "port_of"]

RELAY_PORT = 3128
"""Where the relay inside a cell's own network listens."""

HELD_BACK = "held-by-the-proxy"
"""What a cell finds in the variable of a key that its proxy holds: clients refuse to start without any value."""

_LEADING = ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy")
_DIRECT = ("NO_PROXY", "no_proxy")
_NODE = "NODE_USE_ENV_PROXY"

PROXY_NAMES = (*_LEADING, *_DIRECT, _NODE)
"""The variables that lead a cell's clients to its proxy; those of doors and of keys held back come on top."""

_AT_ONCE = 128
_WAIT_S = 2.0
_AGAIN_S = 0.05
_LINGER_S, _LINGER_STEPS = 0.5, 64
_LONGEST_SOCKET = 100


class CellProxy:
    """The proxy of one cell, from entering to leaving. Thread-safe; needs no thread of the caller.

    `allow` are the endpoints that may be reached (`host:port`, `*.host:port`), `inject` the doors with a key,
    by the variable that will hold the door's address; `secrets` the values of the variables that `inject`
    names. `folder` is one that no cell sees, for the socket. `tcp` is for a wall that shares the machine's
    network: the proxy listens on a port of this machine then, and asks for a word that only the cell knows.
    Raises SandboxUnavailableError where a key has no value.
    """

    def __init__(
        self,
        allow: Sequence[str],
        inject: Mapping[str, Injected],
        secrets: Mapping[str, str],
        folder: Path,
        *,
        tcp: bool = False,
    ) -> None:
        for name, injected in inject.items():
            if not secrets.get(injected.secret):
                raise SandboxUnavailableError(
                    f"the key {injected.secret}, which the proxy adds for {name}, has no value",
                    next_step=f"set {injected.secret} in the environment of this command",
                )
            if not sendable(injected, secrets[injected.secret]):
                raise SandboxUnavailableError(
                    f"the key {injected.secret}, which the proxy adds for {name}, cannot stand in a header",
                    next_step=f"set {injected.secret} to the key alone: one line of printable ASCII, no space around it",
                )
        self.socket = folder / "proxy.sock"
        self._inject, self._tcp = dict(inject), tcp
        self._word = dice.token_urlsafe(24) if tcp else ""
        self._log = NetworkLog()
        doors = {name: Door.of(each, secrets[each.secret]) for name, each in inject.items()}
        self._terms = ProxyTerms(AllowList(tuple(allow)), doors, HELD_BACK, self._word)
        self._listener: socket.socket | None = None
        self._live: dict[socket.socket, threading.Thread] = {}
        self._lock = threading.Lock()
        self._port = RELAY_PORT

    def __enter__(self) -> Self:
        """Start to listen. Raises OSError where the folder cannot hold a socket."""
        self._listener = self._listen()
        threading.Thread(target=self._accept, args=(self._listener,), name="cell-proxy", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close every connection; what they have carried until now is in the log."""
        if self._listener is not None:
            listener, self._listener = self._listener, None
            _close(listener)
        with self._lock:
            live = dict(self._live)
        for connection in live:
            _close(connection)
        self._log.close_all()
        until = time.monotonic() + _WAIT_S  # for all together: who looks a name up cannot be told to hurry
        for thread in live.values():
            thread.join(max(0.0, until - time.monotonic()))
        for name in (self.socket, _port_file(self.socket)):
            name.unlink(missing_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead a cell's clients here: the proxy's own, each door's, and a word for each key held back."""
        word = f"cell:{self._word}@" if self._word else ""
        here = f"http://{word}127.0.0.1:{self._port}"
        door = f"http://127.0.0.1:{self._port}" + (f"/{self._word}" if self._word else "")
        own = dict.fromkeys(_LEADING, here)
        direct = "127.0.0.1" if self._terms.allow.names("localhost") else "127.0.0.1,localhost"
        own |= dict.fromkeys(_DIRECT, direct) | {_NODE: "1"}
        own |= {each.secret: HELD_BACK for each in self._inject.values()}
        return own | {name: f"{door}/{name}" for name in self._inject}

    @property
    def refused(self) -> int:
        """How many attempts were refused."""
        return self._log.refused

    def log(self) -> tuple[Connection, ...]:
        """Return every attempt so far in the order of its beginning; of very many the first, see `text`."""
        return self._log.connections()

    def text(self) -> str:
        """Return the log as JSON Lines: one connection a line, and a last line with the number left out where there are too many."""
        lines = [json.dumps(each.told(), sort_keys=True) for each in self.log()]
        if self._log.left_out:
            lines.append(json.dumps({"left_out": self._log.left_out, "refused": self.refused}))
        return "".join(f"{line}\n" for line in lines)

    def _listen(self) -> socket.socket:
        if self._tcp:
            listener = socket.create_server(("127.0.0.1", 0))
            self._port = int(listener.getsockname()[1])
            _port_file(self.socket).write_text(str(self._port), encoding="ascii")
            return listener
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with _short(self.socket) as name:
            listener.bind(name)
        listener.listen(_AT_ONCE)
        return listener

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                if self._listener is None:
                    return
                time.sleep(_AGAIN_S)  # out of descriptors: some connection will end
                continue
            with self._lock:
                if self._listener is None:
                    _close(connection)
                    return
                if len(self._live) >= _AT_ONCE:
                    self._log.refuse("", 0, f"more than {_AT_ONCE} connections at once")
                    _close(connection)
                    continue
                thread = threading.Thread(
                    target=self._serve, args=(connection,), name="cell-proxy", daemon=True
                )
                try:
                    thread.start()
                except RuntimeError as error:
                    self._log.refuse("", 0, str(error))
                    _close(connection)
                    continue
                self._live[connection] = thread

    def _serve(self, connection: socket.socket) -> None:
        try:
            with contextlib.suppress(OSError):
                serve(connection, self._terms, self._log)
                _linger(connection)
        finally:
            with self._lock:
                self._live.pop(connection, None)
            _close(connection)


def port_of(proxy: Path) -> int | None:
    """Return the port of this machine that the proxy of a socket listens on; None where it listens on the socket."""
    try:
        return int(_port_file(proxy).read_text(encoding="ascii"))
    except FileNotFoundError:
        return None


def _port_file(path: Path) -> Path:
    return path.with_suffix(".port")


def _close(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


def _linger(connection: socket.socket) -> None:
    """Read what the client still sends, for a moment: closed over unread bytes, a connection loses its last answer."""
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(_LINGER_S)
    for _ in range(_LINGER_STEPS):
        if not connection.recv(1 << 16):
            break


@contextlib.contextmanager
def _short(path: Path) -> Iterator[str]:
    """Give a name for a socket that fits into its 107 bytes, by way of its folder's descriptor where it has to."""
    if len(os.fsencode(path)) <= _LONGEST_SOCKET:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
