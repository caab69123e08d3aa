"""What the cells were given is said with every figure of theirs."""

from __future__ import annotations

from synthetic_run import DIGEST, Recipe, record

from benchctl.report.comparability import terms
from benchctl.report.equipment import equipment
from benchctl.schema.run import IndexRecord, ProgramRecord, ServerRecord, ToolRecord


def test_a_run_that_gives_nothing_says_nothing_of_it():
    assert list(equipment(record(Recipe()).model_copy(update={"arms": {}}))) == []


def test_everything_that_was_given_is_said():
    run = record(Recipe())
    name = run.cells[0].arm
    tool = ToolRecord(name="callers", description="Who calls a function", schema_digest="sha256:" + "1" * 64)
    digest = "sha256:" + "2" * 64
    given = run.model_copy(
        update={
            "arms": {
                name: {
                    "prompt": "Use it. {prompt}",
                    "effort": "high",
                    "instructions": "Be brief.",
                    "git": True,
                }
            },
            "programs": (
                ProgramRecord(name="rg", version="ripgrep 14"),
                ProgramRecord(name="x", version="1.2"),
            ),
            "servers": (
                ServerRecord(
                    arm=name,
                    server="graph",
                    repos=("click",),
                    protocol="2025-06-18",
                    name="graphd",
                    version="2",
                    tools=(tool,),
                    withheld=("write",),
                    digest=digest,
                ),
            ),
            "indexes": (
                IndexRecord(
                    arm=name, index="i", repo="click", built=True, digest=digest, files=1, bytes=9, covers=10
                ),
                IndexRecord(arm=name, index="j", repo="click", built=False, digest=digest, files=1, bytes=9),
            ),
            "continuations": 2,
            "spend_usd": 5.0,
        }
    )
    found = {term.name: term for term in terms(given, (), DIGEST)}
    assert found["Programs"].lines == ("rg: ripgrep 14", "x: 1.2")
    assert found["Told"].lines == (
        f"{name}: the wording Use it. {{prompt}}",
        f"{name}: effort high",
        f"{name}: the instructions Be brief.",
        f"{name}: a repository of one commit, without a history",
    )
    assert found["Tools"].lines == (f"{name}: graph (graphd 2) offers callers; withheld write, 222222222222",)
    assert found["Tools"].details == ("graph.callers: Who calls a function",)
    assert found["Indexes"].lines == (
        f"{name}: i of click, built over the tree, covers 10 files, 222222222222",
        f"{name}: j of click, given with the suite, 222222222222",
    )
    assert "2 continuations a session, on one budget" in found["Attempts"].lines[0]
    assert "the run stops at 5" in found["Attempts"].lines[0]
