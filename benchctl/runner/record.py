"""The run record: the terms of a run, written down before its first cell."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from benchctl import __version__
from benchctl.schema.canonical import digest, sha256_hex
from benchctl.schema.run import CorpusRecord, RunRecord
from benchctl.workspace.machine import machine_facts

if TYPE_CHECKING:
    from benchctl.planning.plan import Plan
    from benchctl.schema.suite import Suite
    from benchctl.workspace.sandbox import Sandbox

__all__ = ["make_record"]


def make_record(
    run: str,
    *,
    suite: Suite,
    suite_text: str,
    plan: Plan,
    corpora: tuple[CorpusRecord, ...],
    sandbox: Sandbox,
    probes: Mapping[str, str],
    head: tuple[str | None, bool | None],
    gold_method: str,
    practice: bool,
) -> RunRecord:
    """Return the record of a run that starts now.

    `head` is the project's commit and whether files differ from it, `gold_method` the digest of how the
    gold is derived.
    """
    asked = {cell.question for cell in plan.cells}
    prompts = {question.id: digest(question.prompt) for question in suite.questions if question.id in asked}
    arms = {name: arm.model_dump(mode="json") for name, arm in suite.arms.items()}
    agents = {name: agent.model_dump(mode="json") for name, agent in suite.agents.items()}
    return RunRecord(
        run=run,
        suite=suite.name,
        suite_title=suite.title,
        suite_digest=f"sha256:{sha256_hex(suite_text.encode())}",
        canary=suite.canary,
        created_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        benchctl=__version__,
        seed=plan.seed,
        reps=plan.reps,
        attempts=plan.attempts,
        caps=plan.caps.model_dump(),
        sandbox=sandbox.level,
        probes=dict(probes),
        machine=machine_facts(),
        project_commit=head[0],
        project_dirty=head[1],
        arms=arms,
        agents=agents,
        corpora=corpora,
        gold=plan.gold,
        prompts=prompts,
        goals=tuple(goal.model_dump() for goal in suite.goals),
        refusals=plan.refusals,
        cells=plan.cells,
        plan_digest=plan.digest,
        comparability={
            "suite": suite.name,
            "prompts": digest(prompts),
            "gold": digest([[gold.question, gold.digest] for gold in plan.gold]),
            "gold_method": gold_method,
            "corpora": digest({corpus.repo: corpus.tree_digest for corpus in corpora}),
            "arms": digest(
                {name: suite.arms[name].prompt for name in sorted({cell.arm for cell in plan.cells})}
            ),
            "agents": digest({name: agents[name] for name in sorted({cell.agent for cell in plan.cells})}),
            "caps": digest(plan.caps.model_dump()),
            "attempts": str(plan.attempts),
            "sandbox": sandbox.level,
        },
        practice=practice,
    )
