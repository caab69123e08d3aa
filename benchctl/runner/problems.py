"""Several problems as one error."""

from __future__ import annotations

from collections.abc import Sequence

from benchctl.errors import BenchctlError, PreflightRefusedError

__all__ = ["raise_problems"]


def raise_problems(problems: Sequence[BenchctlError]) -> None:
    """Raise the one problem, or a PreflightRefusedError that lists them all; nothing where there is none."""
    if len(problems) == 1:
        raise problems[0]
    if problems:
        each = "\n".join(str(problem) for problem in problems)
        raise PreflightRefusedError(f"{len(problems)} problems, nothing was started\n{each}")
