"""What the trials of preflight start from, and what comes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.planning.world import Reason

if TYPE_CHECKING:
    from benchctl.errors import BenchctlError
    from benchctl.runner.grants import Grant
    from benchctl.runner.survey import Survey
    from benchctl.schema.run import IndexRecord, ProgramRecord, ServerRecord
    from benchctl.schema.suite import Suite
    from benchctl.workspace.sandbox import Sandbox
    from benchctl.workspace.tree import Base

__all__ = ["Given", "Tried"]


@dataclass(frozen=True, slots=True)
class Given:
    """What the trials of a run start from: the suite and its folder, what was found of it here, and what was written.

    `agent_dirs` holds the copies of the agents' files, `grants` one entry an arm, `agent_grants` one
    an agent, `root` is the run's folder.
    """

    suite: Suite
    suite_folder: Path
    found: Survey
    bases: Mapping[str, Base]
    agent_dirs: Mapping[str, Path]
    grants: Mapping[str, Grant]
    agent_grants: Mapping[str, Grant]
    sandbox: Sandbox
    root: Path


@dataclass(slots=True)
class Tried:
    """What came of the trials. `folders` holds the indexes by arm and repository; `problems` stop the run."""

    programs: tuple[ProgramRecord, ...] = ()
    servers: list[ServerRecord] = field(default_factory=list)
    indexes: list[IndexRecord] = field(default_factory=list)
    folders: dict[tuple[str, str], Path] = field(default_factory=dict)
    failed_arms: dict[str, Reason] = field(default_factory=dict)
    failed_agents: dict[tuple[str, str | None], Reason] = field(default_factory=dict)
    problems: list[BenchctlError] = field(default_factory=list)
