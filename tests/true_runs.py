"""A project with three runs of four arms, every figure of them different: what pages are accepted against."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from small_run import evidence, grade, planned, record

from benchctl.schema.evidence import Stream
from benchctl.schema.usage import Usage
from benchctl.store.project import Project
from benchctl.store.writing.writer import RunWriter

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["AGENTS", "ARMS", "QUESTIONS", "RUNS", "make_runs"]

ARMS = ("grep", "index", "hybrid", "graphify")
QUESTIONS = ("q1", "q2", "q3", "q4", "q5", "q6")
AGENTS = ("claude", "codex")
RUNS = ("coding-r7", "coding-r8", "coding-r9")
_CONFIG = """\
title = "Graphs"
[values]
"tok(a)" = "total_tokens.median[arm=$a]"
"wall(a)" = "wall_s.median[arm=$a]"
"answered(a)" = { expr = "count[arm=$a, answered=true] / count[arm=$a]", unit = "fraction" }
"x(a, b)" = "ratio(total_tokens.median[arm=$a], total_tokens.median[arm=$b])"
"cells(a)" = "count[arm=$a]"
"ok(a)" = "count[arm=$a, answered=true]"
"no(a)" = "count[arm=$a, answered=false]"
"used(a)" = "count[arm=$a, tool_calls>0]"
"score_of(a)" = "score.mean[arm=$a]"
loss = "delta(score.macro, arm=grep, arm=hybrid)"
"slower(a, b)" = "speedup(wall_s.median[arm=$a], wall_s.median[arm=$b])"
"both(a)" = "total_tokens.median[arm=$a]@coding-r8+coding-r9"
cheaper = { expr = "reduction_pct(cost_usd.mean[arm=graphify], cost_usd.mean[arm=grep])", unit = "%" }
[tables.tokens]
title = "Tokens"
by = ["arm"]
columns = [
  { title = "median tokens", value = "total_tokens.median", places = 0 },
  { title = "median wall (s)", value = "wall_s.median", places = 2 },
]
"""
_QUALITY = {"grep": 0.42, "index": 0.55, "hybrid": 0.71, "graphify": 0.63}


def make_runs(root: Path) -> Project:
    """Return a project with the runs of RUNS: 144 cells each, three repetitions, a tenth of them without an answer."""
    (root / "benchctl.toml").write_text(_CONFIG)
    project = Project.find(root)
    for seed, run in enumerate(RUNS):
        _write(project, run, random.Random(seed))
    return project


def _write(project: Project, run: str, dice: random.Random) -> None:
    cells = tuple(
        planned(question, arm, rep, order, agent=agent, repo="click" if question < "q4" else "jinja2")
        for order, (question, arm, agent, rep) in enumerate(
            (question, arm, agent, rep)
            for question in QUESTIONS
            for arm in ARMS
            for agent in AGENTS
            for rep in (1, 2, 3)
        )
    )
    with RunWriter.create(project.store, record(run, cells)) as writer:
        for cell in cells:
            ok = dice.random() > 0.1
            slow = 1 + ARMS.index(cell.arm) / 2
            writer.claim(cell.cell, "2026-11-30T07:00:00.000000Z")
            writer.finish(
                evidence(
                    cell.cell,
                    outcome="ok" if ok else "timeout",
                    wall_s=round(slow * (4 + 30 * dice.random()), 4),
                    cpu_s=round(0.01 + 0.3 * dice.random(), 6),
                    usage=Usage(
                        input_tokens=2 * dice.randrange(3_000, 40_000),
                        output_tokens=2 * dice.randrange(50, 900),
                        cost_usd=round(0.05 + slow * dice.random(), 6),
                        source="agent",
                    ),
                    stdout=Stream("out\n", dice.randrange(2_000_000, 40_000_000), 0, "a" * 64),
                    tool_calls=dice.randrange(4),
                ),
                grade(round(_QUALITY[cell.arm] + 0.25 * dice.random(), 4) if ok else 0.0, answered=ok),
            )
        writer.close()
