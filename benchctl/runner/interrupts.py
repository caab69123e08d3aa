"""SIGINT, SIGTERM and SIGHUP while a run collects: they end what may end at once, and wait where a row is being kept."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

__all__ = ["CollectionInterruptedError", "Interrupts"]


class CollectionInterruptedError(KeyboardInterrupt):
    """A run was told to stop; its text says how far it is and how to go on."""


class Interrupts:
    """Turns the first such signal into a KeyboardInterrupt at a good moment, a second one into one at once.

    A third one ends the process where it stands, whatever it is at: by then all of them do what they do to any
    other program. What dies so is as dead as after `kill -9`, and is gone on with as that is.
    Use it as a context manager in the main thread; the handlers that stood before come back afterwards.
    A SIGHUP that is ignored stays so: that is what `nohup` asks for.
    """

    def __init__(self) -> None:
        self._held = False
        self._pending = False
        self._heard_once = False
        self._before: dict[signal.Signals, Any] = {}
        self._unraisable = sys.unraisablehook

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
                continue
            self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        sys.unraisablehook = self._unraisable

    def _heard(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the handler's signature
        if self._heard_once:
            sys.unraisablehook = self._came_together
            for each in self._before:
                signal.signal(each, signal.SIG_DFL)
            self._pending = False
            raise KeyboardInterrupt
        self._heard_once = True
        if not self._held:
            raise KeyboardInterrupt
        self._pending = True

    def _came_together(self, told: Any) -> None:
        """Say nothing of a third signal that came with the second: the interpreter had noted it, and finds no handler."""
        if not (isinstance(told.exc_value, OSError) and str(told.exc_value).startswith("Signal ")):
            self._unraisable(told)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let a signal wait until the block ends; where one came, KeyboardInterrupt is raised then."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self._raise_pending()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Inside `held`: let a signal, also one that has waited, interrupt this block."""
        self._held = False
        try:
            self._raise_pending()
            yield
        finally:
            self._held = True

    def _raise_pending(self) -> None:
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt
