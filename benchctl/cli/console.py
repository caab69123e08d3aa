"""What a person sees of a command: data on standard output, everything else on standard error."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import click

from benchctl.report.escaping import as_json, inert, visible
from benchctl.report.terminal import aligned

if TYPE_CHECKING:
    from benchctl.schema.run import RefusalRecord

__all__ = ["Console", "columns", "duration", "put", "put_json", "refusal_lines", "tell"]

_NONE = "\N{EN DASH}"


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
