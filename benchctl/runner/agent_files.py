"""The files that agents ship with: digested, because they decide a row, and copied, because their place tells nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchctl.schema.fields import GOLD_FOLDER
from benchctl.schema.suite import Suite

__all__ = [
    "agent_digests",
    "copy_agent_files",
    "copy_folder",
    "folder_digest",
    "folder_files",
    "folder_mistakes",
]


def folder_mistakes(suite_folder: Path, files: str) -> list[str]:
    """Return why the folder `files` of a suite cannot be shown to an agent; nothing where it can.

    What it really is counts, not its name: a symbolic link to the gold is the gold.
    """
    folder, gold, whole = (
        path.resolve() for path in (suite_folder / files, suite_folder / GOLD_FOLDER, suite_folder)
    )
    if not folder.is_dir():
        return [f"no folder {files!r} beside the suite"]
    if not folder.is_relative_to(whole) or folder.is_relative_to(gold) or gold.is_relative_to(folder):
        return [f"{files!r} leads out of the suite's folder or to its {GOLD_FOLDER}"]
    try:
        return [mistake for path in _entries(folder) if (mistake := _mistake(path, folder))]
    except OSError as error:
        return [f"{error.filename} cannot be read: {error.strerror}"]


def _mistake(path: Path, folder: Path) -> str | None:
    name = path.relative_to(folder).as_posix()
    real = path.resolve()
    if path.is_symlink() and not (real.is_relative_to(folder) and real.is_file()):
        return f"the symbolic link {name} leads to no file of this folder"
    if not real.is_file():
        return f"{name} is neither a file nor a folder"
    return None if os.access(real, os.R_OK) else f"{name} cannot be read"


def agent_digests(suite: Suite, folder: Path) -> dict[str, str]:
    """Return the digest of each agent's files in the suite's folder."""
    return {
        name: folder_digest(folder / agent.files)
        for name, agent in suite.agents.items()
        if agent.files is not None
    }


def copy_agent_files(suite: Suite, folder: Path, agents: Iterable[str], into: Path) -> dict[str, Path]:
    """Copy the files of each agent below the new folder `into`; an edit during the run then changes nothing."""
    copied: dict[str, Path] = {}
    for name in agents:
        files = suite.agents[name].files
        if files is not None:
            copied[name] = into / name
            copy_folder(folder / files, copied[name])
    return copied


def copy_folder(folder: Path, into: Path) -> None:
    """Copy the files of a folder into the new folder `into`."""
    into.mkdir(parents=True)
    for path in folder_files(folder):
        target = into / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


def folder_files(folder: Path) -> tuple[Path, ...]:
    """Return the files below a folder, sorted; what Python caches there is left out."""
    return tuple(sorted(path for path in _entries(folder) if path.is_file()))


def folder_digest(folder: Path) -> str:
    """Return one digest over the names and bytes of a folder's files."""
    total = hashlib.sha256()
    for path in folder_files(folder):
        total.update(
            f"{path.relative_to(folder).as_posix()}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
        )
    return f"sha256:{total.hexdigest()}"


def _entries(folder: Path) -> Iterator[Path]:
    """Yield what is in a folder and below, its folders left out; a link to a folder is an entry and not followed."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name == "__pycache__" or path.suffix == ".pyc":
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _entries(path)
        else:
            yield path
