"""Git's own files in a tree: packs, bundles and loose objects, which hold a history in compressed form."""

from __future__ import annotations

from collections.abc import Iterator

from benchctl.workspace.leaks.budget import Budget

__all__ = ["is_loose", "is_pack", "loose_object", "pack_objects"]

_PACK = b"PACK\0\0\0\x02"
_HEADER_LIES_WITHIN = 1024 * 1024
_TRAILER = 20
_OFFSET_DELTA, _NAMED_DELTA = 6, 7


def is_pack(data: bytes) -> bool:
    """Say whether bytes are a pack, alone or behind the header of a bundle (gitformat-pack, gitformat-bundle)."""
    return data.startswith(_PACK) or (data.startswith(b"# v") and _PACK in data[:_HEADER_LIES_WITHIN])


def pack_objects(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    """Yield each object of a pack; of one that is stored as a difference, what the difference adds."""
    start = data.find(_PACK)
    at = start + len(_PACK) + 4
    view = memoryview(data)
    for _ in range(int.from_bytes(data[at - 4 : at], "big")):
        if at >= len(data) - _TRAILER or not budget.member():
            return
        kind = data[at] >> 4 & 7
        at = _past_number(data, at)
        if kind == _OFFSET_DELTA:
            at = _past_number(data, at)
        elif kind == _NAMED_DELTA:
            at += 20
        inner, used = budget.inflate(view[at:], "git pack")
        if not used:
            return
        at += used
        yield "git pack", inner


def _past_number(data: bytes, at: int) -> int:
    while at < len(data) and data[at] & 0x80:
        at += 1
    return at + 1


def is_loose(data: bytes) -> bool:
    """Say whether bytes start as a zlib stream does (RFC 1950): so are a loose object and other files stored."""
    return len(data) > 8 and data[0] == 0x78 and int.from_bytes(data[:2], "big") % 31 == 0


def loose_object(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    """Yield what a zlib stream holds; nothing where the bytes only look like one."""
    inner, used = budget.inflate(data, "")
    if used:
        yield "zlib", inner
