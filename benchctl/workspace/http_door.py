"""One client of a cell's proxy: a tunnel, a plain request, or a request to a door that adds a key.

HTTP/1.1 (RFC 9112) and CONNECT (RFC 9110, 9.3.6). Left out: caching, upgrades, a further request on the
same connection, and a proxy of the machine's own.
"""

from __future__ import annotations

import contextlib
import hmac
import http.client
import http.server
import socket
import threading
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from benchctl.workspace.allow_list import Address, AllowList, RefusedEndpointError, lookup, split_endpoint
from benchctl.workspace.blanking import Blanked
from benchctl.workspace.door_path import stays_below
from benchctl.workspace.http_body import BadRequestError, chunks, exactly, unpacked
from benchctl.workspace.http_headers import OF_ONE_HOP, outgoing
from benchctl.workspace.network_log import Entry, NetworkLog
from benchctl.workspace.upstream import Door, carry, connected, opened

__all__ = ["ProxyTerms", "serve"]

_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True, repr=False)
class ProxyTerms:
    """What a proxy does for its cell. `held_back` stands in the cell for every key; `word` is asked for where not empty."""

    allow: AllowList
    doors: Mapping[str, Door]
    held_back: str
    word: str


def serve(connection: socket.socket, terms: ProxyTerms, log: NetworkLog) -> None:
    """Serve one connection of a cell to its end."""
    handler = type("_Bound", (_Handler,), {"terms": terms, "log": log})
    handler(connection, ("cell", 0), None)


@dataclass(frozen=True, slots=True, repr=False)
class _Order:
    """A request as it goes out. `length` is None where the body comes in chunks."""

    door: Door
    addresses: list[Address]
    path: str
    headers: list[tuple[str, str]]
    length: int | None
    pieces: Iterator[bytes]


class _Handler(http.server.BaseHTTPRequestHandler):
    """One request of a client in the cell."""

    protocol_version = "HTTP/1.1"
    rbufsize = 0  # what follows the headers belongs to whoever is behind the tunnel
    terms: ProxyTerms
    log: NetworkLog
    answered = False

    def __getattr__(self, name: str) -> Any:
        """Take every method but CONNECT for a request that is passed on."""
        if name.startswith("do_"):
            return self._pass_on
        raise AttributeError(name)

    def log_message(self, *_: object) -> None:
        """Say nothing on standard error: what is to be known is in the log of the cell."""

    def do_CONNECT(self) -> None:
        """Tunnel to a host that is allowed."""
        self.close_connection = True
        host, port = "", 0
        try:
            host, port = split_endpoint(self.path)
            self._authenticate()
            addresses = self.terms.allow.addresses(host, port)
        except RefusedEndpointError as error:
            self._refuse(host, port, str(error))
        except OSError as error:
            self._failed(self.log.begin(host, port, "allowed"), error)
        else:
            self._tunnel(self.log.begin(host, port, "allowed"), addresses)

    def _tunnel(self, entry: Entry, addresses: list[Address]) -> None:
        try:
            upstream = connected(addresses, entry)
        except OSError as error:
            self._failed(entry, error)
            return
        with upstream:
            self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(
                target=carry, args=(upstream, self.connection, entry, "received_bytes"), daemon=True
            )
            back.start()
            carry(self.connection, upstream, entry, "sent_bytes")
            back.join()
        self.log.end(entry)

    def _pass_on(self) -> None:
        self.close_connection = True
        host, port = "", 0
        try:
            door, path = self._target()
            host, port = door.host, door.port
            if door.secret:
                addresses = lookup(host, port, by_name=True)
            else:
                addresses = self.terms.allow.addresses(host, port)
            order = _Order(
                door, addresses, path, outgoing(self.headers, door, self.terms.held_back), *self._body()
            )
        except RefusedEndpointError as error:
            self._refuse(host, port, str(error))
        except (BadRequestError, ValueError) as error:
            self._refuse(host, port, str(error), 400)
        except OSError as error:
            self._failed(self.log.begin(host, port, "allowed"), error)
        else:
            entry = self.log.begin(host, port, "injected" if door.secret else "allowed")
            self._exchange(entry, order)

    def _target(self) -> tuple[Door, str]:
        """Return the door that a request asks for, and the path behind it; a plain request's door has no key."""
        if not self.path.startswith("/"):
            parts = urlsplit(self.path)
            if parts.scheme != "http" or not parts.hostname or "@" in parts.netloc:
                raise BadRequestError(f"{self.path[:200]!r} is no address that this proxy knows")
            self._authenticate()
            host, port = split_endpoint(f"[{parts.hostname}]:{parts.port or 80}")
            path = parts._replace(scheme="", netloc="").geturl() or "/"
            return Door(secure=False, host=host, port=port, path="", header="", value="", secret=""), path
        words = self.path[1:]
        if self.terms.word:
            said, _, words = words.partition("/")
            if not hmac.compare_digest(said.encode(), self.terms.word.encode()):
                raise RefusedEndpointError("the word of this cell is missing")
        name, slash, rest = words.partition("/")
        name, mark, query = name.partition("?")
        door = self.terms.doors.get(name)
        if door is None:
            raise RefusedEndpointError(f"there is no door {name[:100]!r}")
        if not stays_below(rest.partition("?")[0]):
            raise RefusedEndpointError("the path leads out of the door's own")
        return door, f"{door.path}{slash}{rest}{mark}{query}" or "/"

    def _authenticate(self) -> None:
        if not self.terms.word:
            return
        scheme, _, said = self.headers.get("proxy-authorization", "").partition(" ")
        with contextlib.suppress(ValueError):
            word = b64decode(said).partition(b":")[2]
            if scheme.lower() == "basic" and hmac.compare_digest(word, self.terms.word.encode()):
                return
        raise RefusedEndpointError("the word of this cell is missing")

    def _body(self) -> tuple[int | None, Iterator[bytes]]:
        """Return the length of the request's body, None where it comes in chunks, and its pieces."""
        lengths = self.headers.get_all("content-length", [])
        coding = self.headers.get_all("transfer-encoding", [])
        if coding and (lengths or [each.strip().lower() for each in coding] != ["chunked"]):
            raise BadRequestError("a body has one length")
        if coding:
            return None, chunks(self.rfile)
        if len(set(lengths)) > 1 or not all(each.isascii() and each.isdigit() for each in lengths):
            raise BadRequestError("a body has one length")
        length = int(lengths[0]) if lengths else 0
        return length, exactly(self.rfile, length)

    def _exchange(self, entry: Entry, order: _Order) -> None:
        try:
            with opened(order.door, order.addresses, entry) as upstream:
                self._ask(upstream, entry, order)
                self._answer(upstream.getresponse(), entry, Blanked(order.door.secret.encode()))
        except (OSError, ValueError, http.client.HTTPException, BadRequestError) as error:
            if self.answered:
                entry.fail(_said_of(error))  # the client sees a body that breaks off, as it would without us
                self.log.end(entry)
            else:
                self._failed(entry, error)
        else:
            self.log.end(entry)

    def _ask(self, upstream: http.client.HTTPConnection, entry: Entry, order: _Order) -> None:
        upstream.putrequest(self.command, order.path, skip_host=True, skip_accept_encoding=True)
        for name, value in order.headers:
            upstream.putheader(name, value)
        if order.length is None:
            upstream.putheader("Transfer-Encoding", "chunked")
        elif order.length or self.command in ("POST", "PUT", "PATCH"):
            upstream.putheader("Content-Length", str(order.length))
        upstream.endheaders()
        for piece in order.pieces:
            entry.sent_bytes += len(piece)
            upstream.send(piece if order.length is not None else b"%x\r\n%b\r\n" % (len(piece), piece))
        if order.length is None:
            upstream.send(b"0\r\n\r\n")

    def _answer(self, response: http.client.HTTPResponse, entry: Entry, blanked: Blanked) -> None:
        """Pass a response on as it comes; with a key at stake it is unpacked, and blanked should an upstream repeat the key."""
        bodiless = self.command == "HEAD" or response.status in (204, 304)
        pieces = iter(lambda: response.read1(_CHUNK), b"")
        length = response.getheader("content-length", "")
        left_out = OF_ONE_HOP
        if blanked.secret and not bodiless and (coding := response.getheader("content-encoding", "")):
            pieces, length, left_out = unpacked(pieces, coding), "", OF_ONE_HOP | {"content-encoding"}
        if response.getheader("transfer-encoding", "chunked").lower() != "chunked":
            raise BadRequestError("the answer is framed in a way that is not known here")
        self.answered = True
        self.send_response_only(response.status, blanked.text(response.reason))
        for name, value in response.getheaders():
            if name.lower() not in left_out and not blanked.is_in(name):
                self.send_header(name, blanked.text(value))
        counted = length.isascii() and length.isdigit()
        framed = bodiless or counted or self.request_version == "HTTP/1.0"
        if counted:
            self.send_header("Content-Length", length)
        elif not framed:
            self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in () if bodiless else pieces:
            entry.received_bytes += len(piece)
            self._give(blanked.feed(piece), framed=framed)
        self._give(blanked.rest(), framed=framed)
        if not framed:
            self.wfile.write(b"0\r\n\r\n")

    def _give(self, piece: bytes, *, framed: bool) -> None:
        if piece:
            self.wfile.write(piece if framed else b"%x\r\n%b\r\n" % (len(piece), piece))

    def _refuse(self, host: str, port: int, reason: str, status: int = 403) -> None:
        self.log.refuse(host, port, reason)
        self._say(status, f"benchctl: refused: {reason}\n")

    def _failed(self, entry: Entry, error: Exception) -> None:
        entry.fail(_said_of(error))
        self.log.end(entry)
        self._say(502, f"benchctl: {entry.host}:{entry.port}: {entry.reason}\n")

    def _say(self, status: int, text: str) -> None:
        body = text.encode()
        self.send_response_only(status)
        for name, value in (
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Length", str(len(body))),
        ):
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def _said_of(error: Exception) -> str:
    """Return what may be said of an error inside a cell: the words of http.client repeat what was sent, and received."""
    return str(error) if isinstance(error, OSError | BadRequestError) else type(error).__name__
