"""The process that keeps a detached run going: it begins the collector, and begins it again where it was killed.

A collector that was killed is begun again, at most as often as was said; one that ended by itself, was
interrupted or was refused is not. A signal to the keeper is handed on. A keeper that is killed leaves its
collector at work, and nobody begins that one again.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import IO, Any, Final, Self

from benchctl.runner.detached import Detached, Launcher, Places
from benchctl.workspace.clock import utc_now
from benchctl.workspace.living import process, this_process

__all__ = ["main"]

_INTERRUPTING: Final = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
"""The signals by which somebody tells a run to stop; what dies of one of these is not begun again."""

_INTERRUPTED: Final = 130
_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 30.0


def main(words: list[str]) -> int:
    """Be the first of two processes: leave the second one, which is the keeper, and end."""
    order = json.loads(words[0])
    if os.fork():
        return 0
    with os.fdopen(order.pop("told"), "w", encoding="utf-8") as told:
        keeper = _Keeper.locked(order)
        told.write("kept" if keeper else "busy")
    return keeper.keep() if keeper else 0


@dataclass(slots=True)
class _Keeper:
    """Begins the collector, waits for its end, and begins it again where it was killed."""

    places: Places
    cwd: str
    known: Detached
    lock: IO[bytes]
    stopped: bool = False
    handed_on: bool = False
    child: subprocess.Popen[bytes] | None = field(default=None)

    @classmethod
    def locked(cls, order: dict[str, Any]) -> Self | None:
        """Return the keeper of a run, its record written; None where it has one already."""
        places = Places(Path(order["folder"]), order["run"])
        lock = places.lock.open("ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            return None
        known = Detached(
            run=order["run"],
            log=str(places.log),
            argv=tuple(order["argv"]),
            launched_at=utc_now(),
            launcher=Launcher(**order["launcher"]),
            keeper=this_process(),
            restarts=order["restarts"],
        )
        keeper = cls(places, order["cwd"], known, lock)
        for number in _INTERRUPTING:
            signal.signal(number, keeper.heard)
        keeper.note()
        return keeper

    def heard(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the handler's signature
        """Hand a signal on, and begin nothing again after it."""
        self.stopped = True
        if self.child is not None:
            self._hand_on(self.child)

    def keep(self) -> int:
        """Collect until the run is done, refused or interrupted, or was killed too often."""
        while True:
            code = self.collect()
            if code is None or not self._goes_on(code):
                return 0
            self.known = replace(self.known, restarted=self.known.restarted + 1)
            self.note()
            self.say(f"process {self._pid} was killed ({_word(code)}); resumed, {self._restarts()}")
            _sleep(min(_PAUSE_S * 2**self.known.restarted, _LONGEST_PAUSE_S), lambda: self.stopped)

    def collect(self) -> int | None:
        """Return how one collector ended; None where none was begun, since somebody said stop."""
        if self._heard():
            self._ended(None, "interrupted")
            return None
        self.child = subprocess.Popen(list(self.known.argv), cwd=self.cwd, stdin=subprocess.DEVNULL)
        self.known = replace(self.known, collector=process(self.child.pid))
        self.note()
        if self._heard() and not self.handed_on:  # before there was a child to hand it on to
            self._hand_on(self.child)
        code = self.child.wait()
        self.child = None
        return code

    def _hand_on(self, child: subprocess.Popen[bytes]) -> None:
        self.handed_on = True
        with suppress(ProcessLookupError):
            child.send_signal(signal.SIGTERM)

    def _heard(self) -> bool:
        return self.stopped

    def _goes_on(self, code: int) -> bool:
        if code >= 0:
            self._ended(code, "interrupted" if code == _INTERRUPTED else "the collector ended")
        elif self.stopped or -code in _INTERRUPTING:
            self._ended(code, "interrupted")
        elif self.known.restarted >= self.known.restarts:
            self._ended(code, f"killed ({_word(code)}), and begun again {self._restarts()}")
        else:
            return True
        return False

    def _ended(self, code: int | None, why: str) -> None:
        self.known = replace(self.known, ended_at=utc_now(), code=code, why=why)
        self.note()
        self.say(f"{why}, exit code {code}" if code is not None else why)

    def _restarts(self) -> str:
        return f"{self.known.restarted} of at most {self.known.restarts} times"

    @property
    def _pid(self) -> object:
        return self.known.collector.pid if self.known.collector else None

    def note(self) -> None:
        """Write down what is known, whole or not at all."""
        new = self.places.record.with_suffix(".json.new")
        new.write_text(json.dumps(asdict(self.known)), encoding="utf-8")
        new.replace(self.places.record)

    @staticmethod
    def say(text: str) -> None:
        """Add a line to the log."""
        with suppress(OSError):
            os.write(2, f"keeper {os.getpid()}, {utc_now()}: {text}\n".encode())


def _word(code: int) -> str:
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _sleep(seconds: float, until: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not until():
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
