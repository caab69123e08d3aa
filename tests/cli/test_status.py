from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import jsonschema
import pytest
from small_run import plan, record, run_cell

from benchctl.cli import exit_code
from benchctl.runner.detached import Detached, Launcher
from benchctl.schema.usage import Usage
from benchctl.store import reader
from benchctl.store.journals.lock import Collector
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter
from benchctl.workspace.living import Living, this_process

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "site/reference/schemas/status.json").read_text())
DEAD = Living(2**22 + 1, 1, "another boot")
LAUNCHER = Launcher(4321, "bash", 4000, "/user.slice/session-1")


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "benchctl.toml").write_text('title = "T"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


BEGIN = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from small_run import plan, record, run_cell
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter
with RunWriter.create(Store(Path(sys.argv[1])), record("r1", plan(2), "x"), suite_text="x") as writer:
    run_cell(writer, writer.unfinished[0], 0.5)
"""


@pytest.fixture
def stopped(project):
    """An open run of two cells, one of them done, that nobody collects: whoever did is dead."""
    tests = Path(__file__).resolve().parents[1]
    subprocess.run([sys.executable, "-c", BEGIN, str(project / "data"), str(tests)], check=True)
    return project


def detached(project, run="r1", **more):
    folder = project / "data" / "detached"
    folder.mkdir(parents=True, exist_ok=True)
    known = {"keeper": DEAD, "collector": DEAD, "restarts": 8, **more}
    written = Detached(run, str(folder / f"{run}.log"), ("x",), "2026-11-30T07:00:00Z", LAUNCHER, **known)
    (folder / f"{run}.json").write_text(json.dumps(asdict(written)))


def status(capsys, *words, code=0):
    assert exit_code(["status", *words, "--format", "json"]) == code
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    return document["runs"]


def said(capsys, *words):
    exit_code(["status", *words])
    out, err = capsys.readouterr()
    return out + err


@pytest.mark.parametrize(
    ("known", "state", "words"),
    [
        (None, "stopped", "r1 is stopped"),
        ({"keeper": this_process()}, "resuming", "kept by process"),
        ({}, "stopped", "its keeper is dead: nobody goes on with it after a kill"),
        (
            {"keeper": this_process(), "ended_at": "2026-11-30T08:00:00Z", "code": 130, "why": "interrupted"},
            "stopped",
            "interrupted, 2026-11-30T08:00:00Z",
        ),
        ({"restarted": 3}, "stopped", "gone on with 3 of at most 8 times"),
    ],
)
def test_an_open_run_without_a_living_collector_never_runs(stopped, capsys, known, state, words):
    if known is not None:
        detached(stopped, **known)
    (found,) = status(capsys, "r1")
    assert (found["state"], found["pid"], found["now"], found["done"], found["left"]) == (
        state,
        None,
        None,
        1,
        1,
    )
    assert (found["detached"] is None) == (known is None)
    shown = said(capsys, "r1")
    assert words in shown
    assert ("is stopped" in shown) == (state == "stopped")
    if known is not None:
        assert "from bash in control group /user.slice/session-1 by process 4321" in shown


def test_a_collected_run_runs_whatever_its_keeper_does(project, capsys):
    detached(project)
    with RunWriter.create(Store(project / "data"), record("r1", plan(2), "x"), suite_text="x") as writer:
        writer.claim(writer.unfinished[0], "2026-11-30T07:00:00Z")
        (found,) = status(capsys, "r1")
    assert (found["state"], found["pid"]) == ("running", this_process().pid)
    assert found["detached"]["keeper"] is None


@pytest.mark.parametrize(("kept", "state"), [(True, "starting"), (False, "unbegun")])
def test_what_was_launched_and_has_not_begun_is_told_by_name(project, capsys, kept, state):
    detached(project, keeper=this_process() if kept else DEAD, why=None if kept else "the collector ended")
    (found,) = status(capsys, "r1")
    assert (found["state"], found["planned"], found["why"]) == (
        state,
        None,
        None if kept else "the collector ended",
    )
    assert [each["state"] for each in status(capsys)] == ([state] if kept else []), (
        "what came to nothing is no run"
    )
    assert "r1" in said(capsys, "r1")


def test_a_closed_run_is_done_and_one_that_never_was_is_unknown(stopped, capsys):
    detached(stopped, ended_at="2026-11-30T08:00:00Z", code=0, why="the collector ended")
    with RunWriter.resume(Store(stopped / "data"), "r1") as writer:
        run_cell(writer, writer.unfinished[0], 0.5)
        writer.close()
    (found,) = status(capsys)
    assert (found["state"], found["detached"]["code"]) == ("done", 0)
    assert exit_code(["status", "r9"]) == 2
    assert exit_code(["status", "../r1"]) == 2
    assert "run-unknown" in capsys.readouterr().err


def begun(project, run, **more):
    terms = record(run, plan(4), "x", **more)
    return RunWriter.create(Store(project / "data"), terms, suite_text="x")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("3 API errors in a row",), "3 API errors in a row"),
        ((), "ended without a word"),
        (
            ("3 API errors in a row", ""),
            "3 API errors in a row",
        ),  # whoever is done with its part says nothing
        (("3 API errors in a row", None), "ended without a word"),
        (("",), "done with its shard"),
    ],
)
def test_a_stopped_run_says_why(project, capsys, monkeypatch, words, why):
    monkeypatch.setattr(Collector, "alive", False)
    monkeypatch.setattr(reader, "read_collectors", lambda _: ())
    with begun(project, "r1") as writer:
        if words and words[0] is not None:
            writer.stop(words[0])
    for word in words[1:]:
        with RunWriter.resume(Store(project / "data"), "r1") as writer:
            if word is not None:
                writer.stop(word)
    (found,) = status(capsys, "r1")
    assert (found["state"], why in found["why"]) == ("stopped", True)
    assert f"r1 is stopped: {found['why']}; `benchctl run" in said(capsys, "r1")


def test_failed_and_void_cells_are_told_apart(project, capsys):
    with begun(project, "r1") as writer:
        for cell, outcome in zip(writer.unfinished, ("ok", "timeout", "contaminated"), strict=False):
            run_cell(writer, cell, outcome=outcome)
    (found,) = status(capsys, "r1")
    assert (found["done"], found["failed"], found["void"], found["left"]) == (3, 1, 1, 1)
    assert said(capsys, "r1").split()[:9] == [
        "run", "state", "planned", "done", "failed", "void", "left", "spent_usd", "now",
    ]  # fmt: skip


def test_what_was_spent_is_the_sum_that_limits_a_run(project, capsys):
    agents = {"rg": {"kind": "command", "argv": ["x"], "reply": {"cost_usd": "/c"}}}
    with begun(project, "r1", agents=agents, caps={"wall_s": 60.0, "cost_usd": 1.0}) as writer:
        one, other, *_ = writer.unfinished
        run_cell(writer, one, usage=Usage(cost_usd=0.1, cost_source="agent"))
        run_cell(writer, other, outcome="timeout", usage=Usage())
    (found,) = status(capsys, "r1")
    assert (found["spent_usd"], found["charged_usd"], found["unreported"]) == (1.1, 1.0, 1)
    shown = said(capsys, "r1")
    assert " 1.10 " in shown
    assert "r1: 1.00 USD of its cost is charged for 1 attempt that reported none" in shown
