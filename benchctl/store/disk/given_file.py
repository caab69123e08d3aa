"""A file that a person names for a command to read: a regular one, or `-` for standard input, and no bigger than it can be."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import Final

from benchctl.errors import OptionInvalidError, Where
from benchctl.store.disk.untrusted import read_regular

__all__ = ["STANDARD_INPUT", "read_given"]

STANDARD_INPUT: Final = "-"


def read_given(name: str, most: int) -> bytes:
    """Return the bytes of a file, `most` at most; a link is followed, and no pipe and no device is waited for.

    Raises OptionInvalidError.
    """
    try:
        return _piped(most) if name == STANDARD_INPUT else read_regular(Path(name).resolve(strict=True), most)
    except (OSError, RuntimeError) as error:  # a circle of links is a RuntimeError
        raise OptionInvalidError(
            f"cannot be read: {getattr(error, 'strerror', None) or error}",
            where=Where(name),
            expected=f"a regular file of at most {most:,} bytes, or `-` for standard input",
        ) from error


def _piped(most: int) -> bytes:
    content = sys.stdin.buffer.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"more than {most} bytes")
    return content
