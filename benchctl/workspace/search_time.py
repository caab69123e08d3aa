"""How long patterns may be searched for in what an agent prints: some expressions go through a line without end."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

__all__ = ["SearchTime"]

_MOST_S = 5.0
_PER_BYTE_S = 4e-6
"""What every byte adds to the time that is left: many times what an ordinary pattern needs for it."""


class _TimeIsUpError(Exception):
    """Raised in the midst of a search."""


class SearchTime:
    """CPU seconds for searching, that grow with the bytes to be searched and never beyond a bound.

    A search is cut off in the main thread alone, which is where a worker runs: signals go nowhere else.
    """

    def __init__(self) -> None:
        self._left_s = _MOST_S
        self._armed = False

    def add(self, size: int) -> None:
        """Give the time for `size` further bytes."""
        self._left_s = min(_MOST_S, self._left_s + size * _PER_BYTE_S)

    def enough_for(self, search: Callable[[], None]) -> bool:
        """Run a search and charge it; return False where it was cut off because the time was up."""
        if self._left_s <= 0:
            return False
        started = time.thread_time()
        if threading.current_thread() is not threading.main_thread():
            search()
        elif not self._limited(search):
            self._left_s = 0.0
            return False
        self._left_s -= time.thread_time() - started
        return True

    def _limited(self, search: Callable[[], None]) -> bool:
        # Of CPU time, so that a machine that stands still cuts nothing off; the matcher itself looks for signals.
        self._armed = True
        before = signal.signal(signal.SIGVTALRM, self._ring)
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, self._left_s)
            search()
        except _TimeIsUpError:
            return False
        else:
            return True
        finally:
            self._armed = False
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        if self._armed:
            raise _TimeIsUpError
