"""Which hosts a cell may reach: names and ports as a suite lists them, and the addresses they may lead to.

A listed name is looked up once and connected to by that very answer, so that it cannot mean one machine when
it is checked and another when it is used.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass

__all__ = ["Address", "AllowList", "RefusedEndpointError", "split_endpoint"]

Address = tuple[socket.AddressFamily, tuple[str, int] | tuple[str, int, int, int]]
"""A family and an address of it, as socket.connect takes them."""

_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")
_NUMBER = re.compile(r"(0x[0-9a-f]*|\d+)")


class RefusedEndpointError(Exception):
    """A cell asked for what it may not reach; the text says why."""


def split_endpoint(endpoint: str) -> tuple[str, int]:
    """Return (host in lower case without a last dot and brackets, port). Raises RefusedEndpointError for anything else."""
    host, _, port = endpoint.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port[:6]) < 65536:
        raise RefusedEndpointError(f"{endpoint[:200]!r} is no host and port")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    return host.lower().removesuffix("."), int(port)


def _is_number(host: str) -> bool:
    """Return whether a host is an address in any notation that a resolver takes for one (`0x7f.1`, `2130706433`, `::1`)."""
    return ":" in host or _NUMBER.fullmatch(host.rpartition(".")[2]) is not None


@dataclass(frozen=True, slots=True)
class AllowList:
    """Endpoints as a suite lists them: `host:port`, or `*.host:port` for every host below one."""

    endpoints: tuple[str, ...]

    def check(self, host: str, port: int) -> bool:
        """Return whether the host is listed by its own name, and not by a pattern.

        Raises RefusedEndpointError for a host that is not listed; an address is refused unless that very
        address is listed.
        """
        by_pattern = False
        for endpoint in self.endpoints:
            listed, listed_port = split_endpoint(endpoint)
            if listed_port != port:
                continue
            if listed == host:
                return True
            below = listed.startswith("*.") and host.endswith(listed[1:])
            by_pattern = by_pattern or below or listed == "*"
        if _is_number(host):
            raise RefusedEndpointError(
                f"{host}:{port} is an address, and only names that are listed can be reached"
            )
        if not _HOST.fullmatch(host):
            raise RefusedEndpointError(f"{host[:200]!r} is no host name")
        if not by_pattern:
            raise RefusedEndpointError(f"{host}:{port} is not listed")
        return False

    def names(self, host: str) -> bool:
        """Return whether a host is listed by its own name, at any port."""
        return any(split_endpoint(endpoint)[0] == host for endpoint in self.endpoints)

    def addresses(self, host: str, port: int) -> list[Address]:
        """Return where a listed host is. Raises RefusedEndpointError as `check` does, and OSError where nothing is found."""
        return lookup(host, port, by_name=self.check(host, port))


def lookup(host: str, port: int, *, by_name: bool) -> list[Address]:
    """Return the addresses of a host, without those that nobody can have meant.

    An address of the link itself (a cloud's metadata service) is never meant by a name; one of this machine
    or of a private network is meant only by a host that is listed by its name. Raises RefusedEndpointError
    where none is left, OSError where there was none.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise RefusedEndpointError(f"{host[:200]!r} is no host name") from error
    kept: list[Address] = []
    for family, _, _, _, address in found:
        place = ipaddress.ip_address(str(address[0]).partition("%")[0])
        mapped = getattr(place, "ipv4_mapped", None) or place
        if str(mapped) == host or (not mapped.is_link_local and (by_name or mapped.is_global)):
            kept.append((family, address))  # type: ignore[arg-type]
    if not kept:
        raise RefusedEndpointError(f"{host}:{port} leads to {found[0][4][0]}, which its name does not allow")
    return kept
