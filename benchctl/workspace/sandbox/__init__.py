"""The ladder: the strongest wall that this machine can really put around a cell, proven before it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchctl.errors import SandboxUnavailableError
from benchctl.schema.sandbox import SandboxLevel, satisfies
from benchctl.workspace.sandbox import bwrap, landlock, none
from benchctl.workspace.wall import Sandbox, Wrap

__all__ = ["Sandbox", "Wrap", "candidates", "choose"]

_LADDER: tuple[tuple[SandboxLevel, Wrap, Callable[[], str | None]], ...] = (
    ("bwrap", bwrap.wrap, bwrap.unavailable),
    ("landlock", landlock.wrap, landlock.unavailable),
)


def candidates() -> Iterator[tuple[Sandbox, str | None]]:
    """Yield every level with a wall, strongest first, with why it cannot be tried here (None: it can)."""
    for level, wrap, unavailable in _LADDER:
        yield Sandbox(level, wrap), unavailable()


def choose(
    minimum: SandboxLevel | None,
    *,
    allow_none: bool,
    forced_none: bool,
    protected: Sequence[Path] = (),
) -> Sandbox:
    """Return the strongest level whose probes hold, with what they found.

    A level through which a cell could read an answer or touch the store is not usable, whatever it is
    called. `protected` are real folders that no cell may see, tried along with the arena's. `none` is
    returned when it is forced, or when nothing else works and the suite allows it; an arm's `minimum` is
    never undercut. Raises SandboxUnavailableError, saying for each level why not.
    """
    from benchctl.workspace.probes import DECISIVE, probe

    passed_over: dict[str, str] = {}
    for sandbox, missing in () if forced_none else candidates():
        if missing or not satisfies(sandbox.level, minimum):
            passed_over[sandbox.level] = missing or f"weaker than {minimum}, which is asked for"
            continue
        try:
            found = probe(sandbox, protected=protected)
        except SandboxUnavailableError as error:
            passed_over[sandbox.level] = error.what
            continue
        leaks = sorted(name for name in DECISIVE if found.get(name) == "open")
        if not leaks:
            return Sandbox(sandbox.level, sandbox.wrap, found, passed_over)
        passed_over[sandbox.level] = f"a cell would reach: {', '.join(leaks)}"
    if (forced_none or allow_none) and satisfies("none", minimum):
        bare = Sandbox("none", none.wrap)
        return Sandbox("none", none.wrap, probe(bare, protected=protected), passed_over)
    reasons = "; ".join(f"{level}: {reason}" for level, reason in passed_over.items())
    raise SandboxUnavailableError(
        f"no sandbox of the level {minimum or 'landlock'} or stronger holds on this machine ({reasons})",
        next_step="install bubblewrap, or read what --no-sandbox means for the results before using it",
    )
