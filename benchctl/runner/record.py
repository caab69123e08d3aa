"""The run record: the terms of a run, written down before its first cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchctl import __version__
from benchctl.schema.canonical import digest, sha256_hex
from benchctl.schema.run import CorpusRecord, RunRecord
from benchctl.workspace.clock import utc_now
from benchctl.workspace.machine import machine_facts

if TYPE_CHECKING:
    from benchctl.planning.plan import Plan
    from benchctl.schema.suite import Suite
    from benchctl.workspace.sandbox import Sandbox

__all__ = ["Terms", "make_record"]


@dataclass(frozen=True, slots=True)
class Terms:
    """What a run is collected under.

    `head` is the project's commit and whether files differ from it (None where there is no repository),
    `gold_method` the digest of how the gold is derived, `agent_files` by agent the digest of the files it ships.
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
        caps=plan.caps.model_dump(),
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
    )


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
        "arms": digest({name: suite.arms[name].prompt for name in arms}),
        # An agent is its command line and its files: another program under the same name is another agent.
        "agents": digest(
            {
                name: [suite.agents[name].model_dump(mode="json"), terms.agent_files.get(name, "")]
                for name in agents
            }
        ),
        "caps": digest(plan.caps.model_dump()),
        "attempts": str(plan.attempts),
        "sandbox": terms.sandbox.level,
    }
