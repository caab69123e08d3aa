"""The ladder: the strongest wall that this machine can really put around a cell, proven before it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchctl.errors import SandboxUnavailableError
from benchctl.schema.sandbox import ContainerSpec, SandboxLevel, satisfies
from benchctl.workspace.sandbox import bwrap, bwrap_landlock, landlock, none
from benchctl.workspace.sandbox.container import container_unavailable, container_wrap
from benchctl.workspace.sandbox.next_steps import next_steps
from benchctl.workspace.wall import Sandbox, Wrap

__all__ = ["Sandbox", "Wrap", "candidates", "choose"]

_LADDER: tuple[tuple[SandboxLevel, Wrap, Callable[[], str | None]], ...] = (
    ("bwrap", bwrap.wrap, bwrap.unavailable),
    ("bwrap+landlock", bwrap_landlock.wrap, bwrap_landlock.unavailable),
    ("landlock", landlock.wrap, landlock.unavailable),
)


def candidates(container: ContainerSpec | None = None) -> Iterator[tuple[Sandbox, str | None]]:
    """Yield every level with a wall, strongest first, with why it cannot be tried here (None: it can).

    `container` is the engine and image of the project's settings; without it there is no such level.
    """
    rungs = list(_LADDER)
    if container is not None:
        rungs.insert(1, ("container", container_wrap(container), lambda: container_unavailable(container)))
    for level, wrap, unavailable in rungs:
        yield Sandbox(level, wrap), unavailable()


def choose(
    minimum: SandboxLevel | None,
    *,
    allow_none: bool,
    forced_none: bool,
    protected: Sequence[Path] = (),
    container: ContainerSpec | None = None,
) -> Sandbox:
    """Return the strongest level whose probes hold, with what they found.

    A level through which a cell could read an answer or touch the store is not usable, whatever it is
    called. `protected` are real folders that no cell may see, tried along with the arena's. `none` is
    returned when it is forced, or when nothing else works and the suite allows it; an arm's `minimum` is
    never undercut. Raises SandboxUnavailableError, saying for each level why not, and what helps.
    """
    from benchctl.workspace.probes import DECISIVE, probe

    passed_over: dict[str, str] = {}
    for sandbox, missing in () if forced_none else candidates(container):
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
        next_step="; ".join([*next_steps(passed_over), "`benchctl doctor` shows what a cell would reach"]),
    )
