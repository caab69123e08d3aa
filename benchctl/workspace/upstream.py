"""The far side of a cell's proxy: doors with a key, and connections to where a name has led."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from benchctl.schema.agent_spec import Injected
from benchctl.workspace.allow_list import Address
from benchctl.workspace.network_log import Entry

__all__ = ["Door", "carry", "connected", "opened", "sendable"]

_CHUNK = 1 << 16
_CONNECT_S = 30.0


@dataclass(frozen=True, slots=True, repr=False)
class Door:
    """A door to one upstream, with the header that is put into each request on its way out."""

    secure: bool
    host: str
    port: int
    path: str
    header: str
    value: str
    secret: str

    @classmethod
    def of(cls, injected: Injected, secret: str) -> Door:
        """Return the door to an injected key's upstream."""
        parts = urlsplit(injected.upstream)
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        value = f"{injected.prefix}{secret}"
        return cls(
            secure, parts.hostname or "", port, parts.path.rstrip("/"), injected.header.lower(), value, secret
        )


def sendable(injected: Injected, secret: str) -> bool:
    """Return whether a key can be sent in a header (RFC 9110, 5.5): printable ASCII, and no white space that would be cut off."""
    value = f"{injected.prefix}{secret}"
    return value.isascii() and value.isprintable() and secret == secret.strip()


@contextlib.contextmanager
def opened(door: Door, addresses: list[Address], entry: Entry) -> Iterator[http.client.HTTPConnection]:
    """Give a connection to the upstream of a door, encrypted where the door is. Raises OSError where there is none."""
    plain = connected(addresses, entry)
    if door.secure:
        # The default context reads the machine's certificates, and SSL_CERT_FILE of the collector where it is set.
        context = ssl.create_default_context()
        plain = context.wrap_socket(plain, server_hostname=door.host, do_handshake_on_connect=False)
        try:
            entry.hold(plain)  # before the handshake, for which an upstream may let us wait
            plain.do_handshake()
        except BaseException:
            plain.close()
            raise
    with contextlib.closing(http.client.HTTPConnection(door.host, door.port)) as upstream:
        upstream.sock = plain
        yield upstream


def connected(addresses: list[Address], entry: Entry) -> socket.socket:
    """Return a connection to the first address that answers, held by the entry. Raises OSError where none does."""
    problem: OSError | None = None
    for family, address in addresses:
        upstream = socket.socket(family, socket.SOCK_STREAM)
        try:
            upstream.settimeout(_CONNECT_S)
            entry.hold(upstream)
            upstream.connect(address)
        except OSError as error:
            upstream.close()
            problem = error
        else:
            upstream.settimeout(None)
            upstream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return upstream
    raise problem or OSError("no address")


def carry(source: socket.socket, sink: socket.socket, entry: Entry, counted: str) -> None:
    """Carry one direction of a tunnel to its end, counted under the name `counted` of the entry."""
    with contextlib.suppress(OSError):
        while data := source.recv(_CHUNK):
            sink.sendall(data)
            setattr(entry, counted, getattr(entry, counted) + len(data))
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
