"""Attacks over the network and over sockets of this machine: past the proxy, through it, and as a server."""

# A part of a small program that is copied into cells; pathlib would cost it its start.
# ruff: noqa: PTH104, PTH110, PTH123

from __future__ import annotations

import os
import socket
import time
from base64 import b64encode
from typing import Any
from urllib.parse import urlsplit

__all__ = ["PROBES"]

_TIMEOUT_S = 2.0
_MULTIPATH, _FAST_OPEN = 262, 0x20000000


def _tcp(t: dict[str, Any]) -> bool:
    with socket.create_connection(("127.0.0.1", t["tcp"]), timeout=_TIMEOUT_S):
        return True


def _tcp6(t: dict[str, Any]) -> bool | None:
    if not t["tcp6"]:
        return None
    with socket.create_connection(("::1", t["tcp6"]), timeout=_TIMEOUT_S):
        return True


def _tcp_multipath(t: dict[str, Any]) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, _MULTIPATH) as caller:
        caller.settimeout(_TIMEOUT_S)
        caller.connect(("127.0.0.1", t["tcp"]))
    return True


def _tcp_fast_open(t: dict[str, Any]) -> bool:
    """Connect by sending, which asks no one who only watches over connecting."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as caller:
        caller.settimeout(_TIMEOUT_S)
        caller.sendto(t["secret"].encode(), _FAST_OPEN, ("127.0.0.1", t["tcp"]))
    return True


def _server(t: dict[str, Any]) -> bool:
    """Listen without a word about the port, and wait for the visitor of the arena, who says when he has tried."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.listen(1)
        listener.settimeout(0.0)
        with open(f"{t['tree']}/port.part", "w") as file:
            file.write(str(listener.getsockname()[1]))
        os.rename(f"{t['tree']}/port.part", f"{t['tree']}/port")
        until = time.monotonic() + _TIMEOUT_S
        while not os.path.exists(f"{t['tree']}/visited") and time.monotonic() < until:
            time.sleep(0.005)
        with listener.accept()[0]:
            return True


def _udp(t: dict[str, Any]) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(t["secret"].encode(), ("127.0.0.1", t["udp"]))
    return True


def _dns(_: dict[str, Any]) -> bool:
    """Ask for a name that cannot exist (RFC 6761): an answer, whatever it is, has been outside."""
    os.environ["RES_OPTIONS"] = "timeout:1 attempts:1"
    try:
        socket.getaddrinfo("benchctl-probe.invalid", 443)
    except socket.gaierror as error:
        return error.errno not in (socket.EAI_AGAIN, socket.EAI_FAIL, socket.EAI_SYSTEM)
    return True


def _raw_socket(_: dict[str, Any]) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP):
        return True


def _unix_datagram(t: dict[str, Any]) -> bool:
    """Send to a path over one of a pair of sockets, which each program may have."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with here, there:
        here.sendto(t["secret"].encode(), t["datagram"])
    return True


def _connects(*addresses: str) -> bool | None:
    reached = False
    for address in addresses:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
            caller.settimeout(_TIMEOUT_S)
            try:
                caller.connect(address)
            except OSError:
                continue
            reached = True
    return reached if addresses else None


def _unix_socket(t: dict[str, Any]) -> bool | None:
    return _connects(t["unix"])


def _abstract_socket(t: dict[str, Any]) -> bool | None:
    return _connects("\0" + t["abstract"]) if t["abstract"] else None


def _container_engine(t: dict[str, Any]) -> bool | None:
    return _connects(*t["container_engines"])


def _ssh_agent(t: dict[str, Any]) -> bool | None:
    return _connects(*t["ssh_agents"])


def _message_bus(t: dict[str, Any]) -> bool | None:
    return _connects(*t["message_buses"])


def _through_proxy(endpoint: str) -> bool:
    proxy = urlsplit(os.environ.get("HTTPS_PROXY", ""))
    word = b64encode(f"{proxy.username}:{proxy.password}".encode()).decode()
    request = f"CONNECT {endpoint} HTTP/1.1\r\nHost: {endpoint}\r\nProxy-Authorization: Basic {word}\r\n\r\n"
    with socket.create_connection((proxy.hostname or "", proxy.port or 0), timeout=_TIMEOUT_S) as caller:
        caller.sendall(request.encode())
        return caller.recv(64).split(b" ")[1:2] == [b"200"]


def _proxy_other_host(t: dict[str, Any]) -> bool:
    return _through_proxy(f"localhost:{t['tcp']}")


def _proxy_address(t: dict[str, Any]) -> bool:
    forms = ("127.0.0.1", "127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]", "0")
    return any(_through_proxy(f"{form}:{t['tcp']}") for form in forms)


def _proxy_port_elsewhere(t: dict[str, Any]) -> bool | None:
    """Connect to the proxy's port at another address, where someone else listens."""
    if not t["elsewhere"]:
        return None
    with socket.create_connection(tuple(t["elsewhere"]), timeout=_TIMEOUT_S):
        return True


PROBES = {
    "tcp": _tcp,
    "tcp6": _tcp6,
    "tcp_multipath": _tcp_multipath,
    "tcp_fast_open": _tcp_fast_open,
    "server": _server,
    "udp": _udp,
    "dns": _dns,
    "raw_socket": _raw_socket,
    "unix_socket": _unix_socket,
    "unix_datagram": _unix_datagram,
    "abstract_socket": _abstract_socket,
    "container_engine": _container_engine,
    "ssh_agent": _ssh_agent,
    "message_bus": _message_bus,
    "proxy_other_host": _proxy_other_host,
    "proxy_address": _proxy_address,
    "proxy_port_elsewhere": _proxy_port_elsewhere,
}
