"""Bubblewrap: a file system that holds only what is listed, and process, network and user spaces of its own."""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchctl.workspace import relay
from benchctl.workspace.interpreter import interpreter_hides, system_reads
from benchctl.workspace.process import READY_FD
from benchctl.workspace.proxy import RELAY_PORT
from benchctl.workspace.wall import INSIDE, existing, not_found, real_command

__all__ = ["bwrapped", "unavailable", "wrap"]

_TMP_BYTES = 512 * 1024 * 1024

_WALLS = (
    "--unshare-user",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--hostname",
    "cell",
)


def unavailable() -> str | None:
    """Return why this machine has no bubblewrap; None where there is one (whether it works, the probes say)."""
    if shutil.which("bwrap") is None:
        return "bwrap is not installed"
    return None


@functools.cache
def _options() -> frozenset[str]:
    """Return which of the options that older versions, or some machines, lack can be used here."""
    done = subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    known = {word for word in ("--disable-userns", "--size", "--json-status-fd") if word in said}
    # A container whose /proc/sys cannot be written to refuses this one, and nothing else.
    forbidden = "--disable-userns" in known and not _works("--unshare-user", "--disable-userns")
    return frozenset(known - {"--disable-userns"} if forbidden else known)


def _works(*options: str) -> bool:
    trial = ["bwrap", *options, "--ro-bind", "/", "/", "true"]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


def wrap(
    argv: Sequence[str],
    *,
    reads: Sequence[Path],
    writes: Sequence[Path],
    cwd: Path,
    env: Mapping[str, str],
    proxy: Path | None = None,
) -> list[str]:
    """Return the command line inside bubblewrap, with a network that holds nothing but the way to `proxy`. See wall.Wrap."""
    command = real_command(argv, cwd, env)
    if command is None:
        return not_found(argv)
    shown: dict[str, Path] = {}
    launcher: list[str] = []
    if proxy is not None:
        shown = {"relay.py": Path(relay.__file__), "proxy.sock": proxy}
        words = [READY_FD, f"{INSIDE}/proxy.sock", str(RELAY_PORT)]
        launcher = [sys.executable, "-I", "-S", f"{INSIDE}/relay.py", *words]
    walls = ["--unshare-net"]
    return bwrapped(
        [*launcher, *command],
        walls=walls,
        launched=bool(launcher),
        shown=shown,
        reads=reads,
        writes=writes,
        cwd=cwd,
    )


def bwrapped(
    command: Sequence[str],
    *,
    walls: Sequence[str],
    launched: bool,
    shown: Mapping[str, Path],
    reads: Sequence[Path],
    writes: Sequence[Path],
    cwd: Path,
) -> list[str]:
    """Return bubblewrap's command line around `command`.

    `shown` are files by the name that they have in `INSIDE`. A command that is `launched` says itself on
    READY_FD when it is about to start; otherwise bubblewrap does. The environment is inherited and not set
    by options, since a command line is public.
    """
    words = [shutil.which("bwrap") or "bwrap", *_WALLS, *walls]
    if "--disable-userns" in _options():
        words.append("--disable-userns")
    if "--json-status-fd" in _options() and not launched:
        words += ["--json-status-fd", READY_FD]
    words += ["--proc", "/proc", "--dev", "/dev"]
    words += [*_sized_tmpfs("/dev/shm"), "--remount-ro", "/dev"]  # noqa: S108 - the cell's own
    for _, mount in sorted(_mounts(tuple(existing(reads)), existing(writes)), key=lambda item: item[0]):
        words += mount
    for name, path in shown.items():
        words += ["--ro-bind", str(path), f"{INSIDE}/{name}"]
    # The root and /dev are memory too, and without a limit: what may be written to is what is listed, and /tmp.
    # The kernel's settings ask for the number of root, not for its rights: to a cell of root they are closed here.
    words += ["--remount-ro", "/proc", "--remount-ro", "/"]
    return [*words, "--chdir", str(cwd), "--", *command]


def _mounts(reads: tuple[Path, ...], writes: list[Path]) -> list[tuple[tuple[int, int], list[str]]]:
    """Return the mounts with their order: parents first, at one path what hides before what shows."""
    own = [(_order(path, 3), ["--bind", str(path), str(path)]) for path in writes]
    return [((1, 0), _sized_tmpfs("/tmp")), *_lasting(reads), *own]  # noqa: S108 - the cell's own


@functools.cache
def _lasting(reads: tuple[Path, ...]) -> list[tuple[tuple[int, int], list[str]]]:
    """Return the mounts that one cell has in common with the next."""
    found: list[tuple[tuple[int, int], list[str]]] = []
    for path in system_reads():
        if path.is_symlink():
            found.append((_order(path, 1), ["--symlink", str(path.readlink()), str(path)]))
        else:
            found.append((_order(path, 1), ["--ro-bind", str(path), str(path)]))
    shown = [*reads, *system_reads()]
    found += [
        (_order(path, 0), ["--tmpfs", str(path), "--remount-ro", str(path)])
        for path in interpreter_hides()
        if any(path.is_relative_to(above) for above in shown) and path not in reads
    ]
    found += [(_order(path, 2), ["--ro-bind", str(path), str(path)]) for path in reads]
    return found


def _sized_tmpfs(path: str) -> list[str]:
    size = ["--size", str(_TMP_BYTES)] if "--size" in _options() else []
    return [*size, "--tmpfs", path]


def _order(path: Path, rank: int) -> tuple[int, int]:
    return len(path.parts), rank
