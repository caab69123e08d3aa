"""What explains a time, as far as the machine goes; nothing that names a person or a host."""

from __future__ import annotations

import os
import platform

from benchctl.schema.run import MachineRecord

__all__ = ["cpus", "machine_record"]


def cpus() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS has no affinity
        return os.cpu_count() or 1


def machine_record() -> MachineRecord:
    """Return this machine, for the run record."""
    return MachineRecord(
        system=platform.system(),
        release=platform.release(),
        architecture=platform.machine(),
        cpus=cpus(),
        python=platform.python_version(),
    )
