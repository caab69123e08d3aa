"""What explains a time and a version: the machine, and the commands that were found on it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import tempfile
from pathlib import Path

from benchctl.schema.run import MachineRecord
from benchctl.workspace.interpreter import search_path
from benchctl.workspace.process import run_process

__all__ = ["cpus", "found", "machine_facts"]

# A kernel's first two numbers can explain a time; the rest is the build of a distribution or a provider.
_RELEASE = re.compile(r"\d+")
_VERSION = re.compile(r"\d+(?:\.\d+)+(?:[-+.]?[0-9A-Za-z]+)*")


def machine_facts() -> MachineRecord:
    """Return what of this machine may explain a measured time; nothing that names a person or a host."""
    return MachineRecord(
        system=platform.system(),
        release=".".join(_RELEASE.findall(platform.release())[:2]),
        architecture=platform.machine(),
        cpus=cpus(),
        python=platform.python_version(),
    )


def cpus() -> int:
    """Return the processors this process may use, which a container can make fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def found(command: str, *, path: str | None = None) -> tuple[Path, str | None] | None:
    """Return (where a command is, its version); None where it is not on the PATH or beside this interpreter.

    The version is the first one in what `command --version` prints; None where it prints none within ten
    seconds.
    """
    place = shutil.which(command, path=search_path(path))
    if place is None:
        return None
    with tempfile.TemporaryDirectory() as empty:
        said = run_process(
            [place, "--version"],
            cwd=Path(empty),
            env={"PATH": search_path(path), "HOME": empty, "LC_ALL": "C"},
            wall_s=10.0,
            output_bytes=1 << 20,
        )
    version = _VERSION.search(f"{said.stdout.text}\n{said.stderr.text}") if said.outcome == "ok" else None
    return Path(place), version[0] if version else None
