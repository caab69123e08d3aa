"""The levels of containment, from the weakest to the strongest: one order for plans, walls and rows."""

from __future__ import annotations

from typing import Literal

from benchctl.schema.fields import Strict, Word

__all__ = ["SANDBOX_LEVELS", "ContainerSpec", "SandboxLevel", "SandboxSettings", "satisfies"]

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


class ContainerSpec(Strict):
    """The container that cells may run in: an engine, and an image that it has.

    The image brings the operating system; benchctl's own interpreter is shown in it, so that its C library has
    to be as new as this machine's.
    """

    engine: Literal["docker", "podman"] = "docker"
    image: Word


class SandboxSettings(Strict):
    """The table [sandbox] of benchctl.toml."""

    container: ContainerSpec | None = None
