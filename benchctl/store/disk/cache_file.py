"""A JSON file in the user's cache folder: believed while nobody else can write to it, and never needed."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["cache_folder", "read_cache", "users_alone", "write_cache"]

_MOST_BYTES: Final = 256 * 1024 * 1024


def cache_folder() -> Path | None:
    """Return the user's folder for what can be found out again; None where the system names no home."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(named):  # noqa: PTH117 - a relative one is to be ignored, says the XDG specification
        return Path(named) / "benchctl"
    with suppress(RuntimeError):
        return Path.home() / ".cache" / "benchctl"
    return None


def users_alone(status: os.stat_result) -> bool:
    """Return whether a file or folder belongs to the user, and nobody else may write to it."""
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def read_cache(name: str) -> list[object]:
    """Return what a file lists; nothing where it is missing, garbage, or not the user's alone to write."""
    folder = cache_folder()
    if folder is None:
        return []
    try:
        with open(folder / name, "rb", opener=_opened) as file:
            status = os.fstat(file.fileno())
            if not users_alone(status) or not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
                return []
            entries = json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return []
    return entries if isinstance(entries, list) else []


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # a pipe is not waited for


def write_cache(name: str, entries: list[object]) -> None:
    """Put a file in place whole; where it cannot be written, nobody is bothered."""
    folder = cache_folder()
    if folder is None:
        return
    with suppress(OSError, ValueError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
        try:
            with os.fdopen(descriptor, "w") as file:
                json.dump(entries, file, separators=(",", ":"))
            Path(temporary).replace(folder / name)
        finally:
            Path(temporary).unlink(missing_ok=True)
