"""What an arm may start: its commands by name on the PATH, and all that those commands need to be readable.

A folder of links stands on the PATH instead of the folders where the commands live, for those may
hold much else that the arm was not granted.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchctl.planning.world import commands_of_agent, commands_of_arm
from benchctl.schema.suite import Suite
from benchctl.workspace.interpreter import command_reads, interpreter_reads

__all__ = ["Grant", "make_agent_grants", "make_grant", "make_grants", "needs_of"]


@dataclass(frozen=True, slots=True)
class Grant:
    """What an arm may start: a folder for the PATH, None where it needs no command, and what must be readable."""

    commands: Path | None = None
    reads: tuple[Path, ...] = ()


def make_grants(suite: Suite, arms: Iterable[str], found: Mapping[str, str], into: Path) -> dict[str, Grant]:
    """Return the grant of each arm, its commands linked below the folder `into`."""
    grants: dict[str, Grant] = {}
    for name in arms:
        commands = commands_of_arm(suite.arms[name])
        grants[name] = make_grant(into / name, commands, found) if commands else Grant()
    return grants


def make_agent_grants(
    suite: Suite, agents: Iterable[str], found: Mapping[str, str], into: Path
) -> dict[str, Grant]:
    """Return what each agent starts by itself: its own command, and the one that asks for its models.

    No cell of another agent sees it, and no arm has to require it.
    """
    grants: dict[str, Grant] = {}
    for name in agents:
        commands = commands_of_agent(suite.agents[name])
        grants[name] = make_grant(into / name, commands, found) if commands else Grant()
    return grants


def make_grant(folder: Path, names: Iterable[str], found: Mapping[str, str]) -> Grant:
    """Fill a new folder with a link to each command, by the paths in `found`; return the grant."""
    folder.mkdir(parents=True)
    reads: list[Path] = [folder]
    for name in names:
        command = Path(found[name])
        (folder / command.name).symlink_to(_target(command))
        reads += [*command_reads(name), *needs_of(command)]
    return Grant(folder, tuple(dict.fromkeys(reads)))


def _target(command: Path) -> Path:
    """Return what a link in a grant's folder points to: the real file, since a sandbox may show nothing between.

    An environment's interpreter is the exception: it finds its environment by the link's own place.
    """
    real = command.resolve()
    return command if real.name.startswith("python") else real


def needs_of(command: Path) -> tuple[Path, ...]:
    """Return what a command reads beside itself: a Python script its environment, a Node script its modules.

    An environment holds installed packages, which a cell does not see otherwise; an arm whose tool is
    written in Python cannot do without.
    """
    real = command.resolve()
    for parent in real.parents:
        if parent.name == "node_modules":
            return (parent,)
    interpreter = _interpreter_of(real)
    return () if interpreter is None else tuple(_environment(interpreter))


def _interpreter_of(script: Path) -> Path | None:
    """Return the Python that a script's first line names; None for any other kind of file."""
    try:
        with script.open("rb") as opened:
            first = opened.readline(512)
    except OSError:
        return None
    words = first[2:].split() if first.startswith(b"#!") else []
    name = Path(words[0].decode(errors="replace")) if words else None
    return name if name is not None and name.name.startswith("python") else None


def _environment(interpreter: Path) -> Iterator[Path]:
    root = interpreter.parent.parent
    if root == Path(sys.prefix):
        yield from interpreter_reads()
        yield from {Path(sysconfig.get_path(key)).resolve() for key in ("purelib", "platlib")}
        return
    settings = root / "pyvenv.cfg"
    if settings.is_file():
        yield root
        for line in settings.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition("=")
            home = Path(value.strip()).parent
            if name.strip() == "home" and home != Path("/usr"):
                yield home
