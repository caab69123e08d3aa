"""What stands in a file that anybody may have written: read whole, and read as JSON, with one kind of error."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["parse_json", "read_regular"]


def read_regular(path: Path) -> bytes:
    """Return a file's bytes; a link is not followed and a pipe never waited for. Raises OSError."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError(0, "not a regular file")
    return path.read_bytes()


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
