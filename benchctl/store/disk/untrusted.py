"""What stands in a file that anybody may have written: read whole, and read as JSON, with one kind of error."""

from __future__ import annotations

import errno
import json
import os
import stat
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MOST_BYTES", "parse_json", "read_linked", "read_regular"]

MOST_BYTES: Final = 512 * 1024 * 1024
"""More than the record of a million cells has; a file that says it is bigger is not taken into memory."""


def read_regular(path: Path, most: int | None = MOST_BYTES) -> bytes:
    """Return a file's bytes, `most` of them at most; a link is not followed and a pipe never waited for. Raises OSError."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(0, "not a regular file")
    if most is None:
        return path.read_bytes()
    with path.open("rb") as file:
        content = file.read(most + 1) if status.st_size <= most else None
    if content is None or len(content) > most:
        raise OSError(errno.EFBIG, f"more than {most} bytes, which no such file of ours has")
    return content


def read_linked(path: Path, most: int) -> bytes:
    """Return a regular file's bytes, `most` of them at most; a link may stand for it, a pipe is never waited for.

    Raises OSError.
    """
    with open(path, "rb", opener=_at_once) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        content = file.read(most + 1) if status.st_size <= most else None
    if content is None or len(content) > most:
        raise OSError(errno.EFBIG, f"more than {most:,} bytes")
    return content


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def parse_json(content: bytes | str) -> Any:
    """Return what a JSON text says.

    Raises ValueError for every text that is none, that is nested too deeply to be read, or that holds
    half a character (a lone surrogate), which no file of ours can say again.
    """
    text = content if isinstance(content, str) else content.decode()
    try:
        value = json.loads(text)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeEncodeError as error:
        raise ValueError("half a character, a lone surrogate") from error
    return value
