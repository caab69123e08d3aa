"""What a person's statement may take of a process that does nothing else: its memory, and its time.

DuckDB has both limits, and they are the first to be met. Inside of one function it looks at neither, so the
process has its own: memory that cannot be had is an error of the statement, and where the time has passed
and DuckDB has not stopped, somebody has to end the process.

Note: a process's address space is one: no program that has other work should ask for this, and `query_sql`
does so only where it is told to.
"""

from __future__ import annotations

import os
import resource
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["MEMORY", "SECONDS", "limited"]

MEMORY: Final = 2 * 1024**3
"""The bytes of address space that a statement may take beside what the process has."""

SECONDS: Final = 65.0
"""When `late` is called: a little later than DuckDB's own limit."""

_STATM: Final = Path("/proc/self/statm")


@contextmanager
def limited(late: Callable[[], None], *, seconds: float = SECONDS, memory: int = MEMORY) -> Iterator[None]:
    """Hold the process to `memory` more bytes, and call `late` from another thread once `seconds` have passed.

    Where the system does not say how much memory the process has, there is the time alone.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    timer = threading.Timer(seconds, late)
    timer.daemon = True
    timer.start()
    has = _address_space()
    if has is not None:
        wanted = has + memory
        resource.setrlimit(resource.RLIMIT_AS, (wanted if soft < 0 else min(wanted, soft), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        timer.cancel()


def _address_space() -> int | None:
    """Return the bytes of address space that the process has; None on a system without /proc."""
    try:
        pages = int(_STATM.read_text("ascii").split()[0])
    except FileNotFoundError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
