"""What preflight has to start in order to know it: builders of indexes, servers of tools, programs asked for their version.

Each is started as a cell would start it: behind the run's own wall, in a tree of its own, with the arm's
commands and nothing else of the caller's environment.
"""

from __future__ import annotations

import contextlib
import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.agents.base import Invocation, ServerCommand
from benchctl.planning.invocations import Places
from benchctl.runner.environment import agent_secrets, cell_environment, own_environment
from benchctl.runner.grants import Grant
from benchctl.runner.invocations import PLANNED
from benchctl.workspace.cells import fresh_cell, remove_tree
from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.process import ProcessResult, run_process
from benchctl.workspace.proxy import CellProxy

if TYPE_CHECKING:
    from benchctl.schema.suite import AgentSpec
    from benchctl.workspace.sandbox import Sandbox
    from benchctl.workspace.tree import Base

__all__ = ["Ended", "Trials", "ending"]

_OUTPUT_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Ended:
    """A trial's end, and where it took place: a path of that place in what was said means nothing elsewhere."""

    result: ProcessResult
    places: Places

    def placeless(self, text: str) -> str:
        """Return a text with the names of the dry run in place of this trial's folders."""
        for place, name in (
            (self.places.tree, PLANNED.tree),
            (self.places.scratch, PLANNED.scratch),
            (self.places.indexes, PLANNED.indexes),
            (self.places.agent_dir, PLANNED.agent_dir),
        ):
            text = text.replace(place, name) if place else text
        return text


@dataclass(frozen=True, slots=True)
class Trials:
    """Starts what preflight tries, below the folder `root`, behind the wall of `sandbox`."""

    sandbox: Sandbox
    root: Path

    def run(
        self,
        command: Callable[[Places], ServerCommand | Invocation],
        *,
        wall_s: float,
        grant: Grant,
        base: Base | None = None,
        git: bool = False,
        agent_dir: Path | None = None,
        indexes: Path | None = None,
        reads: Sequence[Path] = (),
        writes: Sequence[Path] = (),
        files: Mapping[str, str] | None = None,
        agent: AgentSpec | None = None,
        network: Sequence[str] = (),
    ) -> Ended:
        """Run what `command` makes of the places of a fresh cell, and return how it ended; its folders are gone then.

        `base` is the tree that it stands in, an empty one without it. `reads` and `writes` are further folders that
        it may see, `files` texts below the scratch folder. With `agent` it gets what a cell of that agent gets: its
        variables, and a proxy to the hosts that it may reach; without one, `network` are the hosts.
        """
        with self._folder(base, git=git) as (tree, scratch, home, tmp):
            places = Places(
                tree=str(tree),
                agent_dir=str(agent_dir or ""),
                scratch=str(scratch),
                python=PLANNED.python,
                indexes=str(indexes or ""),
            )
            made = command(places)
            further = made.files if isinstance(made, Invocation) else {}
            for name, text in {**(files or {}), **further}.items():
                (scratch / name).write_text(text, encoding="utf-8")
            commands = str(grant.commands) if grant.commands else None
            shown = [path for path in (agent_dir, indexes) if path]
            with self._proxy(agent, network, scratch.parent) as proxy:
                env = _environment(agent, made, proxy, home=str(home), tmp=str(tmp), commands=commands)
                argv = self.sandbox.wrap(
                    made.argv,
                    reads=[*interpreter_reads(), *grant.reads, *shown, *reads],
                    writes=[tree, scratch, home, tmp, *writes],
                    cwd=tree,
                    env=env,
                    proxy=proxy.socket if proxy else None,
                )
                result = run_process(
                    argv,
                    cwd=tree,
                    env=env,
                    wall_s=wall_s,
                    output_bytes=_OUTPUT_BYTES,
                    keep_bytes=_OUTPUT_BYTES,
                    marker=f"trial-{secrets.token_hex(8)}",
                    secrets=agent_secrets(agent) if agent else {},
                )
        return Ended(result, places)

    @contextlib.contextmanager
    def _proxy(
        self, agent: AgentSpec | None, network: Sequence[str], root: Path
    ) -> Iterator[CellProxy | None]:
        allow, inject = (agent.network, agent.inject) if agent else (network, {})
        if not allow and not inject:
            yield None
            return
        folder = root / "proxy"
        folder.mkdir(mode=0o700)
        shared = self.sandbox.shares_network
        with CellProxy(allow, inject, agent_secrets(agent) if agent else {}, folder, tcp=shared) as proxy:
            yield proxy

    @contextlib.contextmanager
    def _folder(self, base: Base | None, *, git: bool) -> Iterator[tuple[Path, Path, Path, Path]]:
        if base is not None:
            with fresh_cell(base, self.root, git=git) as cell:
                yield cell.tree, cell.scratch, cell.home, cell.tmp
            return
        place = Path(tempfile.mkdtemp(prefix="trial-", dir=self.root))
        try:
            folders = tuple(place / name for name in ("tree", "scratch", "home", "tmp"))
            for folder in folders:
                folder.mkdir(mode=0o700)
            tree, scratch, home, tmp = folders
            yield tree, scratch, home, tmp
        finally:
            remove_tree(place)


def _environment(
    agent: AgentSpec | None,
    made: ServerCommand | Invocation,
    proxy: CellProxy | None,
    *,
    home: str,
    tmp: str,
    commands: str | None,
) -> dict[str, str]:
    if agent is None:
        own = own_environment(home=home, tmp=tmp, first=[commands] if commands else []) | dict(made.env)
        return own | (dict(proxy.environment) if proxy else {})
    invocation = Invocation(made.argv, env=made.env)
    return cell_environment(
        agent,
        invocation,
        home=home,
        tmp=tmp,
        commands=commands,
        proxy=proxy.environment if proxy else None,
    )


def ending(ended: Ended) -> str:
    """Return how a trial ended that did not end well, and the last line of what it said of it."""
    result = ended.result
    status = f" (exit status {result.exit_code})" if result.exit_code else ""
    said = result.stderr.text.strip().splitlines()[-1:] or [result.detail]
    return f"{result.outcome}{status}{f': {ended.placeless(said[0])[:300]}' if said[0] else ''}"
