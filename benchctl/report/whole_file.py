"""A file beside the store, such as a page or a drawing, that is there whole or as it was before.

The store's own files are written once and fsynced, by `store.durable`; these may be replaced.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["replace_file"]


def replace_file(path: Path, content: bytes) -> None:
    """Write a file under its name in one step, its folders made where they are missing.

    What is half written goes when writing fails. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
