"""Verdicts on files, kept by the digest of their bytes, so that an unchanged tree is not searched twice.

One file for each set of needles. It says how often which question was found, never a needle itself. It is
believed only where nobody else could have written it, it is whole, and it is of these needles and this way
of searching: anything else is no cache.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from benchctl.schema.canonical import canonical_json, sha256_hex
from benchctl.workspace.leaks.verdict import Verdict, verdict_json, verdict_of_json

__all__ = ["KEPT_FILES", "VERSION", "VerdictCache", "cache_folder"]

VERSION = 2
"""Raised whenever the same bytes and needles may give another verdict."""

KEPT_FILES = 32
"""How many sets of needles are remembered; those that were not used for longest go first."""


def cache_folder() -> Path | None:
    """Return the user's own folder for caches of this program; None where there is no home."""
    for variable, below in (("XDG_CACHE_HOME", ""), ("HOME", ".cache")):
        base = Path(os.environ.get(variable, ""))
        if base.is_absolute():
            return base / below / "benchctl" / "leaks"
    return None


class VerdictCache:
    """The verdicts of one set of needles, as a context that writes what is new when it is left.

    Nothing that goes wrong with it is an error: a file that cannot be read or written only costs time.
    """

    def __init__(self, folder: Path | None, needles: str) -> None:
        self._digest = needles
        self._file = folder / f"{needles.removeprefix('sha256:')}.json" if folder else None
        self._known: dict[str, Verdict] = {}
        self._new = 0

    def __enter__(self) -> Self:
        if self._file is not None:
            with contextlib.suppress(OSError, ValueError, RecursionError):
                self._known = _read(self._file, self._digest)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None and self._known:
            with contextlib.suppress(OSError):
                if self._new:
                    _write(self._file, self._digest, self._known)
                else:
                    os.utime(self._file)

    def get(self, sha256: str) -> Verdict | None:
        """Return what is known of the bytes with this digest."""
        return self._known.get(sha256)

    def put(self, sha256: str, verdict: Verdict) -> None:
        """Remember a verdict."""
        self._known[sha256] = verdict
        self._new += 1


def _read(file: Path, needles: str) -> dict[str, Verdict]:
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        _check_owner(os.fstat(descriptor))
        _check_owner(file.parent.lstat())
        head, _, body = stream.read().partition(b"\n")
    if head != _head(needles, body):
        raise ValueError("damaged, or of other needles")
    raw = json.loads(body)
    clean = dict.fromkeys(raw["clean"], Verdict())
    return clean | {digest: verdict_of_json(verdict) for digest, verdict in raw["found"].items()}


def _check_owner(status: os.stat_result) -> None:
    if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ValueError("others may have written it")


def _head(needles: str, body: bytes) -> bytes:
    return f"benchctl leak verdicts {VERSION} {needles} {sha256_hex(body)}".encode()


def _write(file: Path, needles: str, known: dict[str, Verdict]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _check_owner_or_oserror(file.parent)
    body = canonical_json(
        {
            "clean": sorted(digest for digest, verdict in known.items() if verdict == Verdict()),
            "found": {
                digest: verdict_json(verdict) for digest, verdict in known.items() if verdict != Verdict()
            },
        }
    )
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(_head(needles, body) + b"\n" + body)
        Path(name).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    _forget_oldest(file.parent)


def _check_owner_or_oserror(folder: Path) -> None:
    try:
        _check_owner(folder.lstat())
    except ValueError as error:
        raise OSError(str(error)) from error


def _forget_oldest(folder: Path) -> None:
    files = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files[KEPT_FILES:]:
        path.unlink(missing_ok=True)
