"""A project with one closed run that can be corrected: real questions, real answers, graded as `run` grades."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from small_run import AT, evidence, planned, record

from benchctl.planning.questions import written_gold
from benchctl.runner.grade import grade_answer
from benchctl.schema.canonical import digest
from benchctl.schema.run import GoldRecord
from benchctl.schema.suite import parse_suite
from benchctl.schema.usage import Usage
from benchctl.store.project import Project
from benchctl.store.writing.writer import RunWriter

RUN = "r1"
TREE = "/tmp/benchctl-abcd_123/cell-wxyz_789/tree"
SUITE = """schema = 1
name = "callers-v1"
title = "Callers"
canary = "benchctl-canary-00000000-0000-0000-0000-000000000000"

[repos.click]
kind = "directory"
source = "corpus"

[arms.grep]
title = "grep"

[agents.rg]
argv = ["true"]

[[questions]]
id = "callers"
repo = "click"
class = "callers"
prompt = "Who calls b? A JSON list, please."
gold = { items = ["a.py::one", "a.py::two"] }

[[questions]]
id = "where"
repo = "click"
class = "lookup"
prompt = "In which file does b stand?"
grader = "path"
expected = ["src/b.py"]

[[questions]]
id = "words"
repo = "click"
class = "lookup"
prompt = "What are the two words?"
grader = "contains"
expected = ["alpha", "beta"]
"""
ANSWERS: dict[str, tuple[str, str | None, str]] = {
    "callers/grep/rg/none/1": ("callers", f'["{TREE}/a.py::one", "a.py::two"]', "ok"),
    "callers/grep/rg/none/2": ("callers", '["a.py::one", "a.py::zzz"]', "ok"),
    "callers/grep/rg/none/3": ("callers", '["a.py::one", "a.py::two"]', "timeout"),
    "where/grep/rg/none/1": ("where", f"It is {TREE}/src/b.py.", "ok"),
    "where/grep/rg/none/2": ("where", None, "host_stalled"),
    "words/grep/rg/none/1": ("words", "alpha and gamma", "ok"),
}
"""Cell -> question, answer, outcome."""

SCORES = [1.0, 0.5, 0.0, 1.0, 0.0, 0.5]


def make(root: Path, *, suite: str = SUITE, kept: bool = True, close: bool = True, **more: Any) -> Project:
    """Return a project in `root` with its run; `kept` is whether the run keeps its suite."""
    (root / "benchctl.toml").write_text("")
    project = Project.find(root)
    folder = project.suites_dir / "callers-v1"
    (folder / "corpus").mkdir(parents=True)
    (folder / "suite.toml").write_text(suite)
    parsed = parse_suite(suite, "suite.toml")
    questions = {question.id: question for question in parsed.questions}
    keys = {name: outcome.items for name, outcome in written_gold(parsed).items()}
    cells = tuple(
        planned(question, "grep", int(cell[-1]), order)
        for order, (cell, (question, _, _)) in enumerate(ANSWERS.items())
    )
    terms = {
        "prompts": {name: digest(question.prompt) for name, question in questions.items()},
        "gold": tuple(
            GoldRecord(question=name, digest=digest(list(items)), items=len(items))
            for name, items in keys.items()
        ),
        **more,
    }
    kept_text = suite if kept else None
    run = record(RUN, cells, suite if kept else "", **terms)
    with RunWriter.create(project.store, run, suite_text=kept_text) as writer:
        for name, items in keys.items():
            writer.gold(name, items)
        for number, (cell, (question, answer, outcome)) in enumerate(ANSWERS.items()):
            usage = Usage() if number % 2 else Usage(10, 5, None, 0.5, "agent", "agent")
            if number == 4:  # who reports dollars and no tokens
                usage = Usage(cost_usd=2.0, cost_source="agent")
            writer.claim(cell, AT)
            writer.finish(
                evidence(cell, outcome=outcome, answer=answer, usage=usage),
                grade_answer(questions[question], keys[question], answer, (TREE,)),
            )
        if close:
            writer.close()
    return project
