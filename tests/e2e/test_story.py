"""The whole line on real processes: plan, run, read back, and all that must hold when it is cut short."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

COUNTS = (
    "select count(*) as cells, count(distinct cell) as distinct_cells, sum(attempts) as attempts from cells"
)


def test_a_run_ends_with_a_scored_table_and_its_page(bench):
    done = bench("run", "tiny", "--run-id", "first")
    assert "By arm. Run first, data " in done.stdout
    assert "plain" in done.stdout
    page = next(line.split()[1] for line in done.stderr.splitlines() if line.startswith("page"))
    assert Path(page).is_file()
    assert Path(page) == bench.root / "build" / "runs" / "first" / "index.html"
    assert f"data  {bench.root / 'data' / 'runs' / 'first'}" in done.stderr
    rows = bench.query(
        "select question, rep, outcome, score, changed_files from cells order by question, rep"
    )
    assert [(row["question"], row["rep"]) for row in rows] == [
        ("q-other", 1), ("q-other", 2), ("q-target", 1), ("q-target", 2),
    ]  # fmt: skip
    assert {(row["outcome"], row["score"], row["changed_files"]) for row in rows} == {("ok", 1.0, 0)}


def test_the_same_run_again_does_nothing_and_says_so(bench):
    bench("run", "tiny", "--run-id", "first")
    before = {path: path.read_bytes() for path in (bench.root / "data").rglob("*") if path.is_file()}
    again = bench("run", "tiny", "--run-id", "first")
    assert "nothing to do: run first is complete" in again.stderr
    assert "By arm" in again.stdout
    assert {path: path.read_bytes() for path in (bench.root / "data").rglob("*") if path.is_file()} == before


def test_another_plan_under_the_same_id_is_refused(bench):
    bench("run", "tiny", "--run-id", "first")
    refused = bench("run", "tiny", "--run-id", "first", "--reps", "3", code=3)
    assert "[plan-differs]" in refused.stderr
    assert refused.stdout == ""


def test_everything_reads_a_finished_run(bench):
    bench("run", "tiny", "--run-id", "first")
    (line,) = json.loads(bench("runs", "--format", "json").stdout)["runs"]
    assert (line["run"], line["state"], line["cells"]) == ("first", "closed", 4)
    (status,) = json.loads(bench("status", "--format", "json").stdout)["runs"]
    assert (status["state"], status["done"], status["left"], status["failed"]) == ("done", 4, 0, 0)
    shown = json.loads(bench("show", "first", "q-target/plain/script/none/1", "--format", "json").stdout)
    assert json.loads(shown["cell"]["answer"]) == ["a.py::one", "b.py::two", "b.py::three"]
    assert [fact["state"] for fact in shown["grades"][0]["facts"]] == ["hit"] * 3
    assert "q-target/plain/script/none/1" in bench("show", "first").stdout
    assert "b.py::three" in bench("show", "first", "q-target/plain/script/none/1").stdout
    for form in ("text", "md", "html", "csv", "json"):
        assert "plain" in bench("report", "first", "--format", form).stdout
    assert bench("verify-store").stdout == "first: sound\n"
    bench("site", "render", "--out", "pages")
    assert (bench.root / "pages" / "runs" / "first" / "index.html").is_file()


def test_a_flipped_bit_is_found(bench):
    bench("run", "tiny", "--run-id", "first")
    path = bench.root / "data" / "runs" / "first" / "rows" / "cells.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    done = bench("verify-store", code=1)
    assert "rows/cells.parquet" in done.stdout
    assert "[store-damaged]" in done.stderr


def test_plan_starts_nothing_and_writes_nothing(bench):
    before = sorted(bench.root.rglob("*"))
    plan = json.loads(bench("plan", "tiny", "--format", "json").stdout)
    assert [cell["order"] for cell in plan["cells"]] == [0, 1, 2, 3]
    assert plan["cells"][0]["env"] == ["BENCHCTL_CELL", "HOME", "LANG", "PATH", "PWD", "TMPDIR"]
    assert plan["cells"][0]["files"] == ["prompt.txt"]
    assert plan["refusals"] == []
    assert plan["worst_case"] == {
        "cells": 4, "attempts": 4, "wall_s": 80.0, "steps_s": 0, "empty_runs": 0, "paid": 0, "cost_usd": 0.0, "tokens": 0,
    }  # fmt: skip
    assert "<agent>/answer.py" in bench("plan", "tiny").stdout
    assert sorted(bench.root.rglob("*")) == before


ECHO = """
import json, os, sys
print(json.dumps([json.dumps({"argv": sys.orig_argv, "env": sorted(os.environ), "cwd": os.getcwd(), "home": os.environ["HOME"]})]))
"""


def test_what_plan_composes_is_what_run_starts(bench):
    bench.write(agent="echo.py", source=ECHO)
    plan = json.loads(bench("plan", "--format", "json").stdout)
    bench("run", "--run-id", "echo")
    rows = {row["cell"]: row["answer"] for row in bench.query("select cell, answer from cells")}
    assert sorted(rows) == sorted(cell["cell"] for cell in plan["cells"])
    for cell in plan["cells"]:
        said = json.loads(json.loads(rows[cell["cell"]])[0])
        tree, agent = said["argv"][4], said["argv"][3].removesuffix("/echo.py")
        scratch = said["argv"][5].removesuffix("/prompt.txt")
        symbols = {tree: "<tree>", scratch: "<scratch>", agent: "<agent>"}
        argv = list(said["argv"])
        for real, symbol in symbols.items():
            argv = [word.replace(real, symbol) for word in argv]
        assert argv == cell["argv"]
        assert said["cwd"] == tree
        assert not Path(tree).is_relative_to(bench.root), "a cell lies outside the repository"
        assert Path(said["home"]).parent == Path(tree).parent, "and so does its home"
        assert set(said["env"]) - {"LC_CTYPE"} == set(cell["env"])  # that one is Python's own addition
    order = bench.query('select cell from cells order by "order"')
    assert [row["cell"] for row in order] == [cell["cell"] for cell in plan["cells"]]


def test_a_run_killed_in_the_middle_is_resumed_cell_by_cell(bench):
    bench.write_slow(reps=10)
    first = bench.start("run", "--run-id", "cut", "--no-sandbox")

    def ends():
        return sum(event["event"] == "end" for event in bench.events("cut"))

    def starts():
        return sum(event["event"] == "start" for event in bench.events("cut"))

    bench.wait_for(lambda: ends() >= 2 and starts() > ends(), first)
    status = bench.status("cut")
    assert (status["state"], status["pid"]) == ("running", first.pid)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    kept = {
        event["ended"]["cell"]: event["ended"]["started_at"]
        for event in bench.events("cut")
        if event["event"] == "end"
    }
    cut = starts() - ends()
    status = bench.status("cut")
    assert (status["state"], status["done"], status["left"]) == ("stopped", len(kept), 20 - len(kept))
    if json.loads(bench("doctor", "--format", "json").stdout)["sandbox"]["level"] != "none":
        assert "[plan-differs]" in bench("run", "--run-id", "cut", code=3).stderr, "one run, one containment"
    bench("run", "--resume", "--no-sandbox")
    assert bench.query(COUNTS) == [{"cells": 20, "distinct_cells": 20, "attempts": 20 + cut}]
    attempts = bench.query("select cell, attempt, outcome, started_at from attempts")
    assert sum(row["outcome"] == "interrupted" for row in attempts) == cut
    for row in attempts:
        if row["cell"] in kept:
            assert (row["outcome"], row["started_at"]) == ("ok", kept[row["cell"]]), (
                "a finished cell is never run again"
            )
    assert bench.query("select distinct outcome from cells") == [{"outcome": "ok"}]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_says_how_to_go_on(bench, number):
    bench.write_slow(reps=10)
    first = bench.start("run", "--run-id", "cut", "--no-sandbox")
    bench.wait_for(lambda: sum(event["event"] == "start" for event in bench.events("cut")) >= 3, first)
    first.send_signal(number)
    _, errors = first.communicate(timeout=60)
    assert first.returncode == 130
    assert "next: benchctl run --no-sandbox --run-id cut" in errors
    ended = [event["ended"]["outcome"] for event in bench.events("cut") if event["event"] == "end"]
    # The signal may fall between two cells; inside one, that one is recorded as interrupted.
    assert set(ended[:-1]) <= {"ok"}
    assert ended[-1] in ("ok", "interrupted")
    bench("run", "--no-sandbox", "--run-id", "cut")
    assert bench.query(
        "select count(*) as cells, count(distinct cell) as distinct_cells from cells where outcome = 'ok'"
    ) == [{"cells": 20, "distinct_cells": 20}]
    interrupted = bench.query("select count(*) as n from attempts where outcome = 'interrupted'")
    assert interrupted == [{"n": ended.count("interrupted")}]


HANG = """
import subprocess, sys, time
subprocess.Popen(["/bin/sleep", "86399"], start_new_session=True)
print("started", flush=True)
time.sleep(600)
"""


def sleepers():
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"86399" in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


@pytest.mark.parametrize("options", [(), ("--no-sandbox",)])
def test_a_cell_at_its_cap_is_ended_with_all_it_started(bench, options):
    bench.write(agent="hang.py", source=HANG, reps=1, wall_s=1.5)
    done = bench("run", "--run-id", "late", "--only", "q-other", *options, code=1)
    assert "of 1 cell 1 failed (1 timeout)" in done.stderr
    assert "[cells-failed]" in done.stderr
    (row,) = bench.query("select outcome, failed, void, score, stdout_bytes from cells")
    assert (row["outcome"], row["failed"], row["void"], row["score"]) == ("timeout", True, False, 0.0)
    assert row["stdout_bytes"] == len("started\n"), "what was written before the end is kept"
    assert sleepers() == []


@pytest.mark.skipif(os.name != "posix", reason="posix only")
def test_optional_refusals_are_printed_and_cost_nothing(bench):
    bench.write(
        arms='[arms.graph]\ntitle = "Graph"\nrequires = ["no-such-tool"]\ninstall = "pip install no-such"\noptional = true\n'
    )
    done = bench("run", "--run-id", "r")
    assert "arm graph (optional): no-such-tool not found on the PATH" in done.stderr
    assert "next: pip install no-such" in done.stderr
    record = json.loads((bench.root / "data" / "runs" / "r" / "run.json").read_text())
    assert [(refusal["arm"], refusal["required"]) for refusal in record["refusals"]] == [("graph", False)]


def test_a_required_refusal_ends_with_3_after_the_rest_ran(bench):
    bench.write(
        arms='[arms.graph]\ntitle = "Graph"\nrequires = ["no-such-tool"]\ninstall = "pip install no-such"\n'
    )
    done = bench("run", "--run-id", "r", code=3)
    assert "[combination-refused]" in done.stderr
    assert "By arm" in done.stdout
    assert bench.query(COUNTS) == [{"cells": 4, "distinct_cells": 4, "attempts": 4}]
    assert "nothing to do" in bench("run", "--run-id", "r", "--allow-refused").stderr
    assert bench("run", "--preflight-only", "--run-id", "p", code=3).stdout == ""
    assert not (bench.root / "data" / "runs" / "p").exists()


def test_preflight_only_spends_nothing(bench):
    done = bench("run", "--preflight-only", "--run-id", "p")
    assert "4 cells can run" in done.stderr
    assert not (bench.root / "data" / "runs").exists()


PRACTICE = """
[repos.drill]
kind = "directory"
source = "corpus"
practice = true

[[questions]]
id = "drill-one"
repo = "drill"
class = "callers"
prompt = "For practice: which functions of this drill tree call the function named target?"
gold = { items = ["a.py::one", "b.py::two", "b.py::three"] }
"""


def test_practice_questions_run_alone_and_are_marked(bench):
    with (bench.suite_dir / "suite.toml").open("a") as suite:
        suite.write(PRACTICE)
    assert "drill" not in bench("plan").stdout
    bench("run", "--run-id", "real")
    bench("run", "--run-id", "drill", "--practice")
    assert bench.query("select distinct run, repo from cells order by run") == [
        {"run": "drill", "repo": "drill"},
        {"run": "real", "repo": "corpus"},
    ]
    marks = {
        line["run"]: line["practice"] for line in json.loads(bench("runs", "--format", "json").stdout)["runs"]
    }
    assert marks == {"drill": True, "real": False}


def test_nothing_left_to_run_is_a_refusal(bench):
    bench.write(
        arms='[arms.graph]\ntitle = "Graph"\nrequires = ["no-such-tool"]\ninstall = "pip install no-such"\n'
    )
    assert "[nothing-to-run]" in bench("run", "--arms", "graph", code=3).stderr


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        (("run", "nope"), "suite-unknown"),
        (("run", "--arms", "plian"), "option-invalid"),
        (("run", "--run-id", "../x"), "run-id-invalid"),
        (("run", "--run-id", ""), "run-id-invalid"),
        (("run", "--caps", "wall_s=inf"), "option-invalid"),
        (("run", "--practice"), "option-invalid"),
        (("plan", b"\xff"), "option-invalid"),
        (("run", "--caps", "wall=3"), "option-invalid"),
        (("run", "--caps", "wall_s=0"), "option-invalid"),
        (("run", "--resume"), "option-invalid"),
        (("show", "nope"), "run-unknown"),
        (("report",), "option-invalid"),
        (("query", "drop table cells"), "query-refused"),
        (("frobnicate",), "option-invalid"),
        (("run", "--reps", "0"), "option-invalid"),
    ],
)
def test_unusable_input_is_exit_2_with_its_slug_and_no_data(bench, words, slug):
    done = bench(*words, code=2)
    assert f"[{slug}]" in done.stderr
    assert done.stdout == ""


def test_a_folder_without_a_project_is_said(tmp_path, bench):
    empty = tmp_path.parent / f"{tmp_path.name}-empty"
    empty.mkdir()
    assert "[project-not-found]" in bench("runs", "--project", str(empty), code=2).stderr


def test_a_leaked_prompt_stops_the_run_before_it_starts(bench):
    text = (bench.suite_dir / "suite.toml").read_text()
    (bench.suite_dir / "corpus" / "notes.md").write_text(f"# Old notes\n\n{text}\n")
    done = bench("run", "--run-id", "r", code=3)
    assert "corpus: notes.md holds the canary" in done.stderr
    assert "corpus: notes.md holds the prompt of q-target" in done.stderr
    assert not (bench.root / "data" / "runs").exists()


def test_doctor_says_what_was_proven(bench):
    data = json.loads(bench("doctor", "--format", "json").stdout)
    assert data["schema"] == "benchctl.doctor/1"
    assert set(data["sandbox"]["probes"].values()) <= {"blocked", "open", "absent"}
    assert data["agents"]["command"]["found"] is True
    assert data["commands"]["git"]["found"] in (True, False)
    assert data["machine"]["cpus"] >= 1


def test_what_a_run_prints_as_json_fits_its_schema(bench):
    import jsonschema

    schemas = Path(__file__).parents[2] / "site" / "reference" / "schemas"
    output = json.loads(bench("run", "tiny", "--run-id", "first", "--no-page", "--format", "json").stdout)
    jsonschema.Draft202012Validator(json.loads((schemas / "run.json").read_text())).validate(output)
    assert (output["run"], output["page"], output["outcomes"]) == ("first", None, {"ok": 4})


def test_another_agent_program_under_the_same_name_is_another_agent(bench):
    """Runs of different programs must never pool, even where the suite file is the same."""
    bench("run", "tiny", "--run-id", "one", "--no-page")
    changed = next(bench.root.rglob("agents/*.py"))
    changed.write_text(changed.read_text() + "\n# another program\n")
    bench("run", "tiny", "--run-id", "two", "--no-page")
    keys = [
        json.loads((bench.root / "data/runs" / run / "run.json").read_text())["comparability"]
        for run in ("one", "two")
    ]
    assert {name for name in keys[0] if keys[0][name] != keys[1][name]} == {"agents"}


def test_show_says_why_a_cell_has_its_score(bench):
    bench.write(agent="words.py", source="print('one two three')", reps=1)
    done = bench("run", "--run-id", "words", "--no-page", "--only", "q-other")
    assert "1 cell ended well without an answer that could be read" in done.stderr
    assert "not a JSON list" in bench("show", "words", "q-other/plain/script/none/1").stdout


def test_show_gives_the_last_words_of_a_cell_that_failed(bench):
    bench.write(agent="crash.py", source="raise SystemExit('boom: no such thing')", reps=1)
    bench("run", "--run-id", "crash", "--no-page", "--only", "q-other", code=1)
    assert "boom: no such thing" in bench("show", "crash", "q-other/plain/script/none/1").stdout
