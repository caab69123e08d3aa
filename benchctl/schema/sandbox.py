"""The levels of containment, from the weakest to the strongest: one order for plans, walls and rows."""

from __future__ import annotations

from typing import Literal

__all__ = ["SANDBOX_LEVELS", "SandboxLevel", "satisfies"]

SandboxLevel = Literal["bwrap", "bwrap+landlock", "landlock", "container", "seatbelt", "none"]

SANDBOX_LEVELS: tuple[SandboxLevel, ...] = (
    "none",
    "seatbelt",
    "landlock",
    "bwrap+landlock",
    "container",
    "bwrap",
)
"""From the weakest to the strongest, by what an attack from inside a cell can still reach."""


def satisfies(level: SandboxLevel, minimum: SandboxLevel | None) -> bool:
    """Return whether a level is at least as strong as the one an arm asks for; None asks for nothing."""
    return minimum is None or SANDBOX_LEVELS.index(level) >= SANDBOX_LEVELS.index(minimum)
