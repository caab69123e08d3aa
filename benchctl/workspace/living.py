"""Which process that is, so that nobody takes another with the same number for it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

__all__ = ["Living", "process", "this_process"]

_PIDS: Final = range(1, 2**31)
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Living:
    """A process: its id, its start in clock ticks since boot, the machine's boot id; the latter None where nobody says."""

    pid: int
    started: int | None
    boot: str | None

    @classmethod
    def read(cls, data: Any) -> Self | None:
        """Return the process that a JSON object names; None for what can be the id of none."""
        try:
            pid = data["pid"]
            return cls(pid, data["started"], data["boot"]) if type(pid) is int and pid in _PIDS else None
        except (KeyError, TypeError):
            return None

    @property
    def alive(self) -> bool:
        """Return whether that very process still runs on this machine since this boot; a zombie does not."""
        if self.boot != _boot():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return self.started == _started(self.pid)


def this_process() -> Living:
    """Return the process that calls."""
    return Living(os.getpid(), _started(os.getpid()), _boot())


def process(pid: int) -> Living:
    """Return the process that has this id now."""
    return Living(pid, _started(pid), _boot())


def _boot() -> str | None:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return None


def _started(pid: int) -> int | None:
    """Return field 22 of /proc/<pid>/stat (proc(5)); None where there is none, or for a zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text[text.rindex(")") + 2 :].split()  # the name before it may hold spaces and brackets
    return None if fields[0] in "ZX" else int(fields[19])
