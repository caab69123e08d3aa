"""A file beside the store, such as a page or a drawing, that is there whole or as it was before.

The store's own files are written once and fsynced, by `store.durable`; these may be replaced. What is being
written has a short name that nobody can foresee, in the folder that the file really is in, and is made anew:
nothing that waits under a name there, such as a link, is ever written through.
"""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

__all__ = ["replace_file", "rewrite_file"]


def replace_file(path: Path, content: bytes) -> None:
    """Write a file under its name in one step, its folders made where they are missing.

    What is half written goes when writing fails. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, content, mode=None)


def rewrite_file(path: Path, content: bytes) -> None:
    """Give a file that is there other content in one step: it keeps its mode, and one behind a link its place.

    Its other hard links keep the old content. Raises OSError.
    """
    target = Path(os.path.realpath(path, strict=True))
    _replace(target, content, mode=stat.S_IMODE(target.stat().st_mode))


def _replace(path: Path, content: bytes, *, mode: int | None) -> None:
    draft = path.with_name(f".{secrets.token_hex(8)}.part")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            if mode is not None:
                os.fchmod(descriptor, mode)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
