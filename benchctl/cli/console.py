"""What a person sees while a command works: messages and progress, all on standard error."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import click

from benchctl.report.escaping import as_json, inert, visible
from benchctl.report.terminal import aligned

if TYPE_CHECKING:
    from benchctl.schema.run import PlannedCell, RefusalRecord

__all__ = ["Console", "Line", "columns", "duration", "put", "put_json", "refusal_lines", "tell"]

_NONE = "\N{EN DASH}"
_REWRITE_S = 0.2
"""At most five rewrites a second: a reader needs no more, and a cell should not pay for them."""


class Console:
    """Where a command talks to its user. `quiet` leaves only errors, `verbose` adds details."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self.quiet = quiet
        self.verbose = verbose

    def say(self, text: str = "") -> None:
        """Print a message, unless quiet."""
        if not self.quiet:
            tell(text)

    def detail(self, text: str) -> None:
        """Print what only a curious user wants to read."""
        if self.verbose:
            tell(text)


def put(text: str, *, end: str = "\n", exact: bool = False, commands: bool = False) -> None:
    """Print data on standard output, control characters and a CI runner's commands written out: the one door for it.

    With `exact`, as CSV wants it, the text is written out on a terminal alone: a file or a pipe gets it as it
    is. `commands` says that those of the text are meant, and that whoever wrote it has seen to all others.
    """
    shown = text + end
    if not exact or sys.stdout.isatty():
        shown = visible(shown, keep="\n\t")
        shown = shown if commands else inert(shown)
    # without `color` click takes escape sequences out of exact values
    click.echo(shown, nl=False, color=True)


def put_json(document: object, *, default: Callable[[object], object] | None = None) -> None:
    """Print the document of `--format json`; what JSON has no word for goes through `default`."""
    put(as_json(document, default=default), end="")


def tell(text: str = "", *, end: str = "\n", prefix: str = "") -> None:
    """Print `text` on standard error, control characters and a CI runner's commands written out.

    `prefix` goes before it as it is.
    An error output that is full or gone is no reason to stop: whoever collects a run has better to do.
    """
    with contextlib.suppress(OSError):
        click.echo(f"{prefix}{inert(visible(text, keep=chr(10)))}{end}", nl=False, err=True)


def columns(rows: Iterable[Sequence[object]], header: Sequence[str]) -> str:
    """Return rows as aligned plain text under a header; None is a dash."""
    grid = [
        [visible(name) for name in header],
        *([_NONE if value is None else visible(str(value)) for value in row] for row in rows),
    ]
    return "\n".join(aligned(grid, [True] * len(header)))


def duration(seconds: float) -> str:
    """Return seconds as people read them: `42 s`, `3 min 05 s`, `2 h 07 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def refusal_lines(refusals: Iterable[RefusalRecord]) -> list[str]:
    """Return each refusal as a line: what, why, and what to do about it."""
    lines = []
    for refusal in refusals:
        parts = (
            ("question", refusal.question),
            ("arm", refusal.arm),
            ("agent", refusal.agent),
            ("model", refusal.model),
        )
        what = ", ".join(f"{noun} {name}" for noun, name in parts if name)
        optional = "" if refusal.required or refusal.question else " (optional)"
        then = f"\n      next: {visible(refusal.next_step)}" if refusal.next_step else ""
        lines.append(f"  {visible(what)}{optional}: {visible(refusal.reason)}{then}")
    return lines


class Line:
    """Progress of a run: one line that is rewritten on a terminal, a plain line every tenth elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = sys.stderr.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
        self._total = self._done = self._failed = 0
        self._shown_tenth = 0
        self._began = self._rewritten = time.monotonic()
        self._at_start = 0

    def note(self, text: str) -> None:
        """Say what is being prepared."""
        self._console.say(text)

    def begin(self, total: int, done: int) -> None:
        """Start the clock of the remaining cells."""
        self._total, self._done, self._at_start = total, done, done
        self._shown_tenth = done * 10 // max(total, 1)  # of a small run, the last shards have no cell
        self._began = time.monotonic()
        resumed = f", {done} of them done" if done else ""
        self._console.say(f"{total} cells{resumed}")

    def starting(self, cell: PlannedCell) -> None:
        """Name the cell that runs now, on a terminal."""
        if self._live and time.monotonic() - self._rewritten >= _REWRITE_S:
            self._rewrite(cell.cell)

    def ended(self, cell: PlannedCell, outcome: str) -> None:
        """Count a cell."""
        self._done += 1
        self._failed += outcome != "ok"
        self._console.detail(f"{cell.cell}: {outcome}")
        tenth = self._done * 10 // self._total
        if not self._live and tenth > self._shown_tenth:
            self._shown_tenth = tenth
            self._console.say(self._text())

    def close(self) -> None:
        """Leave the line as it is and go on below it."""
        if self._live and not self._console.quiet:
            self._rewrite("")
            tell()

    def _text(self) -> str:
        elapsed = time.monotonic() - self._began
        fresh = self._done - self._at_start
        left = elapsed / fresh * (self._total - self._done) if fresh else None
        parts = [f"{self._done}/{self._total} cells", f"{self._failed} not ok", f"{duration(elapsed)} gone"]
        return " · ".join([*parts, *([f"about {duration(left)} left"] if left and left >= 1 else [])])

    def _rewrite(self, now: str) -> None:
        if self._console.quiet:
            return
        self._rewritten = time.monotonic()
        text = f"{self._text()} · {now}" if now else self._text()
        width = os.get_terminal_size(sys.stderr.fileno()).columns - 1
        tell(text[:width], prefix="\r\x1b[2K", end="")
