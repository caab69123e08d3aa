"""The files that agents ship with: digested, because they decide a row, and copied, because their place tells nothing."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from benchctl.errors import SuiteInvalidError, Where
from benchctl.schema.suite import Suite

__all__ = ["agent_digests", "copy_agent_files", "folder_digest"]


def agent_digests(suite: Suite, folder: Path) -> tuple[dict[str, str], list[SuiteInvalidError]]:
    """Return the digest of each agent's files in the suite's folder, and a problem for each that are not there."""
    found: dict[str, str] = {}
    problems: list[SuiteInvalidError] = []
    for name, agent in suite.agents.items():
        if agent.files is None:
            continue
        if (folder / agent.files).is_dir():
            found[name] = folder_digest(folder / agent.files)
        else:
            where = Where(str(folder / "suite.toml"))
            problems.append(
                SuiteInvalidError(
                    f"agents.{name}.files: no folder {agent.files!r} beside the suite", where=where
                )
            )
    return found, problems


def copy_agent_files(suite: Suite, folder: Path, agents: Iterable[str], into: Path) -> dict[str, Path]:
    """Copy the files of each agent below the new folder `into`; an edit during the run then changes nothing."""
    copied: dict[str, Path] = {}
    for name in agents:
        files = suite.agents[name].files
        if files is not None:
            copied[name] = into / name
            shutil.copytree(
                folder / files, copied[name], ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
            )
    return copied


def folder_digest(folder: Path) -> str:
    """Return one digest over the names and bytes of a folder's files; what Python caches there is left out."""
    total = hashlib.sha256()
    for path in sorted(
        path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ):
        total.update(
            f"{path.relative_to(folder).as_posix()}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
        )
    return f"sha256:{total.hexdigest()}"
