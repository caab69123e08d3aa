"""Whether what a file says is a manifest at all: every field of its kind, and no file outside of the run."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

from benchctl.store.disk.entries import IN_DATA

__all__ = ["is_inside", "is_well_formed"]

_HEX = re.compile(r"[0-9a-f]{64}")


def is_well_formed(manifest: Any) -> bool:  # what a file says under the names of `manifest.Manifest`
    """Return whether every field is of its kind, every table of the data digest is there and no file is outside."""
    texts = [manifest.run, manifest.benchctl, manifest.data, *(e.why for e in manifest.removed.values())]
    counted = [(manifest.generation, "0" * 64), (manifest.rows_schema, "0" * 64)]
    counted += [(entry.rows, entry.sha256) for entry in manifest.tables.values()]
    counted += [(entry.bytes, entry.sha256) for entry in manifest.files.values()]
    for gone in manifest.removed.values():
        counted += [(gone.bytes, gone.sha256), (gone.generation, gone.sha256)]
    return (
        all(isinstance(text, str) for text in texts)
        and isinstance(manifest.previous, str | None)
        and all(type(count) is int and count >= 0 and bool(_HEX.fullmatch(sha)) for count, sha in counted)
        and set(IN_DATA) <= set(manifest.tables)
        and all(is_inside(name) for name in (*manifest.files, *manifest.removed))
        and not manifest.files.keys() & manifest.removed.keys()
    )


def is_inside(name: object) -> bool:
    """Return whether a name is that of a file inside of a folder, in its one spelling, and one that can be."""
    if not isinstance(name, str) or "\0" in name:
        return False
    path = PurePosixPath(name)
    return bool(path.parts) and path.as_posix() == name and not path.is_absolute() and ".." not in path.parts
