"""No wall at all: only for those who ask for it, and stamped on every row and table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["wrap"]


def wrap(
    argv: Sequence[str],
    *,
    reads: Sequence[Path],  # noqa: ARG001 - the shape of every wall; this one keeps nothing out
    writes: Sequence[Path],  # noqa: ARG001
    cwd: Path,  # noqa: ARG001
    env: Mapping[str, str],  # noqa: ARG001
    proxy: Path | None = None,  # noqa: ARG001
) -> list[str]:
    """Return the command line unchanged."""
    return list(argv)
