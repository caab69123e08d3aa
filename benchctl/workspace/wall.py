"""What a sandbox is: a way to put a wall around a command line."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from benchctl.errors import SandboxUnavailableError
from benchctl.schema.sandbox import SandboxLevel

__all__ = ["INSIDE", "Sandbox", "Wrap", "existing", "not_found", "real_command"]

INSIDE = "/run/benchctl"
"""The folder of a cell that holds what of benchctl it has to see: a launcher, the proxy's socket."""


class Wrap(Protocol):
    """A function that puts a wall around a command line."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        reads: Sequence[Path],
        writes: Sequence[Path],
        cwd: Path,
        env: Mapping[str, str],
        proxy: Path | None = None,
    ) -> list[str]:
        """Return the command line that runs `argv` behind the wall, for workspace.process.run_process.

        The command sees the operating system, `reads` (folders or files, read-only) and `writes`, all
        under their own paths, and starts in `cwd`. `env` is the environment that the process will be
        given by run_process; its PATH says which command is meant, and no value of it reaches the
        command line, where every user of the machine could read it. `proxy` is the socket of the cell's
        CellProxy, the only way out that there then is; without it there is none where the wall can close the
        network. Raises SandboxUnavailableError where a path does not exist.
        """
        ...


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A level that was chosen: `probes` is what an attack inside it reached, `passed_over` why no stronger one."""

    level: SandboxLevel
    wrap: Wrap
    probes: Mapping[str, str] = field(default_factory=dict)
    passed_over: Mapping[str, str] = field(default_factory=dict)

    @property
    def shares_network(self) -> bool:
        """Whether a cell sees the machine's own network: its proxy then has to listen on a port (`CellProxy(tcp=…)`)."""
        return self.level in ("bwrap+landlock", "landlock", "none")


def existing(paths: Sequence[Path]) -> list[Path]:
    """Return absolute paths, each once. Raises SandboxUnavailableError for one that does not exist."""
    for path in paths:
        if not path.exists():
            raise SandboxUnavailableError(f"{path} was to be visible in a cell and does not exist")
    return list(dict.fromkeys(path.absolute() for path in paths))


def real_command(argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> list[str] | None:
    """Return `argv` with its command as an absolute path, looked up on the PATH of `env`; None where there is none."""
    command = str(cwd / argv[0]) if "/" in argv[0] else argv[0]
    found = shutil.which(command, path=env.get("PATH", ""))
    return [found, *argv[1:]] if found else None


def not_found(argv: Sequence[str]) -> list[str]:
    """Return a command line that fails to start as the missing command would have: below a file there is nothing.

    A missing command is the agent's fault (`spawn_error`); behind a wall it would look like the wall's.
    """
    return [f"{os.devnull}/{argv[0].lstrip('/')}", *argv[1:]]
