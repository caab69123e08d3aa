"""The way out of a cell: what it lets through, what it refuses, what it adds, and what it writes down."""

import contextlib
import gzip
import http.client
import http.server
import itertools
import json
import os
import random
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from base64 import b64encode
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import pytest
from walls import WALLS, every_level, skip_without

from benchctl.errors import SandboxUnavailableError
from benchctl.schema.suite import Injected
from benchctl.workspace import allow_list, upstream
from benchctl.workspace.allow_list import AllowList, RefusedEndpointError, lookup, split_endpoint
from benchctl.workspace.blanking import Blanked
from benchctl.workspace.http_body import BadRequestError, chunks, unpacked
from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.proxy import HELD_BACK, PROXY_NAMES, CellProxy, port_of
from benchctl.workspace.workers import Workers

KEY = "sk-very-secret-0123456789"


PACKED = gzip.compress(b"you said " + KEY.encode())
LETTERS = "".join(f"\\u{ord(char):04x}" for char in KEY)
SAID = {
    "gzip": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(PACKED) + PACKED,
    "brotli": b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nwhatever",
    "notgzip": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    "framed": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "name": f"HTTP/1.1 200 OK\r\nX-{KEY.lower()}: 1\r\nX-Kept: 1\r\nContent-Length: 0\r\n\r\n".encode(),
    "length": f"HTTP/1.1 200 OK\r\nContent-Length: {KEY}\r\n\r\nhi".encode(),
    "noline": f"WHAT {KEY} IS\r\n\r\n".encode(),
    "letters": f"HTTP/1.1 200 {LETTERS}\r\nX: {LETTERS}\r\n\r\n{LETTERS}".encode(),
    "base64": f"HTTP/1.1 200 OK\r\n\r\n{b64encode(b'x' + KEY.encode()).decode()}".encode(),
}
"""What an upstream says that repeats the key in some other way than as it is, by the last step of the path."""


class Upstream(http.server.BaseHTTPRequestHandler):
    """Says back what it was told; /stream comes in chunks, /broken breaks off, /open has no length."""

    protocol_version = "HTTP/1.1"
    seen: ClassVar[list[dict]] = []

    def log_message(self, *_):
        pass

    def do_GET(self):
        body = b""
        if self.headers.get("transfer-encoding") == "chunked":
            body = b"".join(chunks(self.rfile))
        elif length := int(self.headers.get("content-length", 0)):
            body = self.rfile.read(length)
        self.seen.append(
            {"path": self.path, "method": self.command, "headers": self.headers.items(), "body": body}
        )
        if self.path.endswith("/stream"):
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in (b"data: 1\n\n", KEY[:8].encode(), KEY[8:].encode() + b"\n\n"):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                time.sleep(0.05)
            self.wfile.write(b"0\r\n\r\n")
            return
        if self.path.endswith("/broken"):
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"5\r\nhello\r\n")
            self.close_connection = True
            return
        if words := SAID.get(self.path.rpartition("/")[2]):
            self.wfile.write(words)
            self.close_connection = True
            return
        if self.path.endswith("/open"):
            self.wfile.write(b"HTTP/1.0 200 OK\r\n\r\nuntil the end")
            self.close_connection = True
            return
        answer = b"" if self.path.endswith("/empty") else f"you said {self.headers.get('x-api-key')}".encode()
        self.send_response(204 if self.path.endswith("/empty") else 200)
        if self.path.endswith("/empty") is False:
            self.send_header("Content-Length", str(len(answer)))
        self.send_header("X-Echo", self.headers.get("x-api-key", ""))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer)

    do_POST = do_HEAD = do_PUT = do_GET  # noqa: N815 - the names are the methods'


@pytest.fixture
def server():
    Upstream.seen = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as here:
        here.daemon_threads = True
        here.handle_error = lambda *_: None  # what breaks off here is meant to
        thread = threading.Thread(target=here.serve_forever, args=(0.01,))
        thread.start()
        yield here.server_port
        here.shutdown()
        thread.join()


class Client:
    """A client outside of any wall, on the proxy's socket."""

    def __init__(self, proxy):
        self.proxy = proxy

    def said(self, raw, *, more=b""):
        """Return all that comes back to raw bytes."""
        with self.connected() as caller:
            caller.sendall(raw)
            if more:
                caller.sendall(more)
            caller.shutdown(socket.SHUT_WR)
            return _all(caller)

    def connected(self):
        caller = socket.socket(socket.AF_UNIX)
        caller.settimeout(20)
        caller.connect(str(self.proxy.socket))
        return caller

    def status(self, raw):
        return int(self.said(raw).split(b" ", 2)[1])

    def request(self, path, *, method="GET", body=None, headers=None):
        connection = http.client.HTTPConnection("cell")
        connection.sock = self.connected()
        with contextlib.closing(connection):
            connection.request(method, path, body=body, headers=headers or {})
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()


def _all(caller):
    found = b""
    while piece := caller.recv(1 << 16):
        found += piece
    return found


@contextlib.contextmanager
def proxied(folder, *allow, inject=None, secrets=None, **options):
    with CellProxy(allow, inject or {}, secrets or {}, Path(folder), **options) as proxy:
        yield proxy, Client(proxy)


def door(port, path="/v1", **options):
    words = {
        "upstream": f"http://localhost:{port}{path}",
        "header": "x-api-key",
        "secret": "API_KEY",
        **options,
    }
    return {"inject": {"BASE_URL": Injected(**words)}, "secrets": {"API_KEY": KEY}}


def connect(endpoint, extra=b""):
    return f"CONNECT {endpoint} HTTP/1.1\r\nHost: {endpoint}\r\n".encode() + extra + b"\r\n"


ALLOWED = ("api.example.org:443", "*.models.example.org:443", "localhost:8000", "10.0.0.7:80", "*:8443")
RULES = [
    ("api.example.org:443", True),
    ("API.Example.ORG.:443", True),  # names are read without regard to case, a last dot is the root
    ("api.example.org:80", False),  # another port
    ("example.org:443", False),  # above the listed one
    ("evil-api.example.org:443", False),
    ("api.example.org.evil.net:443", False),
    ("a.models.example.org:443", True),
    ("a.b.models.example.org:443", True),
    ("models.example.org:443", False),  # `*.` is what is below
    ("evilmodels.example.org:443", False),
    ("localhost:8000", True),
    ("localhost:8001", False),
    ("127.0.0.1:8000", False),  # the same machine by an address, which is not listed
    ("127.1:8000", False),
    ("2130706433:8000", False),
    ("0x7f000001:8000", False),
    ("[::1]:8000", False),
    ("[::ffff:127.0.0.1]:8000", False),
    ("10.0.0.7:80", True),  # an address that is listed as such
    ("10.0.0.8:80", False),
    ("anything.at.all:8443", True),
    ("127.0.0.1:8443", False),  # no pattern stands for an address
    ("0x7f.1:8443", False),
    ("[fe80::1]:8443", False),
    ("a b.models.example.org:443", False),
    ("a\0.models.example.org:443", False),
    ("a/.models.example.org:443", False),
    ("user@api.example.org:443", False),
]  # fmt: skip


@pytest.mark.parametrize(("endpoint", "listed"), RULES)
def test_what_is_listed_can_be_reached_and_nothing_else(endpoint, listed):
    host, port = split_endpoint(endpoint)
    allow = AllowList(ALLOWED)
    if listed:
        allow.check(host, port)
    else:
        with pytest.raises(RefusedEndpointError):
            allow.check(host, port)


@pytest.mark.parametrize(
    "endpoint", ["", "host", "host:", ":443", "host:0", "host:65536", "host:4x", "host:٤٤٣", "h:99999999"]
)
def test_what_is_no_endpoint_is_refused(endpoint):
    with pytest.raises(RefusedEndpointError):
        split_endpoint(endpoint)


LEADS_TO = [
    # (address, by its own name, by a pattern)
    ("93.184.216.34", True, True),
    ("10.0.0.7", True, False),  # somebody's own network: meant only where the name itself is listed
    ("127.0.0.1", True, False),
    ("::1", True, False),
    ("169.254.169.254", False, False),  # a cloud's metadata
    ("fe80::1", False, False),
    ("::ffff:169.254.169.254", False, False),
    ("100.64.0.1", True, False),
]


@pytest.mark.parametrize(("address", "by_name", "by_pattern"), LEADS_TO)
def test_a_name_leads_only_where_it_can_mean(address, by_name, by_pattern, monkeypatch):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    answer = [(family, socket.SOCK_STREAM, 6, "", (address, 443))]
    monkeypatch.setattr(allow_list.socket, "getaddrinfo", lambda *_, **__: answer)
    for way, allowed in ((True, by_name), (False, by_pattern)):
        if allowed:
            assert lookup("host.example.org", 443, by_name=way) == [(family, (address, 443))]
        else:
            with pytest.raises(RefusedEndpointError, match="leads to"):
                lookup("host.example.org", 443, by_name=way)


def test_an_address_that_is_listed_itself_is_meant_whatever_it_is():
    assert AllowList(("169.254.169.254:80",)).addresses("169.254.169.254", 80)


def test_a_name_that_cannot_be_one_is_refused():
    with pytest.raises(RefusedEndpointError, match="no host name"):
        lookup("a" * 64 + ".org", 443, by_name=True)


def test_a_tunnel_carries_both_ways_and_is_written_down(tmp_path, server):
    with proxied(tmp_path, f"localhost:{server}") as (proxy, client):
        answer = client.said(connect(f"localhost:{server}"), more=b"GET /x HTTP/1.0\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK")
        _settled(proxy)
        (connection,) = proxy.log()
    assert (connection.host, connection.port, connection.verdict) == ("localhost", server, "allowed")
    assert connection.sent_bytes == len(b"GET /x HTTP/1.0\r\n\r\n")
    assert connection.received_bytes == len(answer) - len(b"HTTP/1.1 200 Connection established\r\n\r\n")
    assert connection.started_at.endswith("Z")
    assert connection.wall_s >= 0


def test_what_is_sent_along_with_the_request_belongs_to_the_tunnel(tmp_path, server):
    with proxied(tmp_path, f"localhost:{server}") as (_, client):
        answer = client.said(connect(f"localhost:{server}") + b"GET /x HTTP/1.0\r\n\r\n")
    assert b"you said None" in answer


def test_other_hosts_ports_and_addresses_get_403(tmp_path, server):
    with proxied(tmp_path, f"localhost:{server}") as (proxy, client):
        asked = [f"localhost:{server + 1}", f"127.0.0.1:{server}", f"[::1]:{server}", "example.org:443"]
        for endpoint in asked:
            assert client.status(connect(endpoint)) == 403, endpoint
        assert client.status(f"GET http://127.0.0.1:{server}/ HTTP/1.1\r\n\r\n".encode()) == 403
        assert proxy.refused == 5
        assert {each.verdict for each in proxy.log()} == {"refused"}
        lines = [json.loads(line) for line in proxy.text().splitlines()]
    assert [(line["host"], line["port"]) for line in lines[:2]] == [
        ("localhost", server + 1),
        ("127.0.0.1", server),
    ]
    assert "is an address" in lines[1]["reason"]
    assert "not listed" in lines[0]["reason"]
    assert not Upstream.seen


def test_a_plain_request_is_passed_on(tmp_path, server):
    with proxied(tmp_path, f"localhost:{server}") as (proxy, client):
        status, _, body = client.request(
            f"http://localhost:{server}/x?y=1", method="POST", body=b"b" * 100_000
        )
        assert (status, body) == (200, b"you said None")
        _settled(proxy)
        assert [(c.verdict, c.sent_bytes, c.received_bytes) for c in proxy.log()] == [
            ("allowed", 100_000, 13)
        ]
    assert (Upstream.seen[0]["path"], len(Upstream.seen[0]["body"])) == ("/x?y=1", 100_000)


def test_an_upstream_that_is_not_there_is_a_failure_and_no_refusal(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with proxied(tmp_path, f"localhost:{port}") as (proxy, client):
        assert client.status(connect(f"localhost:{port}")) == 502
        assert client.request(f"http://localhost:{port}/")[0] == 502
        assert [each.verdict for each in proxy.log()] == ["failed", "failed"]
        assert proxy.refused == 0


def test_a_name_that_nobody_knows_is_a_failure(tmp_path, monkeypatch):
    def nobody(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(allow_list.socket, "getaddrinfo", nobody)
    with proxied(tmp_path, "gone.example.org:443") as (proxy, client):
        assert client.status(connect("gone.example.org:443")) == 502
        assert proxy.log()[0].reason.endswith("Name or service not known")


def test_a_key_is_added_on_the_way_out_and_is_nowhere_inside(tmp_path, server):
    with proxied(tmp_path, **door(server, prefix="Bearer ")) as (proxy, client):
        environment = proxy.environment
        assert KEY not in json.dumps(environment)
        assert environment["API_KEY"] == HELD_BACK
        assert environment["BASE_URL"] == "http://127.0.0.1:3128/BASE_URL"
        headers = {
            "X-Api-Key": HELD_BACK,
            "Authorization": f"Bearer {HELD_BACK}",
            "X-Kept": "yes",
            "TE": "trailers",
        }
        status, said, body = client.request(
            "/BASE_URL/messages?beta=1", method="POST", body=b"hi", headers=headers
        )
        _settled(proxy)
        (connection,) = proxy.log()
        assert KEY not in proxy.text()
    assert status == 200
    (seen,) = Upstream.seen
    told = {name.lower(): value for name, value in seen["headers"]}
    assert seen["path"] == "/v1/messages?beta=1"
    assert told["x-api-key"] == f"Bearer {KEY}"
    assert told["host"] == f"localhost:{server}"
    assert told["x-kept"] == "yes"
    assert "authorization" not in told
    assert "te" not in told
    # An upstream that repeats the key gives the cell as many asterisks.
    assert body == b"you said Bearer " + b"*" * len(KEY)
    assert said["X-Echo"] == "Bearer " + "*" * len(KEY)
    assert (connection.verdict, connection.host, connection.port) == ("injected", "localhost", server)


def test_the_upstream_of_a_door_is_not_reached_past_the_door(tmp_path, server):
    with proxied(tmp_path, **door(server)) as (_, client):
        assert client.status(connect(f"localhost:{server}")) == 403


@pytest.mark.parametrize(
    "path",
    [
        "/OTHER/x",
        "/",
        "/BASE_URL/../admin",
        "/BASE_URL/a/%2e%2e/x",
        "/BASE_URL/a/..%2fx",
        "/BASE_URL/.\\..\\x",
        "/BASE_URL/..;/x",
        "/BASE_URL/..;v=1/x",
        "/BASE_URL/%252e%252e/x",
        "/BASE_URL/%25252e./x",
        "/BASE_URL/..%09/x",
        "/BASE_URL/.%00./x",
        "/BASE_URL/..%20/x",
        "/BASE_URL/..%3fa/x",
        "/BASE_URL/..%255cx",
        "/BASE_URL/%c0%ae%c0%ae/x",
        "/BASE_URL/..%c0%afx",
        "/BASE_URL/%u002e%u002e/x",
        "/BASE_URL/%EF%BC%8E%EF%BC%8E/x",
        "/BASE_URL/%E2%80%A5/x",
        "/BASE_URL/.%E2%80%8B./x",
        "/BASE_URL/.../x",
        "/BASE_URL/%" + "25" * 20 + "2e",
    ],
)
def test_a_path_leads_nowhere_but_behind_its_door(tmp_path, server, path):
    with proxied(tmp_path, **door(server)) as (_, client):
        assert client.status(f"GET {path} HTTP/1.1\r\n\r\n".encode()) == 403
    assert not Upstream.seen


@pytest.mark.parametrize(
    "path", ["a..b/x", "..hidden", "a%2Fb;v=1", "100%", "a%252fb", "%E4%BD%A0", "v1//x", ""]
)
def test_a_path_that_leads_nowhere_else_is_passed_on_as_it_is(tmp_path, server, path):
    with proxied(tmp_path, **door(server)) as (_, client):
        assert client.status(f"GET /BASE_URL/{path}?q=../.. HTTP/1.1\r\n\r\n".encode()) == 200
    assert Upstream.seen[0]["path"] == f"/v1/{path}?q=../.."


def key_in(whole):
    """Return whether the key, or half of it, is in an answer in any of the ways in which these upstreams say it."""
    low = whole.lower()
    halves = [KEY[:12].lower().encode(), KEY[-12:].lower().encode()]
    return (
        any(half in low for half in halves)
        or b"\\u00" in low
        or b64encode(b"x" + KEY.encode())[6:24] in whole
    )


@pytest.mark.parametrize("way", sorted(SAID))
def test_a_key_that_an_upstream_says_in_another_way_does_not_reach_the_cell(tmp_path, server, way):
    with proxied(tmp_path, **door(server)) as (proxy, client):
        whole = client.said(f"GET /BASE_URL/{way} HTTP/1.1\r\n\r\n".encode())
        _settled(proxy)
        log = proxy.text()
    assert whole.startswith(b"HTTP/1.1 ")
    assert not key_in(whole), whole
    assert not key_in(log.encode()), log
    refused = {"noline", "brotli", "framed"}
    assert whole.startswith(b"HTTP/1.1 502") is (way in refused)
    if way == "gzip":
        assert whole.endswith(b"\r\n0\r\n\r\n")
        assert b"you said " + b"*" * len(KEY) in whole
        assert b"gzip" not in whole
    if way == "name":
        assert b"X-Kept: 1" in whole


def test_no_part_of_an_answer_is_asked_for_where_a_key_is_at_stake(tmp_path, server):
    parts = {"Range": "bytes=0-9", "If-Range": '"x"'}
    with proxied(tmp_path, f"localhost:{server}", **door(server)) as (_, client):
        client.request("/BASE_URL/x", headers=parts)
        client.request(f"http://localhost:{server}/x", headers=parts)
    with_key, without = ({name.lower() for name, _ in each["headers"]} for each in Upstream.seen)
    assert not with_key & {"range", "if-range"}
    assert without > {"range", "if-range"}


@pytest.mark.parametrize(
    "key", ["sk-0123456789\r", "sk-0123\n456789", "sk-0123456789\u20ac", " sk-0123456789", "sk-\0-0123456789"]
)
def test_a_key_that_cannot_stand_in_a_header_is_refused_before_anything_starts(tmp_path, key):
    with pytest.raises(SandboxUnavailableError, match=r"API_KEY, .* cannot stand in a header") as caught:
        CellProxy((), door(1)["inject"], {"API_KEY": key}, tmp_path)
    assert "0123" not in str(caught.value)


def test_what_goes_wrong_on_the_way_out_repeats_nothing(tmp_path, server):
    with proxied(tmp_path, **door(server)) as (proxy, client):
        proxy._terms.doors["BASE_URL"].__class__.value.__set__(proxy._terms.doors["BASE_URL"], f"{KEY}\r")
        whole = client.said(b"GET /BASE_URL/x HTTP/1.1\r\n\r\n")
        assert whole.startswith(b"HTTP/1.1 502")
        assert not key_in(whole + proxy.text().encode())


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "deflate", "identity", ""])
def test_a_packed_body_is_unpacked_as_it_comes(coding):
    import zlib

    text = b"data: 1\n\n" * 50_000
    packed = {"gzip": gzip.compress(text[:90]) + gzip.compress(text[90:]), "deflate": zlib.compress(text)}
    data = packed.get(coding.removeprefix("x-"), text)
    pieces = [data[at : at + 7] for at in range(0, len(data), 7)]
    assert b"".join(unpacked(iter(pieces), coding)) == text
    bomb = list(unpacked(iter([gzip.compress(bytes(10_000_000))]), "gzip"))
    assert max(map(len, bomb)) <= 1 << 16
    for wrong in ("gzip, gzip", "zstd"):
        with pytest.raises(BadRequestError, match="packed"):
            unpacked(iter(pieces), wrong)


TWO_MEANINGS = [
    b"POST /BASE_URL/x HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /BASE_URL/x HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    b"POST /BASE_URL/x HTTP/1.1\r\nContent-Length: +5\r\n\r\nhello",
    b"POST /BASE_URL/x HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    b"GET ftp://localhost/x HTTP/1.1\r\n\r\n",
    b"GET http://user@localhost/x HTTP/1.1\r\n\r\n",
    b"GET http://[::1/x HTTP/1.1\r\n\r\n",
    b"GET x HTTP/1.1\r\n\r\n",
]


@pytest.mark.parametrize("raw", TWO_MEANINGS)
def test_a_request_that_could_be_read_in_two_ways_is_refused(tmp_path, server, raw):
    with proxied(tmp_path, **door(server)) as (_, client):
        assert client.status(raw) == 400
    assert not Upstream.seen


@pytest.mark.parametrize("body", [b"zz\r\n", b"5\r\nhel", b"", b"-5\r\nhello\r\n"])
def test_a_body_that_breaks_off_is_no_request(tmp_path, server, body):
    raw = b"POST /BASE_URL/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + body
    with proxied(tmp_path, **door(server)) as (proxy, client):
        assert client.status(raw) == 502
        assert proxy.log()[0].verdict == "failed"


def test_a_body_in_chunks_arrives_whole(tmp_path, server):
    pieces = [b"x" * 70_000, b"y"]
    with proxied(tmp_path, **door(server)) as (_, client):
        assert client.request("/BASE_URL/x", method="PUT", body=iter(pieces))[0] == 200
    assert Upstream.seen[0]["body"] == b"".join(pieces)


def test_a_stream_arrives_as_it_comes_and_a_key_in_two_pieces_is_blanked(tmp_path, server):
    with proxied(tmp_path, **door(server)) as (_, client), client.connected() as caller:
        caller.sendall(b"GET /BASE_URL/stream HTTP/1.1\r\n\r\n")
        first = b""
        while b"data: 1\n\n" not in first:
            first += caller.recv(1 << 16)
        assert b"0\r\n\r\n" not in first  # before the stream has ended
        whole = first + _all(caller)
    assert KEY.encode() not in whole
    assert KEY[8:].encode() not in whole
    assert whole.endswith(b"0\r\n\r\n")


def test_an_answer_that_breaks_off_breaks_off_for_the_client_too(tmp_path, server):
    with proxied(tmp_path, **door(server)) as (proxy, client):
        with pytest.raises(http.client.IncompleteRead):
            client.request("/BASE_URL/broken")
        _settled(proxy)
        assert proxy.log()[0].verdict == "failed"
        assert client.request("/BASE_URL/open")[2] == b"until the end"
        assert client.request("/BASE_URL/empty")[:1] == (204,)
        assert client.request("/BASE_URL/x", method="HEAD")[2] == b""
        assert client.said(b"GET /BASE_URL/stream HTTP/1.0\r\n\r\n").endswith(b"*\n\n")


def test_an_upstream_with_a_certificate_is_asked_for_it(tmp_path, server):
    with proxied(tmp_path, **door(server, upstream=f"https://localhost:{server}/v1")) as (proxy, client):
        assert client.request("/BASE_URL/x")[0] == 502  # it speaks no TLS
        assert proxy.log()[0].verdict == "failed"
    assert ssl.create_default_context().check_hostname


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://api.example.org", (True, "api.example.org", 443, "")),
        ("https://api.example.org/v1/", (True, "api.example.org", 443, "/v1")),
        ("http://localhost:8080/a/b", (False, "localhost", 8080, "/a/b")),
    ],
)
def test_a_door_leads_to_its_upstream(address, expected):
    found = upstream.Door.of(Injected(upstream=address, secret="K", prefix="Bearer "), KEY)
    assert (found.secure, found.host, found.port, found.path) == expected
    assert found.value == f"Bearer {KEY}"
    assert KEY not in repr(found)


def test_a_key_without_a_value_is_refused_before_anything_starts(tmp_path):
    for secrets in ({}, {"API_KEY": ""}):
        with pytest.raises(SandboxUnavailableError, match="API_KEY"):
            CellProxy((), door(1)["inject"], secrets, tmp_path)


def test_on_a_shared_network_only_the_cell_knows_the_word(tmp_path, server):
    with proxied(tmp_path, f"localhost:{server}", tcp=True, **door(server)) as (proxy, _):
        port = port_of(proxy.socket)
        parts = urlsplit(proxy.environment["HTTPS_PROXY"])
        assert parts.port == port
        word = b64encode(f"cell:{parts.password}".encode())

        def said(raw):
            with socket.create_connection(("127.0.0.1", port)) as caller:
                caller.settimeout(20)
                caller.sendall(raw)
                caller.shutdown(socket.SHUT_WR)
                return int(_all(caller).split(b" ", 2)[1])

        assert said(connect(f"localhost:{server}")) == 403
        assert said(connect(f"localhost:{server}", b"Proxy-Authorization: Basic !!\r\n")) == 403
        assert said(connect(f"localhost:{server}", b"Proxy-Authorization: Bearer " + word + b"\r\n")) == 403
        assert said(connect(f"localhost:{server}", b"Proxy-Authorization: Basic " + word + b"\r\n")) == 200
        assert said(b"GET /BASE_URL/x HTTP/1.1\r\n\r\n") == 403
        assert said(f"GET /{parts.password}/BASE_URL/x HTTP/1.1\r\n\r\n".encode()) == 200
        assert not proxy.socket.exists()
        assert parts.password not in proxy.text()
    assert port_of(proxy.socket) is None


def test_nothing_is_open_after_the_cell(tmp_path, server):
    before = {thread.ident for thread in threading.enumerate()}
    with proxied(tmp_path, f"localhost:{server}") as (proxy, client):
        caller = client.connected()
        caller.sendall(connect(f"localhost:{server}"))
        assert caller.recv(1 << 16).startswith(b"HTTP/1.1 200")
        idle = client.connected()
    with caller, idle:
        assert caller.recv(1) == b""
        assert idle.recv(1) == b""
    assert not proxy.socket.exists()
    assert len(proxy.log()) == 1
    until = time.monotonic() + 10
    while {
        t.ident for t in threading.enumerate() if t.name == "cell-proxy"
    } - before and time.monotonic() < until:
        time.sleep(0.01)
    assert not {t.ident for t in threading.enumerate() if t.name == "cell-proxy"} - before


def test_a_refusal_is_heard_over_a_body_that_nobody_reads(tmp_path):
    raw = b"POST http://example.org/ HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n"
    with (
        proxied(tmp_path, tcp=True) as (proxy, _),
        socket.create_connection(("127.0.0.1", port_of(proxy.socket))) as caller,
    ):
        caller.settimeout(20)
        caller.sendall(raw)
        caller.sendall(b"x" * 3_000_000)
        assert _all(caller).startswith(b"HTTP/1.1 403")


def test_an_upstream_that_never_closes_keeps_nothing_alive(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        before = threading.active_count()
        with proxied(tmp_path, f"localhost:{port}") as (_, client):
            caller = client.connected()
            caller.sendall(connect(f"localhost:{port}"))
            assert caller.recv(1 << 16).startswith(b"HTTP/1.1 200")
            far, _ = listener.accept()
        with caller, far:
            _until(lambda: threading.active_count() <= before)
            assert far.recv(1) == b""


def test_connections_that_hang_do_not_hold_up_the_end(tmp_path):
    """Nobody takes them, or answers the handshake; each is closed at once, and no further one is begun."""
    before = threading.active_count()
    with (
        socket.create_server(("127.0.0.1", 0), backlog=0) as silent,
        socket.create_server(("127.0.0.1", 0)) as mute,
    ):
        hung, dumb = silent.getsockname()[1], mute.getsockname()[1]
        fill = [socket.socket() for _ in range(3)]
        for each in fill:
            each.settimeout(0)
            each.connect_ex(("127.0.0.1", hung))
        secure = door(dumb, upstream=f"https://localhost:{dumb}/v1")
        with proxied(tmp_path, f"localhost:{hung}", **secure) as (proxy, client):
            callers = [client.connected() for _ in range(20)]
            for each in callers[:-1]:
                each.sendall(connect(f"localhost:{hung}"))
            callers[-1].sendall(b"GET /BASE_URL/x HTTP/1.1\r\n\r\n")
            _until(lambda: sum(entry.upstream is not None for entry in proxy._log._entries) == 20)
            _until(
                lambda: (
                    isinstance(proxy._log._entries[-1].upstream, ssl.SSLSocket)
                    or any(isinstance(entry.upstream, ssl.SSLSocket) for entry in proxy._log._entries)
                )
            )
        _until(lambda: threading.active_count() <= before)
        late = proxy._log.begin("late.example.org", 443, "allowed")
        with pytest.raises(OSError, match="has ended"):
            upstream.connected([(socket.AF_INET, ("127.0.0.1", dumb))], late)
        for each in (*fill, *callers):
            each.close()


def test_those_who_cannot_be_told_to_end_are_waited_for_together(tmp_path, monkeypatch):
    """A name that is being looked up: one deadline for all of them."""
    from benchctl.workspace import proxy as proxy_module

    go_on, waited = threading.Event(), []

    def slow(*_, **__):
        go_on.wait(20)
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    def joined(timeout_s):
        waited.append(timeout_s)
        time.sleep(timeout_s)

    monkeypatch.setattr(allow_list.socket, "getaddrinfo", slow)
    monkeypatch.setattr(proxy_module, "_WAIT_S", 0.2)
    with proxied(tmp_path, "slow.example.org:443") as (proxy, client):
        callers = [client.connected() for _ in range(10)]
        for each in callers:
            each.sendall(connect("slow.example.org:443"))
        _until(lambda: len(proxy._live) == 10)
        for thread in proxy._live.values():
            monkeypatch.setattr(thread, "join", joined)
    assert len(waited) == 10
    assert sum(waited) <= 0.2
    go_on.set()
    for each in callers:
        each.close()


def test_a_flood_of_attempts_is_counted_and_not_kept(tmp_path, monkeypatch):
    from benchctl.workspace import network_log

    monkeypatch.setattr(network_log, "_KEPT", 3)
    with proxied(tmp_path) as (proxy, client):
        for _ in range(5):
            client.status(connect("example.org:443"))
        assert (proxy.refused, len(proxy.log())) == (5, 3)
        assert json.loads(proxy.text().splitlines()[-1]) == {"left_out": 2, "refused": 5}


def test_too_many_connections_at_once_are_refused(tmp_path, monkeypatch):
    from benchctl.workspace import proxy as proxy_module

    monkeypatch.setattr(proxy_module, "_AT_ONCE", 2)
    with proxied(tmp_path) as (proxy, client), client.connected(), client.connected():
        _until(lambda: len(proxy._live) == 2)
        with client.connected() as third:
            assert third.recv(1) == b""
        assert "at once" in proxy.log()[-1].reason


def test_a_folder_with_a_long_name_holds_a_socket_too(tmp_path):
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    with CellProxy((), {}, {}, folder) as proxy:
        assert proxy.socket.is_socket()
    assert not proxy.socket.exists()


def test_a_proxy_without_doors_sets_the_names_that_are_promised(tmp_path):
    with CellProxy((), {}, {}, tmp_path) as proxy:
        assert sorted(proxy.environment) == sorted(PROXY_NAMES)


def test_this_machine_is_proxied_where_it_is_listed(tmp_path):
    for allow, direct in (((), "127.0.0.1,localhost"), (("localhost:8000",), "127.0.0.1")):
        with CellProxy(allow, {}, {}, tmp_path) as proxy:
            assert proxy.environment["NO_PROXY"] == proxy.environment["no_proxy"] == direct


def test_a_key_is_blanked_wherever_the_stream_is_cut():
    text = b"a" + KEY.encode() + KEY.encode()[:5] + b"b"
    wanted = text.replace(KEY.encode(), b"*" * len(KEY))
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            blanked = Blanked(KEY.encode())
            parts = [
                blanked.feed(text[:first]),
                blanked.feed(text[first:second]),
                blanked.feed(text[second:]),
            ]
            assert b"".join([*parts, blanked.rest()]) == wanted
    assert (
        Blanked(KEY.encode()).feed(b"data: x\n\n") == b"data: x\n\n"
    )  # nothing is held back that cannot be one
    assert Blanked(b"").feed(b"x") + Blanked(b"").rest() == b"x"


SPELT = {
    "letters": lambda key: "".join(f"\\u{ord(c):04x}" for c in key),
    "letters in capitals": lambda key: "".join(f"\\u{ord(c):04X}" for c in key),
    "some letters": lambda key: "".join(f"\\u{ord(c):04x}" if n % 3 else c for n, c in enumerate(key)),
    "JSON in JSON": lambda key: "".join(f"\\\\u{ord(c):04x}" for c in key),
    "a URL": lambda key: "".join(f"%{ord(c):02X}" for c in key),
    "HTML": lambda key: "".join(f"&#{ord(c)};" for c in key),
    "HTML in hexadecimal": lambda key: "".join(f"&#x{ord(c):X};" for c in key),
    "hexadecimal": lambda key: key.encode().hex(),
    "Base64": lambda key: b64encode(key.encode()).decode(),
}


@pytest.mark.parametrize("way", sorted(SPELT))
@pytest.mark.parametrize("key", [KEY, 'sk%2&a/\\b+"c<u0025>=='])
def test_a_key_is_blanked_however_it_is_spelt_and_wherever_it_is_cut(way, key):
    spelt = SPELT[way](key).encode()
    text = b"\\u0073 %73 " + spelt[:7] + b" " + spelt + b" end"
    for cut in range(len(text) + 1):
        blanked = Blanked(key.encode())
        found = blanked.feed(text[:cut]) + blanked.feed(text[cut:]) + blanked.rest()
        assert len(found) == len(text)
        assert found.startswith(text[: len(text) - len(spelt) - 4])
        assert found.removesuffix(b" end").rstrip(b"=").endswith(b"*")
        assert spelt[:16] not in found


def test_a_key_is_blanked_in_random_texts():
    dice = random.Random(5)
    for _ in range(300):
        key = "".join(dice.choices("ab\\%&u0", k=9))
        text = "".join(dice.choices([*"ab\\%&u0", key, key[:4]], k=20)).encode()
        cuts = sorted(dice.choices(range(len(text) + 1), k=3))
        blanked = Blanked(key.encode())
        found = (
            b"".join(blanked.feed(text[a:b]) for a, b in itertools.pairwise([0, *cuts, len(text)]))
            + blanked.rest()
        )
        assert len(found) == len(text)
        assert key.encode() not in found


def test_a_chunk_that_is_none_is_said():
    import io

    with pytest.raises(BadRequestError):
        list(chunks(io.BytesIO(b"zz\r\n")))
    assert list(chunks(io.BytesIO(b"3;a=b\r\nabc\r\n0\r\nTrailer: x\r\n\r\n"))) == [b"abc"]


INSIDE = """
import json, os, socket, urllib.error, urllib.request
def tried(call):
    try:
        return call()
    except urllib.error.HTTPError as error:
        return error.code
    except OSError as error:
        return type(error).__name__
direct = urllib.request.build_opener(urllib.request.ProxyHandler({{}}))
everything = [open(f"/proc/self/{{name}}", "rb").read().decode(errors="replace") for name in ("environ", "cmdline")]
print(json.dumps({{
    "door": tried(lambda: direct.open(os.environ["BASE_URL"] + "/m", b"hi", timeout=20).read().decode()),
    "allowed": tried(lambda: urllib.request.urlopen("http://localhost:{port}/x", timeout=20).status),
    "other": tried(lambda: urllib.request.urlopen("http://example.org/", timeout=20).status),
    "address": tried(lambda: urllib.request.urlopen("http://2130706433:{port}/", timeout=20).status),
    "past": tried(lambda: direct.open("http://127.0.0.1:{port}/", timeout=20).status),
    "name": tried(lambda: bool(socket.getaddrinfo("example.org", 443))),
    "inside": everything,
}}))
"""


@pytest.mark.parametrize("level", every_level())
def test_from_inside_a_cell(level, tmp_path, server):
    cell, outside = tmp_path / "cell", tmp_path / "proxy"
    cell.mkdir()
    outside.mkdir()
    wall = WALLS[level]
    with (
        Workers() as workers,
        proxied(outside, f"localhost:{server}", tcp=wall.shares_network, **door(server)) as (proxy, _),
    ):
        env = {"PATH": "/usr/bin:/bin", "RES_OPTIONS": "timeout:1 attempts:1", **proxy.environment}
        argv = [sys.executable, "-I", "-S", "-c", INSIDE.format(port=server)]
        argv = wall.wrap(
            argv, reads=interpreter_reads(), writes=[cell], cwd=cell, env=env, proxy=proxy.socket
        )
        assert not any(KEY in word for word in argv)
        result = workers.run(argv, cwd=cell, env=env, wall_s=60.0, output_bytes=1 << 20)
        assert result.outcome == "ok", result.stderr.text
        found = json.loads(result.stdout.text)
        verdicts = [each.verdict for each in proxy.log()]
        refused = proxy.refused
    assert KEY not in result.stdout.text
    assert found["door"] == "you said " + "*" * len(KEY)
    assert found["allowed"] == 200
    assert (found["other"], found["address"]) == (403, 403)
    assert found["past"] == "URLError"
    assert found["name"] == "gaierror"
    assert (verdicts, refused) == (["injected", "allowed", "refused", "refused"], 2)


@skip_without("bwrap")
def test_without_a_proxy_there_is_no_way_and_with_one_no_trace_of_the_relay(tmp_path):
    code = "import os; print(os.path.exists('/run/benchctl'), len([n for n in os.listdir('/proc') if n.isdigit()]))"
    with Workers() as workers, CellProxy((), {}, {}, tmp_path) as proxy:
        for socket_, expected in ((None, "False"), (proxy.socket, "True")):
            cell = tmp_path / expected
            cell.mkdir()
            argv = WALLS["bwrap"].wrap(
                [sys.executable, "-I", "-S", "-c", code],
                reads=interpreter_reads(), writes=[cell], cwd=cell, env={"PATH": "/usr/bin:/bin"}, proxy=socket_,
            )  # fmt: skip
            result = workers.run(
                argv, cwd=cell, env={"PATH": "/usr/bin:/bin"}, wall_s=60.0, output_bytes=1 << 20
            )
            assert result.stdout.text.split()[0] == expected
            assert (result.outcome, result.stragglers, result.pipes_held) == ("ok", 0, False)


@skip_without("bwrap")
def test_a_relay_that_cannot_start_is_the_walls_fault_and_an_exit_code_is_the_commands(tmp_path, monkeypatch):
    env = {"PATH": "/usr/bin:/bin"}
    with CellProxy((), {}, {}, tmp_path) as proxy, Workers() as workers:
        cell = tmp_path / "cell"
        cell.mkdir()
        words = {
            "reads": interpreter_reads(),
            "writes": [cell],
            "cwd": cell,
            "env": env,
            "proxy": proxy.socket,
        }
        limits = {"cwd": cell, "env": env, "wall_s": 60.0, "output_bytes": 1 << 20}
        ended = workers.run(WALLS["bwrap"].wrap(["sh", "-c", "exit 125"], **words), **limits)
        assert (ended.outcome, ended.exit_code) == ("exit_nonzero", 125)
        monkeypatch.setattr("benchctl.workspace.sandbox.bwrap.RELAY_PORT", 99_999)
        ended = workers.run(WALLS["bwrap"].wrap(["true"], **words), **limits)
        assert ended.outcome == "sandbox_error"


def test_the_relay_holds_no_output_open(tmp_path):
    from benchctl.workspace import relay

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    argv = [
        sys.executable,
        "-I",
        "-S",
        relay.__file__,
        "2",
        str(tmp_path / "none"),
        port,
        "/bin/echo",
        "done",
    ]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.communicate(timeout=20) == ("done\n", "exit-code: that of the command\n")
        finally:
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                with contextlib.suppress(OSError):
                    if str(tmp_path / "none").encode() in path.read_bytes():
                        os.kill(int(path.parent.name), signal.SIGKILL)


def test_the_relay_says_that_it_failed(tmp_path):
    from benchctl.workspace import relay

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        argv = [sys.executable, "-I", "-S", relay.__file__, "1", str(tmp_path / "none"), port, "/bin/true"]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (125, "failed\n")
    assert "relay:" in done.stderr


def _settled(proxy):
    _until(lambda: all(not entry.upstream for entry in proxy._log._entries) and not proxy._live)


def _until(condition):
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.005)
