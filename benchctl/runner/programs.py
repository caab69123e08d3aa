"""Which programs stood behind the names of a suite: their versions, as they say them, and the digests of their files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.agents.base import ServerCommand
from benchctl.runner.grants import make_grant
from benchctl.schema.run import ProgramRecord

if TYPE_CHECKING:
    from benchctl.planning.invocations import Places
    from benchctl.runner.trials import Trials

__all__ = ["program_records"]

_VERSION_WALL_S = 20.0
"""How long a program may take to say its version."""

_LONGEST = 200


def program_records(
    names: Iterable[str], found: Mapping[str, str], trials: Trials, into: Path
) -> tuple[ProgramRecord, ...]:
    """Return a record of each command of `names` that was found; each is started once, with `--version`, below `into`.

    A program that ends otherwise than well, or says nothing, has no version: that decides nothing by itself.
    """
    return tuple(
        _record(name, found, trials, into / str(number))
        for number, name in enumerate(dict.fromkeys(names))
        if name in found
    )


def _record(name: str, found: Mapping[str, str], trials: Trials, into: Path) -> ProgramRecord:
    grant = make_grant(into, [name], found)
    ended = trials.run(partial(_version, Path(found[name]).name), wall_s=_VERSION_WALL_S, grant=grant)
    said = f"{ended.result.stdout.text}\n{ended.result.stderr.text}" if ended.result.outcome == "ok" else ""
    lines = (line.strip() for line in ended.placeless(said).splitlines())
    shown = ("".join(char for char in line if char.isprintable())[:_LONGEST] for line in lines)
    return ProgramRecord(
        name=name, version=next(filter(None, shown), None), sha256=_sha256(Path(found[name]))
    )


def _version(command: str, _: Places) -> ServerCommand:
    return ServerCommand((command, "--version"))


def _sha256(path: Path) -> str | None:
    try:
        with path.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return None
