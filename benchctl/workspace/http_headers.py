"""The headers of a request on its way out of a cell: what the client said, less what names a key, and the key."""

from __future__ import annotations

from email.message import Message

from benchctl.workspace.upstream import Door

__all__ = ["OF_ONE_HOP", "outgoing"]

OF_ONE_HOP = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
     "transfer-encoding", "upgrade", "expect", "host", "content-length", "accept-encoding"}
)  # fmt: skip
"""Headers that end here: those of one connection (RFC 9110, 7.6.1), and what this proxy says itself."""
_OF_PARTS = frozenset({"range", "if-range"})
"""What asks for a part of an answer: a key that comes in parts could not be found."""


def outgoing(said: Message, door: Door, held_back: str) -> list[tuple[str, str]]:
    """Return what is said to the upstream of a door; `held_back` stands in the cell for every key."""
    dropped = OF_ONE_HOP | {name.strip().lower() for name in said.get("connection", "").split(",")}
    if door.secret:
        dropped |= _OF_PARTS
    kept = [
        (name, value)
        for name, value in said.items()
        if name.lower() not in dropped and name.lower() != door.header
        and not (door.secret and held_back in value)
    ]  # fmt: skip
    usual = 443 if door.secure else 80
    host = f"[{door.host}]" if ":" in door.host else door.host
    kept = [("Host", host if door.port == usual else f"{host}:{door.port}"), *kept]
    # A body that is packed has to be unpacked to be searched for the key, and not every packing can be.
    encoding = "identity" if door.secret else said.get("accept-encoding", "identity")
    kept.append(("Accept-Encoding", encoding))
    return [*kept, (door.header, door.value)] if door.secret else kept
