"""How a command that failed says so: one form for every error, on standard error, and its exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

import click

from benchctl.cli.console import tell
from benchctl.errors import BenchctlError, OptionInvalidError, SystemFailedError

__all__ = [
    "as_ours",
    "broken_pipe",
    "interrupted",
    "not_text",
    "refusals",
    "refused",
    "system_failed",
    "unusable",
]

_INTERRUPTED = 130

_ROOM = "make room where this writes: its output, the project, or temporary files (the variable TMPDIR)"
_RIGHTS = "correct its permissions, or name another place"
_NEXT_STEPS = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.EROFS: _RIGHTS,
}


def refusals() -> tuple[type[Exception], ...]:
    """Return what `refused` can say: our errors and a lack of memory, also the database's where that was loaded."""
    duckdb = sys.modules.get("duckdb")
    return (BenchctlError, MemoryError, *((duckdb.OutOfMemoryException,) if duckdb else ()))


def as_ours(error: Exception) -> BenchctlError | None:
    """Return what stopped a command in the form of all our errors; None for a reader who has left, and for our own mistakes."""
    if isinstance(error, BenchctlError):
        return error
    if isinstance(error, click.ClickException):
        return _unreadable(error)
    if isinstance(error, OSError):
        return None if isinstance(error, BrokenPipeError) else _system_failure(error, error.filename)
    return _no_memory(error) if isinstance(error, refusals()) else None


def refused(error: Exception) -> int:
    """Say an error of ours, or that the memory does not suffice."""
    said = error if isinstance(error, BenchctlError) else _no_memory(error)
    tell(str(said))
    return said.exit_code


def _no_memory(error: Exception) -> SystemFailedError:
    why = next(iter(str(error).strip().splitlines()), "")
    return SystemFailedError(
        f"the memory does not suffice{why and ': '}{why}",
        next_step="end what else runs, or give this more memory, and run it again",
    )


def unusable(error: click.ClickException) -> int:
    """Say what click could not read, in the form of all our errors."""
    return refused(_unreadable(error))


def _unreadable(error: click.ClickException) -> OptionInvalidError:
    ctx = getattr(error, "ctx", None)
    more = f"see `{ctx.command_path} --help`" if ctx else None
    return OptionInvalidError(error.format_message().rstrip("."), next_step=more)


def interrupted(error: BaseException) -> int:
    """Say that somebody stopped us: click has made an Abort of it, and what the run said of itself is the cause."""
    tell(str(error.__cause__ or error) or "interrupted")
    return _INTERRUPTED


def broken_pipe() -> int:
    """Leave quietly: whoever read us has enough."""
    _give_up_output()
    return 1


def system_failed(error: OSError) -> int:
    """Say what the system refused, and of which file."""
    place = error.filename
    try:
        sys.stdout.flush()
    except OSError:
        place = place or "standard output"
        _give_up_output()
    return refused(_system_failure(error, place))


def _system_failure(error: OSError, place: object) -> SystemFailedError:
    what = error.strerror or str(error) or type(error).__name__
    next_step = _NEXT_STEPS.get(
        error.errno or 0, "see to it that this can be read or written, and run it again"
    )
    return SystemFailedError(f"{place}: {what}" if place else what, next_step=next_step)


def not_text(words: Sequence[str]) -> OptionInvalidError | None:
    """Return why a command line cannot be used: a word that is not UTF-8 could be written into no file of ours."""
    for number, word in enumerate(words, start=1):
        if any("\ud800" <= letter <= "\udfff" for letter in word):
            return OptionInvalidError(
                f"argument {number} is not UTF-8: {word!r}",
                next_step="write it in UTF-8, or rename what it names",
            )
    return None


def _give_up_output() -> None:
    """Send the rest of standard output nowhere: the interpreter flushes once more at exit, and would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
