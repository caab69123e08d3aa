"""One attempt: the command composed, walled in and run, and what it left read back as evidence."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.agents import AGENTS
from benchctl.agents.base import Invocation, Reply, Transcript
from benchctl.planning.invocations import Places
from benchctl.runner.environment import cell_environment
from benchctl.runner.invocations import PLANNED, planned_invocation
from benchctl.schema.evidence import Evidence, Outcome
from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.leaks import scan_text
from benchctl.workspace.process import ProcessResult, run_process

if TYPE_CHECKING:
    from benchctl.runner.ready import Ready
    from benchctl.schema.run import PlannedCell
    from benchctl.workspace.cells import CellFolder

__all__ = ["invocation_of", "run_attempt", "verdict"]


def invocation_of(ready: Ready, planned: PlannedCell, folder: CellFolder) -> Invocation:
    """Return the command of a cell, with its real places."""
    agent_dir = ready.agent_dirs.get(planned.agent)
    places = Places(
        tree=str(folder.tree),
        agent_dir=str(agent_dir) if agent_dir else "",
        scratch=str(folder.scratch),
        python=PLANNED.python,
    )
    return planned_invocation(ready.suite, planned, places)


def run_attempt(
    ready: Ready, planned: PlannedCell, folder: CellFolder, attempt: int, marker: str
) -> Evidence:
    """Run one attempt of a cell in its folder and return what it left. An interrupt ends it and is raised again."""
    spec, grant = ready.suite.agents[planned.agent], ready.grants[planned.arm]
    invocation = invocation_of(ready, planned, folder)
    for name, text in invocation.files.items():
        path = folder.scratch / name
        if "/" in name:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    env = cell_environment(
        spec,
        invocation,
        home=str(folder.home),
        tmp=str(folder.tmp),
        commands=str(grant.commands) if grant.commands else None,
    )
    agent_dir = ready.agent_dirs.get(planned.agent)
    reads = [*interpreter_reads(), *([agent_dir] if agent_dir else []), *grant.reads]
    argv = ready.sandbox.wrap(
        invocation.argv,
        reads=reads,
        writes=(folder.tree, folder.scratch, folder.home, folder.tmp),
        cwd=folder.tree,
        env=env,
    )
    caps = ready.plan.caps
    result = run_process(
        argv,
        cwd=Path(folder.tree),
        env=env,
        wall_s=caps.wall_s,
        output_bytes=caps.output_bytes,
        marker=marker,
    )
    reply = AGENTS[spec.kind].read(Transcript(result.stdout.text, result.stderr.text, result.exit_code))
    return _evidence(planned.cell, attempt, result, reply, ready)


def verdict(result: ProcessResult, reply: Reply, canary: str) -> tuple[Outcome, str]:
    """Return how an attempt ended, and what else is known.

    A process that went well may still have said nothing; and whoever prints the canary has seen the key,
    since every file of the key holds it and no tree does.
    """
    for name, stream in (("standard output", result.stdout), ("standard error", result.stderr)):
        if scan_text(name, stream.text, {"canary": canary}):
            return "contaminated", f"its {name} holds the canary of the answer key"
    if result.outcome != "ok":
        return result.outcome, result.detail
    if reply.error is not None:
        return "api_error", reply.error
    if reply.answer is None:
        return "no_result", "the agent ended well and gave no answer"
    return "ok", result.detail


def _evidence(cell: str, attempt: int, result: ProcessResult, reply: Reply, ready: Ready) -> Evidence:
    outcome, detail = verdict(result, reply, ready.suite.canary)
    return Evidence(
        cell=cell,
        attempt=attempt,
        outcome=outcome,
        started_at=result.started_at,
        ended_at=result.ended_at,
        wall_s=result.wall_s,
        cpu_s=result.cpu_s,
        exit_code=result.exit_code,
        answer=reply.answer,
        usage=reply.usage,
        tool_calls=reply.tool_calls,
        stdout=result.stdout,
        stderr=result.stderr,
        stragglers=result.stragglers,
        sandbox=ready.sandbox.level,
        detail=detail,
    )


def changed(evidence: Evidence, folder: CellFolder) -> Evidence:
    """Return the evidence with the number of files of the tree that the attempt changed."""
    return dataclasses.replace(evidence, changed_files=len(folder.changed_files()))
