"""How a run looks while it is collected: a few lines that are drawn anew on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
import threading
import time
import unicodedata
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from benchctl.cli.console import Console, duration, refusal_lines, tell
from benchctl.quantities.format import counted
from benchctl.report.escaping import visible

if TYPE_CHECKING:
    from benchctl.runner.progress import Standing
    from benchctl.schema.run import PlannedCell
    from benchctl.schema.spent import Spent

__all__ = ["LiveView"]

_REDRAW_S: Final = 0.2
"""At most five drawings a second: a reader needs no more, and a cell should not pay for them."""

_TICK_S: Final = 1.0
"""How often a terminal is drawn where nothing else happens, so that it is seen to live."""

_SILENCE_S: Final = 60.0
"""How long plain lines may fail to come: a CI system ends what says nothing for ten minutes, people sooner."""

_LAST: Final = 2
_NARROWEST: Final = 20
_ERASE: Final = "\r\x1b[J"


class LiveView:
    """Progress of a run, of which it hears as `runner.progress.Progress` says.

    On a terminal: how many cells are done and not ok, what was spent, the time gone and left, the cell that runs
    now, the last ones that were not ok, what was refused. Elsewhere, and in CI: a line every tenth of the run,
    and one a minute where none else comes. `clock` gives seconds; without `tick_s` nothing is drawn by itself.
    """

    def __init__(
        self,
        console: Console,
        *,
        clock: Callable[[], float] = time.monotonic,
        tick_s: float | None = _TICK_S,
    ) -> None:
        self._console, self._clock, self._tick_s = console, clock, tick_s
        self._live = sys.stderr.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
        self._total = self._done = self._failed = self._at_start = self._tenth = 0
        self._spent: Spent | None = None
        self._cap_s: float | None = None
        self._refused: list[str] = []
        self._last: deque[str] = deque(maxlen=_LAST)
        self._now: tuple[str, float] | None = None
        self._began = self._shown = clock()
        self._drawn = 0
        self._lock = threading.RLock()
        self._over = threading.Event()

    def note(self, text: str) -> None:
        """Say what is being prepared."""
        self._console.say(text)

    def begin(self, total: int, done: int, standing: Standing | None = None) -> None:
        """Start the clock of the remaining cells."""
        self._total, self._done, self._at_start = total, done, done
        self._tenth = done * 10 // max(total, 1)  # of a small run, the last shards have no cell
        if standing is not None:
            self._failed = standing.outcomes.total() - standing.outcomes["ok"]
            self._spent, self._cap_s = standing.spent, standing.wall_s
            self._refused = [line.partition("\n")[0].strip() for line in refusal_lines(standing.refusals)]
        self._began = self._shown = self._clock()
        resumed = f", {done} of them done" if done else ""
        self._console.say(f"{counted(total, 'cell')}{resumed}")
        if self._tick_s and done < total and not self._console.quiet:
            threading.Thread(target=self._tick, args=(self._tick_s,), name="progress", daemon=True).start()

    def starting(self, cell: PlannedCell) -> None:
        """Name the cell that runs now."""
        with self._lock:
            self._now = (cell.cell, self._clock())
            self._redraw()

    def ended(
        self,
        cell: PlannedCell,
        outcome: str,
        *,
        detail: str = "",
        spent: Spent | None = None,
        final: bool = True,
    ) -> None:
        """Count a cell that has a result, and take in what the run has cost."""
        with self._lock:
            self._now = None
            self._done += final
            self._spent = spent or self._spent
            if outcome != "ok":
                self._failed += final
                self._last.append(f"{cell.cell}: {outcome}{detail and f', {detail}'}")
            if self._console.verbose:
                self._erase()
                self._console.detail(f"{cell.cell}: {outcome}")
            tenth = self._done * 10 // max(self._total, 1)
            if not self._live and tenth > self._tenth:
                self._tenth = tenth
                self._say()
            self._redraw()

    def close(self) -> None:
        """Leave how far it came, and go on below it."""
        self._over.set()
        with self._lock:
            self._now = None
            if self._live and not self._console.quiet:
                self._erase()
                tell(_fitting(self._counts(), _width()))

    def _tick(self, every_s: float) -> None:
        while not self._over.wait(every_s):
            with self._lock:
                if self._over.is_set():
                    return
                if self._live:
                    self._redraw()
                elif self._clock() - self._shown >= _SILENCE_S:
                    self._say()

    def _say(self) -> None:
        """Say on one plain line how far it is."""
        self._shown = self._clock()
        last = [f"last not ok {self._last[-1]}"] if self._last else []
        self._console.say(" · ".join([self._counts(), *self._running(), *last]))

    def _counts(self) -> str:
        gone = self._clock() - self._began
        fresh = self._done - self._at_start
        left = gone / fresh * (self._total - self._done) if fresh else None
        parts = [f"{self._done}/{self._total} cells", f"{self._failed} not ok"]
        if self._spent is not None:
            parts.append(f"{self._spent} spent")
        parts.append(f"{duration(gone)} gone")
        return " · ".join([*parts, *([f"about {duration(left)} left"] if left and left >= 1 else [])])

    def _running(self) -> list[str]:
        if self._now is None:
            return []
        cell, since = self._now
        cap = f" of at most {duration(self._cap_s)} an attempt" if self._cap_s else ""
        return [f"now {cell}, {duration(self._clock() - since)}{cap}"]

    def _lines(self) -> list[str]:
        more = len(self._refused) - 1
        refused = (
            [f"refused {self._refused[-1]}{f' (and {more} more)' if more else ''}"] if self._refused else []
        )
        return [self._counts(), *self._running(), *(f"not ok {line}" for line in self._last), *refused]

    def _redraw(self) -> None:
        """Draw the lines anew, on a terminal and not too often."""
        if not self._live or self._console.quiet or self._clock() - self._shown < _REDRAW_S:
            return
        self._shown = self._clock()
        width = _width()
        lines = [_fitting(line, width) for line in self._lines()]
        prefix = self._up() + _ERASE
        self._drawn = len(lines)
        tell("\n".join(lines), prefix=prefix, end="")

    def _erase(self) -> None:
        if self._drawn:
            prefix, self._drawn = self._up() + _ERASE, 0
            tell(end="", prefix=prefix)

    def _up(self) -> str:
        return f"\x1b[{self._drawn - 1}A" if self._drawn > 1 else ""


def _width() -> int:
    """Return the columns of the terminal that a line may fill: one less, since a full line makes some go on below."""
    try:
        return max(os.get_terminal_size(sys.stderr.fileno()).columns - 1, _NARROWEST)
    except OSError:
        return 79


def _fitting(line: str, width: int) -> str:
    """Return as much of a line as `width` columns hold, on one line whatever it was made of."""
    shown, used = [], 0
    for letter in visible(line.split("\n", 1)[0]):
        used += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if used > width:
            break
        shown.append(letter)
    return "".join(shown)
