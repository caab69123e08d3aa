"""The attack that a sandbox is proven by: run inside it, tries to get out, says what it reached.

It imports nothing of benchctl: a copy of this package is all that a cell is shown. Nothing that it touches
outside is anyone's data but that of an arena made for the purpose. A probe returns whether it got what it
wanted, None where there is nothing of the kind to attack; an error means that it was kept out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from . import files, kernel, network, processes

__all__ = ["PROBES", "START", "main"]

START = "import sys; sys.path.insert(0, sys.argv[1]); from attack import main; sys.exit(main(sys.argv[2:]))"
"""Starts the attack with `python -I -S -c START FOLDER TARGETS`, where FOLDER holds the copy."""

PROBES: dict[str, Callable[[dict[str, Any]], bool | None]] = {
    **files.PROBES,
    **network.PROBES,
    **kernel.PROBES,
    **processes.PROBES,
}
"""Every probe, the last the one that ends its target."""


def main(words: list[str]) -> int:
    """Try everything and print one JSON object: probe -> "open", "blocked" or "absent"."""
    targets: dict[str, Any] = json.loads(words[0])
    print(json.dumps({name: _tried(probe, targets) for name, probe in PROBES.items()}))  # noqa: T201 - its answer
    return 0


def _tried(probe: Callable[[dict[str, Any]], bool | None], targets: dict[str, Any]) -> str:
    try:
        reached = probe(targets)
    except (OSError, ValueError, ImportError, AttributeError):
        return "blocked"
    if reached is None:
        return "absent"
    return "open" if reached else "blocked"
