"""A small project with one finished run, made with the store's own writer: no agent is started.

Scores follow from fixed rules, so that every figure can be worked out by hand. `hostile`
puts markup and control characters wherever an agent or an author can put text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from benchctl.schema.canonical import sha256_hex
from benchctl.schema.cell import Cell
from benchctl.schema.evidence import Evidence, Stream
from benchctl.schema.grade import Fact, Grade
from benchctl.schema.run import (
    CorpusRecord,
    GoldRecord,
    MachineRecord,
    PlannedCell,
    RefusalRecord,
    RunRecord,
)
from benchctl.store.project import Project
from benchctl.store.writing.writer import RunWriter

__all__ = ["HOSTILE", "RUN", "Recipe", "make_project"]

RUN = "demo-r1"
DIGEST = "sha256:" + "ab" * 32
HOSTILE = (
    "<script>window.attacked=1</script><img src=x onerror=window.attacked=1>"
    "[link](javascript:alert(1)) ![pixel](https://evil.example/p.png) | pipe | \u202ereversed\x1b[31m\n"
    "</pre></td></table><!-- benchctl:chart chart=score run=demo-r1 --> {{ 7 * 7 }} {% raw %} & \u200b end"
)
ARMS = ("grep", "index", "hybrid")
REPOS = ("click", "jinja2", "mkdocs")
QUALITY = {"grep": 0.5, "index": 0.75, "hybrid": 1.0}


@dataclass(frozen=True, slots=True)
class Recipe:
    """What the run looks like. `left_open` leaves it without a manifest; `void` and `failed` mark a cell each."""

    run: str = RUN
    questions: int = 4
    reps: int = 2
    hostile: bool = False
    left_open: bool = False
    void: bool = False
    failed: bool = False
    shift: float = 0.0


def suite_text(recipe: Recipe) -> str:
    """Return the suite's TOML."""
    prompt = HOSTILE if recipe.hostile else "List every function that calls `X`, as a JSON list."
    lines = [
        'schema = 1\nname = "callers-v1"\ntitle = "Who calls it?"',
        'canary = "benchctl-canary-00000000-0000-4000-8000-000000000000"',
        *(f'[repos.{repo}]\nkind = "package"\ndistribution = "{repo}"' for repo in REPOS),
        *(f'[arms.{arm}]\ntitle = "{arm}"' for arm in ARMS),
        '[agents.script]\nargv = ["true"]',
    ]
    for repo in REPOS:
        lines += [
            f'[[questions]]\nid = "{repo}-q{index + 1}"\nrepo = "{repo}"\nclass = "callers"\n'
            f"title = {json.dumps(f'Callers of {repo}.f{index + 1}')}\nprompt = {json.dumps(prompt)}\n"
            '[questions.gold]\nitems = ["a::one", "a::two", "b::three", "c::four"]'
            for index in range(recipe.questions)
        ]
    return "\n".join(lines) + "\n"


def _cells(recipe: Recipe) -> list[PlannedCell]:
    planned = []
    for repo in REPOS:
        for index in range(recipe.questions):
            for arm in ARMS:
                for rep in range(1, recipe.reps + 1):
                    cell = Cell(f"{repo}-q{index + 1}", arm, "script", "none", rep)
                    planned.append(
                        PlannedCell(
                            cell=cell.id,
                            key=DIGEST,
                            order=len(planned),
                            question=cell.question,
                            question_class="callers",
                            repo=repo,
                            arm=arm,
                            agent="script",
                            model="none",
                            rep=rep,
                        )
                    )
    return planned


def record(recipe: Recipe) -> RunRecord:
    """Return the run's record."""
    cells = _cells(recipe)
    bad = HOSTILE if recipe.hostile else ""
    return RunRecord(
        run=recipe.run,
        suite="callers-v1",
        suite_title="Who calls it?" + bad,
        suite_digest=f"sha256:{sha256_hex(suite_text(recipe).encode())}",
        canary="benchctl-canary-00000000-0000-4000-8000-000000000000",
        created_at="2026-11-30T07:00:00Z",
        benchctl="0.1.0",
        seed=7,
        reps=recipe.reps,
        attempts=1,
        caps={"wall_s": 60.0, "output_bytes": 65536},
        sandbox="bwrap",
        probes={"gold_by_path": "blocked", "network": "open"},
        machine=MachineRecord(system="Linux", release="6.1", architecture="x86_64", cpus=2, python="3.11.9"),
        project_commit="0" * 40,
        project_dirty=True,
        arms={arm: {"title": arm} for arm in ARMS},
        agents={"script": {}},
        corpora=tuple(
            CorpusRecord(
                repo=repo, kind="package", version="1.2.3" + bad, tree_digest=DIGEST, files=10, bytes=1000
            )
            for repo in REPOS
        ),
        gold=tuple(
            GoldRecord(question=question, digest=DIGEST, items=4, methods=("one", "two"))
            for question in dict.fromkeys(cell.question for cell in cells)
        ),
        prompts={},
        goals=(),
        refusals=(
            RefusalRecord(
                arm="graphify",
                reason="its command `graphify` is not on the PATH" + bad,
                next_step="pip install graphify" + bad,
                required=False,
            ),
            RefusalRecord(question="click-q9", reason="the two methods disagree"),
        ),
        cells=tuple(cells),
        plan_digest=DIGEST,
        comparability={},
    )


def score_of(cell: PlannedCell, recipe: Recipe) -> float:
    """Return a cell's score: the arm's quality, a quarter less for every second question of a repository."""
    even = int(cell.question.rsplit("q", 1)[1]) % 2 == 0
    return max(0.0, QUALITY[cell.arm] - (0.25 if even else 0.0) - recipe.shift)


def _evidence(cell: PlannedCell, recipe: Recipe, number: int) -> Evidence:
    outcome = "ok"
    if recipe.failed and number == 0:
        outcome = "timeout"
    if recipe.void and number == 1:
        outcome = "host_stalled"
    answer = HOSTILE if recipe.hostile else '["a::one", "z::wrong"]'
    text = (HOSTILE + "\n") * 3 if recipe.hostile else "searching\nfound 2\n" + answer
    return Evidence(
        cell=cell.cell,
        attempt=1,
        outcome=outcome,
        started_at="2026-11-30T07:00:01Z",
        ended_at="2026-11-30T07:00:02Z",
        wall_s=0.5 + 0.25 * ARMS.index(cell.arm),
        cpu_s=0.25,
        exit_code=0 if outcome == "ok" else None,
        answer=answer if outcome == "ok" else None,
        stdout=Stream(text=text, total_bytes=len(text.encode()), dropped_bytes=0),
        stderr=Stream(text="", total_bytes=0),
        sandbox="bwrap",
        detail=HOSTILE if recipe.hostile else "",
    )


def _grade(cell: PlannedCell, recipe: Recipe, outcome: str) -> Grade:
    bad = HOSTILE if recipe.hostile else ""
    score = score_of(cell, recipe)
    answered = outcome == "ok"
    return Grade(
        score=score if answered else 0.0,
        grader="gold",
        answered=answered,
        precision=score if answered else None,
        recall=score if answered else 0.0,
        answer_items=2 if answered else 0,
        gold_items=4,
        hit_items=1 if answered else 0,
        facts=(
            Fact("a::one" + bad, "hit"),
            Fact("a::two", "missed"),
            Fact("z::wrong" + bad, "extra", "never in the tree" + bad),
        ),
        note="1 of 4 items" + bad,
    )


def make_project(root: Path, *recipes: Recipe) -> Project:
    """Return a project in `root` with one run a recipe."""
    if not (root / "benchctl.toml").exists():
        (root / "benchctl.toml").write_text('title = "Demo"\n')
    project = Project.find(root)
    for recipe in recipes or (Recipe(),):
        run = record(recipe)
        with RunWriter.create(project.store, run, suite_text=suite_text(recipe)) as writer:
            for question in dict.fromkeys(cell.question for cell in run.cells):
                writer.gold(question, ("a::one", "a::two", "b::three", "c::four"))
            for number, cell in enumerate(run.cells):
                if recipe.left_open and number >= len(run.cells) // 2:
                    break
                evidence = _evidence(cell, recipe, number)
                writer.claim(cell.cell, evidence.started_at)
                writer.finish(evidence, _grade(cell, recipe, evidence.outcome))
            if not recipe.left_open:
                writer.close()
    return project
