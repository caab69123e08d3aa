"""A small project whose three runs differ in every figure, for whatever verifies pages against real stored rows."""

from __future__ import annotations

import random
from pathlib import Path

from small_run import evidence, grade, planned, record

from benchctl.schema.usage import Usage
from benchctl.store.project import Project
from benchctl.store.writing.writer import RunWriter

__all__ = ["ARMS", "QUESTIONS", "make_project_of_runs", "write_run"]

ARMS = ("grep", "index", "hybrid", "graphify")
QUESTIONS = ("q1", "q2", "q3", "q4")
SCORE = {"grep": 0.5, "index": 0.62, "hybrid": 0.8, "graphify": 0.7}


def write_run(project: Project, run: str, seed: int) -> None:
    """Write a run of 96 cells (four arms, four questions, two agents, three repetitions) whose values follow from `seed`."""
    cells = tuple(
        planned(question, arm, rep, order, agent=agent, repo="click" if question < "q3" else "jinja2")
        for order, (question, arm, agent, rep) in enumerate(
            (question, arm, agent, rep)
            for question in QUESTIONS
            for arm in ARMS
            for agent in ("claude", "codex")
            for rep in (1, 2, 3)
        )
    )
    random.seed(seed)
    with RunWriter.create(project.store, record(run, cells)) as writer:
        for cell in cells:
            ok = random.random() > 0.1
            tokens = 2 * random.randrange(500, 45_000)  # even, so that no median is a tie
            writer.claim(cell.cell, "2026-11-30T07:00:00.000000Z")
            writer.finish(
                evidence(
                    cell.cell,
                    outcome="ok" if ok else "timeout",
                    wall_s=round(2 + 40 * random.random(), 4),
                    usage=Usage(
                        input_tokens=tokens, output_tokens=2 * random.randrange(50, 500), source="agent"
                    ),
                    tool_calls=random.randrange(3),
                ),
                grade(
                    round(SCORE[cell.arm] + 0.2 * random.random(), 4) if ok else 0.0,
                    answered=ok,
                ),
            )
        writer.close()


def make_project_of_runs(root: Path) -> Project:
    """Return a project with the runs r7, r8 and r9, and a few named values and a table."""
    (root / "benchctl.toml").write_text(
        'title = "Claims"\n[values]\n"tok(a)" = "total_tokens.median[arm=$a]"\n'
        '"answered_share(a)" = {expr = "count[arm=$a, answered=true] / count[arm=$a]", unit = "fraction"}\n'
        '[tables.tokens]\ntitle = "Tokens"\nby = ["arm"]\n'
        'columns = [{title = "median tokens", value = "total_tokens.median", places = 0}]\n'
    )
    found = Project.find(root)
    for seed, run in enumerate(("r7", "r8", "r9")):
        write_run(found, run, seed)
    return found
