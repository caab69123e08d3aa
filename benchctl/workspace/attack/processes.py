"""Attacks on processes outside: their environment, memory, descriptors and lives."""

# ruff: noqa: PTH123, PTH208

from __future__ import annotations

import ctypes
import os
import signal
from typing import Any

__all__ = ["PROBES"]

_PTRACE_SEIZE, _PTRACE_DETACH = 0x4206, 17


def _someone_else(t: dict[str, Any], who: str = "supervisor") -> bool:
    """Return whether the number that is to be attacked belongs, here, to another process: numbers are per space."""
    try:
        with open(f"/proc/{t[who]}/stat") as file:
            return bool(file.read().rpartition(")")[2].split()[19] != t[f"{who}_start"])
    except OSError:
        return False


def _environment(t: dict[str, Any]) -> bool:
    return any(t["secret"] in value for value in os.environ.values())


def _supervisor_environment(t: dict[str, Any]) -> bool:
    with open(f"/proc/{t['supervisor']}/environ", "rb") as file:
        return t["secret"].encode() in file.read()


def _collector_environment(t: dict[str, Any]) -> bool:
    """Read the real one; what it says stays here."""
    with open(f"/proc/{t['collector']}/environ", "rb") as file:
        return bool(file.read(1)) and not _someone_else(t, "collector")


def _supervisor_command_line(t: dict[str, Any]) -> bool:
    with open(f"/proc/{t['supervisor']}/cmdline", "rb") as file:
        return bool(file.read(1)) and not _someone_else(t)


def _supervisor_descriptor(t: dict[str, Any]) -> bool:
    folder = f"/proc/{t['supervisor']}/fd"
    for name in os.listdir(folder):
        try:
            with open(f"{folder}/{name}", "rb") as file:
                if os.path.isfile(f"{folder}/{name}") and t["secret"].encode() in file.read(1 << 20):  # noqa: PTH113
                    return True
        except OSError:
            continue
    return False


def _supervisor_memory(t: dict[str, Any]) -> bool:
    with open(f"/proc/{t['supervisor']}/mem", "rb"):
        return not _someone_else(t)


def _supervisor_trace(t: dict[str, Any]) -> bool:
    if _someone_else(t):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    pid = ctypes.c_long(t["supervisor"])
    if libc.ptrace(ctypes.c_long(_PTRACE_SEIZE), pid, None, None) != 0:
        return False
    libc.ptrace(ctypes.c_long(_PTRACE_DETACH), pid, None, None)
    return True


def _group_signal(t: dict[str, Any]) -> bool:
    if _someone_else(t):
        return False
    os.killpg(t["supervisor"], 0)
    return True


def _supervisor_limits(t: dict[str, Any]) -> bool:
    """Lower a limit of someone else's: with others of them, a supervisor could no longer write, or would be ended."""
    import resource

    if _someone_else(t):
        return False
    resource.prlimit(t["supervisor"], resource.RLIMIT_CORE, (0, 0))
    return True


def _supervisor_priority(t: dict[str, Any]) -> bool:
    if _someone_else(t):
        return False
    os.setpriority(os.PRIO_PROCESS, t["supervisor"], 5)
    return True


def _supervisor_processors(t: dict[str, Any]) -> bool:
    if _someone_else(t):
        return False
    os.sched_setaffinity(t["supervisor"], os.sched_getaffinity(0))
    return True


def _supervisor_signal(t: dict[str, Any]) -> bool:
    if _someone_else(t):
        return False
    os.kill(t["supervisor"], signal.SIGUSR1)
    return True


PROBES = {
    "environment": _environment,
    "supervisor_environment": _supervisor_environment,
    "supervisor_command_line": _supervisor_command_line,
    "supervisor_descriptor": _supervisor_descriptor,
    "supervisor_memory": _supervisor_memory,
    "supervisor_trace": _supervisor_trace,
    "collector_environment": _collector_environment,
    "supervisor_limits": _supervisor_limits,
    "supervisor_priority": _supervisor_priority,
    "supervisor_processors": _supervisor_processors,
    "group_signal": _group_signal,
    "supervisor_signal": _supervisor_signal,
}
