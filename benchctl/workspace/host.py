"""What the host did while a cell ran: slept, had its clock set, or let processes wait for what they needed."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

__all__ = ["HostFacts", "HostWatch"]


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What the host did between two moments, in seconds; None where this system does not say.

    `suspended_s` is how long it slept (CLOCK_BOOTTIME less CLOCK_MONOTONIC), `clock_drift_s` how far its
    wall clock was set, ahead or back. `stalled_*_s` is how long at least one process of the whole machine
    waited for that resource: "some" of /proc/pressure, https://docs.kernel.org/accounting/psi.html.
    """

    suspended_s: float | None = None
    clock_drift_s: float | None = None
    stalled_cpu_s: float | None = None
    stalled_io_s: float | None = None
    stalled_memory_s: float | None = None


class HostWatch:
    """Looks at the host's clocks and counters now, and says later what became of them."""

    def __init__(self) -> None:
        self._clocks = _clocks()
        self._pressure = [_pressure(name) for name in ("cpu", "io", "memory")]

    def facts(self) -> HostFacts:
        """Return what the host has done since."""
        wall, elapsed, awake = (after - before for after, before in zip(_clocks(), self._clocks, strict=True))
        after = [_pressure(name) for name in ("cpu", "io", "memory")]
        stalled = [
            None if now is None or before is None else max(0.0, now - before)
            for now, before in zip(after, self._pressure, strict=True)
        ]
        # Clocks are read one after the other: what is below their milliseconds is no fact.
        suspended_s = max(0.0, round(elapsed - awake, 3)) if hasattr(time, "CLOCK_BOOTTIME") else None
        return HostFacts(suspended_s, round(wall - elapsed, 3) + 0.0, *stalled)  # never minus zero


def _clocks() -> tuple[float, float, float]:
    """Return (wall clock, seconds that passed, seconds awake): a sleep is no drift of the clock."""
    awake = time.monotonic()
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.time(), time.clock_gettime(time.CLOCK_BOOTTIME), awake
    return time.time(), awake, awake


def _pressure(name: str) -> float | None:
    """Return for how many seconds some process has waited for a resource since the host started."""
    try:
        fd = os.open(f"/proc/pressure/{name}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        # some avg10=0.00 avg60=0.00 avg300=0.00 total=12345, in microseconds
        first = os.read(fd, 4096).split(b"\n", 1)[0]
        return int(first.rpartition(b"total=")[2]) / 1e6
    except (OSError, ValueError):
        return None
    finally:
        os.close(fd)
