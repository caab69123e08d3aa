"""Where one attempt of a cell takes place, and how its processes are started: what its turns and steps share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.planning.invocations import Places
from benchctl.runner.invocations import PLANNED
from benchctl.schema.evidence import Stream
from benchctl.workspace.proxy import CellProxy
from benchctl.workspace.redaction import redacted_text

if TYPE_CHECKING:
    from benchctl.runner.ready import Ready
    from benchctl.schema.run import PlannedCell
    from benchctl.schema.suite import AgentSpec, Injected
    from benchctl.workspace.cells import CellFolder
    from benchctl.workspace.process import ProcessResult

__all__ = ["Setting", "Start"]

Start = Callable[..., "ProcessResult"]
"""Starts a process and returns what it did: `workspace.process.run_process`, or `run` of a Workers."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One attempt's place. `start` is the seam to the operating system; `secrets` are taken out of all that is kept.

    `taken_out` counts what was, beside the output of its processes, by the variable's name.
    """

    ready: Ready
    planned: PlannedCell
    folder: CellFolder
    marker: str
    start: Start
    secrets: Mapping[str, str] = field(default_factory=dict)
    taken_out: Counter[str] = field(default_factory=Counter)

    @property
    def spec(self) -> AgentSpec:
        """The cell's agent."""
        return self.ready.suite.agents[self.planned.agent]

    def places(self) -> Places:
        """Return where things are for this cell."""
        agent_dir, indexes = (
            self.ready.agent_dirs.get(self.planned.agent),
            self.ready.indexes_of(self.planned),
        )
        return Places(
            tree=str(self.folder.tree),
            agent_dir=str(agent_dir) if agent_dir else "",
            scratch=str(self.folder.scratch),
            python=PLANNED.python,
            indexes=str(indexes) if indexes else "",
        )

    @contextmanager
    def proxy(
        self, name: str, allow: Sequence[str], inject: Mapping[str, Injected]
    ) -> Iterator[CellProxy | None]:
        """Give the proxy of one process or session; None where nothing may be reached, and so there is none."""
        if not allow and not inject:
            yield None
            return
        folder = self.folder.root / f"proxy-{name}"
        folder.mkdir(mode=0o700)
        shared = self.ready.sandbox.shares_network
        with CellProxy(allow, inject, self.secrets, folder, tcp=shared) as proxy:
            yield proxy

    def walled(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        *,
        reads: Sequence[Path],
        writes: Sequence[Path],
        proxy: CellProxy | None,
    ) -> list[str]:
        """Return a command line behind the run's wall."""
        return self.ready.sandbox.wrap(
            argv,
            reads=reads,
            writes=writes,
            cwd=self.folder.tree,
            env=env,
            proxy=None if proxy is None else proxy.socket,
        )

    def said(self, text: str) -> str:
        """Return a text without secrets."""
        clean, counts = redacted_text(text, self.secrets)
        self.taken_out.update(counts)
        return clean

    def kept(self, text: str) -> Stream:
        """Return a text of our own as a stream, without secrets."""
        clean = self.said(text)
        data = clean.encode("utf-8", "replace")
        return Stream(clean, len(data), 0, sha256(data).hexdigest())
