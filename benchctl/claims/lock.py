"""claims.lock: which data each page was last read against, so that none moves under it unnoticed.

One JSON file beside benchctl.toml, sorted, so that a change is one line of a diff. Only
`verify-claims --accept` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from benchctl.claims.files import MOST_BYTES
from benchctl.errors import LockInvalidError, Where
from benchctl.report.whole_file import replace_file, rewrite_file
from benchctl.store.disk.untrusted import read_linked

__all__ = ["LOCK_FILE", "Lock", "read_lock", "said_by", "write_lock"]

LOCK_FILE: Final = "claims.lock"
_SCHEMA: Final = "benchctl.lock/1"
_CONFLICT: Final = ("<<<<<<< ", ">>>>>>> ")

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Lock:
    """Page -> run -> data digest; and page -> the least `max_unbound` that was accepted, of pages that had one."""

    pages: Mapping[str, Mapping[str, str]]
    unbound: Mapping[str, int] = field(default_factory=dict)


def read_lock(root: Path) -> Lock | None:
    """Return the lock of a project; None where it has none. Raises LockInvalidError."""
    file = root / LOCK_FILE
    try:
        content = read_linked(file, MOST_BYTES)
    except FileNotFoundError as error:
        if file.is_symlink():
            raise _invalid(file, "it is a link that leads to nothing") from error
        return None
    except OSError as error:
        raise _invalid(file, f"it cannot be read: {error.strerror}") from error
    try:
        data = said_by(content)
    except ValueError as error:
        conflict = all(mark.encode() in content for mark in _CONFLICT)
        what = "it has the marks of a merge conflict" if conflict else f"it cannot be read: {error}"
        raise _invalid(file, what) from error
    pages = data.get("pages") if isinstance(data, dict) and data.get("schema") == _SCHEMA else None
    if not isinstance(pages, dict) or not all(
        isinstance(pins, dict) and all(isinstance(digest, str) for digest in pins.values())
        for pins in pages.values()
    ):
        raise _invalid(file, f"it is no `{_SCHEMA}`")
    unbound = data.get("unbound", {})
    if not isinstance(unbound, dict) or not all(type(n) is int and n >= 0 for n in unbound.values()):
        raise _invalid(file, "`unbound` is no number for each page")
    return Lock(pages, unbound)


def said_by(content: bytes) -> Any:
    """Return what the JSON of a lock says. Raises ValueError, also for a key that is there twice and for half a character."""
    try:
        data = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_once)
        json.dumps(data, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("half a character, a lone surrogate") from None
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Where two merged lines say something of one page, which of them counts is no matter of order."""
    said = dict(pairs)
    if len(said) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in said if names.count(name) > 1)
        raise ValueError(f"{twice!r} is there twice")
    return said


def _invalid(file: Path, what: str) -> LockInvalidError:
    return LockInvalidError(
        what,
        where=Where(str(file)),
        next_step=f"restore it, after a merge with `git checkout --theirs {LOCK_FILE}`; or delete it, and then"
        " write it anew with `benchctl verify-claims --accept`",
    )


def write_lock(
    root: Path, pages: Mapping[str, Mapping[str, str]], unbound: Mapping[str, int] | None = None
) -> None:
    """Pin the given pages; what the lock says of other pages stays. `unbound` are ratchets, of which none rises.

    A page whose name is no UTF-8 has no place in it. A lock behind a link is written where it is. Raises
    LockInvalidError, OSError.
    """
    old = read_lock(root)
    before = old or Lock({})
    least = {page: min(before.unbound.get(page, limit), limit) for page, limit in (unbound or {}).items()}
    said = {
        "schema": _SCHEMA,
        "pages": {**before.pages, **_sayable(pages)},
        "unbound": {**before.unbound, **_sayable(least)},
    }
    if not said["unbound"]:
        del said["unbound"]
    text = json.dumps(said, indent=1, sort_keys=True, ensure_ascii=False)
    write = rewrite_file if old else replace_file
    write(root / LOCK_FILE, f"{text}\n".encode())


def _sayable(pages: Mapping[str, _T]) -> dict[str, _T]:
    """Return what is said of the pages whose names UTF-8 can say: a name on disk may be any bytes."""
    return {page: said for page, said in pages.items() if page == page.encode(errors="replace").decode()}
