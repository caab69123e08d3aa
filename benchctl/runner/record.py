"""The run record: the terms of a run, written down before its first cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchctl import __version__
from benchctl.runner.given import Tried
from benchctl.schema.canonical import digest, sha256_hex
from benchctl.schema.run import CorpusRecord, RunRecord
from benchctl.workspace.clock import utc_now
from benchctl.workspace.machine import machine_facts

if TYPE_CHECKING:
    from benchctl.planning.plan import Plan
    from benchctl.schema.suite import AgentSpec, Arm, Suite
    from benchctl.workspace.sandbox import Sandbox

__all__ = ["Terms", "make_record"]


@dataclass(frozen=True, slots=True)
class Terms:
    """What a run is collected under.

    `head` is the project's commit and whether files differ from it (None where there is no repository),
    `gold_method` the digest of how the gold is derived, `agent_files` by agent the digest of the files it ships,
    `tried` what preflight found of programs, servers and indexes, `baseline_reps` how many empty runs there are to
    be of each way of answering, `allow_refused` whether the caller takes refused combinations for granted.
    """

    suite: Suite
    suite_text: str
    plan: Plan
    corpora: tuple[CorpusRecord, ...]
    sandbox: Sandbox
    head: tuple[str | None, bool | None]
    gold_method: str
    agent_files: Mapping[str, str]
    practice: bool
    tried: Tried = field(default_factory=Tried)
    baseline_reps: int | None = None
    allow_refused: bool = False


def make_record(run: str, terms: Terms) -> RunRecord:
    """Return the record of a run that starts now."""
    suite, plan = terms.suite, terms.plan
    asked = {cell.question for cell in plan.cells}
    prompts = {question.id: digest(question.prompt) for question in suite.questions if question.id in asked}
    return RunRecord(
        run=run,
        suite=suite.name,
        suite_title=suite.title,
        suite_digest=f"sha256:{sha256_hex(terms.suite_text.encode())}",
        canary=suite.canary,
        created_at=utc_now("seconds"),
        benchctl=__version__,
        seed=plan.seed,
        reps=plan.reps,
        attempts=plan.attempts,
        caps=plan.caps.told(),
        sandbox=terms.sandbox.level,
        probes=dict(terms.sandbox.probes),
        machine=machine_facts(),
        project_commit=terms.head[0],
        project_dirty=terms.head[1],
        arms={name: arm.model_dump(mode="json") for name, arm in suite.arms.items()},
        agents={name: agent.model_dump(mode="json") for name, agent in suite.agents.items()},
        corpora=terms.corpora,
        gold=plan.gold,
        prompts=prompts,
        goals=tuple(goal.model_dump() for goal in suite.goals),
        refusals=plan.refusals,
        cells=plan.cells,
        plan_digest=plan.digest,
        comparability=_comparability(terms, prompts),
        practice=terms.practice,
        schema_version=3,
        programs=terms.tried.programs,
        servers=tuple(terms.tried.servers),
        indexes=tuple(terms.tried.indexes),
        continuations=plan.continuations,
        stop_after=suite.run.stop_after,
        spend_usd=suite.run.spend_usd,
        baseline_reps=terms.baseline_reps,
        allow_refused=terms.allow_refused,
        leak_terms=_leak_terms(suite),
    )


def _leak_terms(suite: Suite) -> str | None:
    named = {question.id: question.leak_terms for question in suite.questions if question.leak_terms}
    return digest(named) if named else None


def _comparability(terms: Terms, prompts: dict[str, str]) -> dict[str, str]:
    """Return what two runs must have in common before their numbers may be compared, each as a digest or a word."""
    suite, plan = terms.suite, terms.plan
    arms, agents = (sorted({getattr(cell, axis) for cell in plan.cells}) for axis in ("arm", "agent"))
    return {
        "suite": suite.name,
        "prompts": digest(prompts),
        "gold": digest([[gold.question, gold.digest] for gold in plan.gold]),
        "gold_method": terms.gold_method,
        "corpora": digest({corpus.repo: corpus.tree_digest for corpus in terms.corpora}),
        "arms": digest({name: _told(suite.arms[name]) for name in arms}),
        # An agent is its command line and its files: another program under the same name is another agent.
        "agents": digest(
            {name: [_spelt(suite.agents[name]), terms.agent_files.get(name, "")] for name in agents}
        ),
        "caps": digest(plan.caps.told()),
        "attempts": str(plan.attempts),
        "sandbox": terms.sandbox.level,
        **_later(terms),
    }


def _later(terms: Terms) -> dict[str, str]:
    """Return what only some runs have to have in common; a run without it has the digests that it always had.

    `servers` are the descriptions of the granted tools, which an agent is told; `index_files` the indexes that are
    given, `steps` what the suite does in a cell outside of its clock.
    """
    suite, plan = terms.suite, terms.plan
    arms = {cell.arm for cell in plan.cells}
    repos = {cell.repo for cell in plan.cells}
    servers = sorted(
        [each.arm, each.server, list(each.repos), each.digest]
        for each in terms.tried.servers
        if each.arm in arms
    )
    indexes = sorted(
        [each.arm, each.index, each.digest]
        for each in terms.tried.indexes
        if each.arm in arms and not each.built
    )
    steps = {
        name: suite.repos[name].model_dump(mode="json", include={"prepare", "check"}, exclude_none=True)
        for name in sorted(repos)
        if suite.repos[name].prepare or suite.repos[name].check
    }
    found = {"servers": servers, "index_files": indexes, "steps": steps}
    later = {name: digest(value) for name, value in found.items() if value}
    return later | ({"continuations": str(plan.continuations)} if plan.continuations else {})


def _spelt(agent: AgentSpec) -> dict[str, object]:
    """Return an agent's entry; what it does not use of later versions changes no digest of an earlier one."""
    first = {"kind", "title", "argv", "files", "models", "arms", "env", "optional"}
    return agent.model_dump(mode="json", include=first) | agent.further()


def _told(arm: Arm) -> object:
    """Return what an arm tells its agent: its prompt alone, as ever, where there is nothing else."""
    told = arm.told()
    return {"prompt": arm.prompt, **told} if told else arm.prompt
