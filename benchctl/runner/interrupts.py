"""SIGINT, SIGTERM and SIGHUP while a run collects: they end what may end at once, and wait where a row is being kept."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

__all__ = ["CollectionInterruptedError", "Interrupts"]


class CollectionInterruptedError(KeyboardInterrupt):
    """A run was told to stop; its text says how far it is and how to go on."""


class Interrupts:
    """Turns the first such signal into a KeyboardInterrupt at a good moment, a second one into one at once.

    Use it as a context manager in the main thread; the handlers that stood before come back afterwards.
    A SIGHUP that is ignored stays so: that is what `nohup` asks for.
    """

    def __init__(self) -> None:
        self._held = False
        self._pending = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
                continue
            self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _heard(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the handler's signature
        if self._pending or not self._held:
            raise KeyboardInterrupt
        self._pending = True

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
