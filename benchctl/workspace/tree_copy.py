"""A plain copy of a base, for machines where trees cannot be stacked.

A copy shares nothing with its base: a hard link would let one cell's write reach every sibling. Where the file
system can clone blocks, copy_file_range does so by itself.
"""

# A copy is made for every cell, and path objects would cost more than the files.
# ruff: noqa: PTH102, PTH115, PTH211

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from benchctl.errors import BaseChangedError
from benchctl.workspace.deep_walk import entries_below
from benchctl.workspace.source_file import Mode, SourceFile
from benchctl.workspace.tree import Base, State, state_of

__all__ = ["copy_folder", "copy_tree", "differing"]

_CHUNK = 1 << 20
_UNREAD: State = (0, 0, 0)


def copy_tree(base: Base, tree: Path) -> dict[str, State]:
    """Copy a base to the new folder `tree` and return the state of each file there.

    Raises BaseChangedError where the base is no longer what was verified.
    """
    tree.mkdir(mode=0o755)
    source, target = str(base.root), str(tree)
    for folder in base.folders:
        os.mkdir(f"{target}/{folder}", 0o755)
    return {file.path: _copy_file(file, source, target) for file in base.files}


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder of plain files and folders to the new folder `target`."""
    target.mkdir()
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                copy_folder(Path(entry.path), target / entry.name)
            else:
                mode: Mode = "100755" if os.access(entry.path, os.X_OK) else "100644"
                file = SourceFile(entry.name, mode, "", entry.stat().st_size)
                _copy_file(file, str(source), str(target))


def differing(tree: Path, written: dict[str, State]) -> Iterator[str]:
    """Yield the paths that a cell added, removed or wrote to since its copy was made."""
    found = dict(_walk(tree))
    yield from set(found) ^ set(written)
    yield from (path for path, state in written.items() if found.get(path, state) != state)


def _copy_file(file: SourceFile, source: str, target: str) -> State:
    place = f"{target}/{file.path}"
    if file.mode == "120000":
        os.symlink(os.readlink(f"{source}/{file.path}"), place)
        return state_of(os.lstat(place))
    mode = 0o755 if file.mode == "100755" else 0o644
    reader = os.open(f"{source}/{file.path}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        writer = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            _transfer(reader, writer, file)
            return state_of(os.fstat(writer))
        finally:
            os.close(writer)
    finally:
        os.close(reader)


def _transfer(reader: int, writer: int, file: SourceFile) -> None:
    left = file.size
    try:
        while left > 0 and (moved := os.copy_file_range(reader, writer, left)) > 0:
            left -= moved
    except (OSError, AttributeError):  # another file system, or a system without the call
        pass
    while left > 0:
        data = os.read(reader, _CHUNK)
        if not data:
            raise BaseChangedError(f"{left} bytes of {file.path} are missing from a base that was complete")
        os.write(writer, data)
        left -= len(data)


def _walk(root: Path) -> Iterator[tuple[str, State]]:
    for path, entry in entries_below(str(root)):
        # The files of a folder that cannot be read count as removed, and the folder as one that is new.
        yield path, state_of(entry.stat(follow_symlinks=False)) if entry else _UNREAD
