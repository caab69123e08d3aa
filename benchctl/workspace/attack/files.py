"""Attacks on files: the gold, the store, other cells, the history of the tree, the home of whoever runs this."""

# A part of a small program that is copied into cells; pathlib would cost it its start.
# ruff: noqa: PTH101, PTH108, PTH110, PTH116, PTH118, PTH119, PTH120, PTH123, PTH208

from __future__ import annotations

import os
import shutil
import subprocess
import zlib
from typing import Any

__all__ = ["PROBES", "holds"]

_TIMEOUT_S = 5.0


def holds(path: str, secret: str) -> bool:
    """Return whether the beginning of a file holds the secret."""
    with open(path, "rb") as file:
        return secret.encode() in file.read(1 << 20)


def _gold(t: dict[str, Any]) -> str:
    return f"{t['gold']}/key.json"


def _gold_by_path(t: dict[str, Any]) -> bool:
    return holds(_gold(t), t["secret"])


def _gold_by_symlink(t: dict[str, Any]) -> bool:
    return holds(f"{t['tree']}/link-to-gold", t["secret"])


def _gold_by_own_link(t: dict[str, Any]) -> bool:
    own = f"{t['tree']}/own-link"
    os.link(_gold(t), own)
    try:
        return holds(own, t["secret"])
    finally:
        os.unlink(own)


def _gold_by_proc_root(t: dict[str, Any]) -> bool:
    return holds(f"/proc/self/root{_gold(t)}", t["secret"])


def _gold_by_supervisor_root(t: dict[str, Any]) -> bool:
    return holds(f"/proc/{t['supervisor']}/root{_gold(t)}", t["secret"])


def _gold_by_memory_program(t: dict[str, Any]) -> bool | None:
    """Have a program read it that lies in no file system, for walls that know programs by their paths."""
    cat = shutil.which("cat")
    if cat is None or not hasattr(os, "memfd_create"):
        return None
    memory = os.memfd_create("cat")
    try:
        with open(cat, "rb") as program:
            os.write(memory, program.read())
        argv = [f"/proc/self/fd/{memory}", _gold(t)]
        done = subprocess.run(argv, capture_output=True, pass_fds=[memory], timeout=_TIMEOUT_S, check=False)
    finally:
        os.close(memory)
    return t["secret"].encode() in done.stdout


def _gold_by_descriptor(t: dict[str, Any]) -> bool:
    """Look through what was left open by whoever started this."""
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2 and t["secret"].encode() in os.pread(int(name), 1 << 20, 0):
                return True
        except OSError:
            continue
    return False


def _gold_listed(t: dict[str, Any]) -> bool:
    return "key.json" in os.listdir(t["gold"])


def _gold_seen(t: dict[str, Any]) -> bool:
    return os.stat(_gold(t)).st_size > 0


def _store_read(t: dict[str, Any]) -> bool:
    return holds(f"{t['store']}/rows.json", t["secret"])


def _store_write(t: dict[str, Any]) -> bool:
    with open(f"{t['store']}/rows.json", "ab") as file:
        file.write(b"forged")
    return True


def _store_create(t: dict[str, Any]) -> bool:
    with open(f"{t['store']}/forged.json", "wb") as file:
        file.write(b"forged")
    return True


def _store_remove(t: dict[str, Any]) -> bool:
    os.unlink(f"{t['store']}/removable.json")
    return True


def _store_mode(t: dict[str, Any]) -> bool:
    os.chmod(f"{t['store']}/mode.json", 0)
    return True


def _store_attribute(t: dict[str, Any]) -> bool:
    os.setxattr(f"{t['store']}/mode.json", "user.message", b"for the next cell")
    return True


def _store_times(t: dict[str, Any]) -> bool:
    """Leave a message in the time of a file that only its owner's number protects."""
    os.utime(f"{t['store']}/mode.json", (1, 1))
    return True


def _other_cell_read(t: dict[str, Any]) -> bool:
    return holds(f"{t['other_cell']}/answer.json", t["secret"])


def _other_cell_write(t: dict[str, Any]) -> bool:
    with open(f"{t['other_cell']}/planted", "wb") as file:
        file.write(b"planted")
    return True


def _cells_listed(t: dict[str, Any]) -> bool:
    return os.path.basename(t["other_cell"]) in os.listdir(os.path.dirname(t["other_cell"]))


def _shared_memory(t: dict[str, Any]) -> bool | None:
    return holds(t["shared_memory"], t["secret"]) if t["shared_memory"] else None


def _listed(folders: dict[str, list[str]]) -> bool | None:
    """Return whether any of the names that no cell may see is there to be read."""
    reached = False
    for path, hidden in folders.items():
        try:
            reached = bool(set(hidden) & set(os.listdir(path))) or reached
        except OSError:
            continue
    return reached if any(folders.values()) else None


def _protected_read(t: dict[str, Any]) -> bool | None:
    return _listed(t["protected"])


def _home_read(t: dict[str, Any]) -> bool | None:
    return _listed(t["home"])


def _git_history(t: dict[str, Any]) -> bool:
    """Look for a repository above the tree, as git does, and ask git itself where there is one."""
    place = t["tree"]
    while True:
        if os.path.exists(os.path.join(place, ".git")):
            return True
        if os.path.dirname(place) == place:
            break
        place = os.path.dirname(place)
    try:
        done = subprocess.run(
            ["git", "-C", t["tree"], "log", "--all", "-1"],
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and bool(done.stdout)


def _git_object(t: dict[str, Any]) -> bool:
    """Read a blob of a deleted file out of the repository that the tree comes from."""
    with open(t["git_object"], "rb") as file:
        return t["secret"].encode() in zlib.decompress(file.read())


PROBES = {
    "gold_by_path": _gold_by_path,
    "gold_by_symlink": _gold_by_symlink,
    "gold_by_own_link": _gold_by_own_link,
    "gold_by_proc_root": _gold_by_proc_root,
    "gold_by_supervisor_root": _gold_by_supervisor_root,
    "gold_by_memory_program": _gold_by_memory_program,
    "gold_by_descriptor": _gold_by_descriptor,
    "gold_listed": _gold_listed,
    "gold_seen": _gold_seen,
    "store_read": _store_read,
    "store_write": _store_write,
    "store_create": _store_create,
    "store_remove": _store_remove,
    "store_attribute": _store_attribute,
    "store_times": _store_times,
    "store_mode": _store_mode,
    "other_cell_read": _other_cell_read,
    "other_cell_write": _other_cell_write,
    "cells_listed": _cells_listed,
    "shared_memory": _shared_memory,
    "protected_read": _protected_read,
    "home_read": _home_read,
    "git_history": _git_history,
    "git_object": _git_object,
}
