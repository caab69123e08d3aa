"""Everything before the first cell: what is tried, what is refused, and what is written down of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import tool_server

SERVED = """
tools = ["graph.callers"]
effort = "high"
instructions = "Answer with a list."
[arms.plain.servers.graph]
argv = ["{{python}}", "-I", "-S", "{{agent}}/server.py", "plain"]
tools = ["callers", "read"]
env = {{ FACTS = "{{indexes}}/names/facts.json" }}
[arms.plain.indexes.names]
repo = "corpus"
argv = ["{{python}}", "-I", "-S", "-c", "{build}", "{{tree}}", "{{index}}"]
facts = "facts.json"
covers = "/files"
"""

BUILD = (
    "import json, os, sys; "
    "json.dump(dict(files=sorted(os.listdir(sys.argv[1]))), open(sys.argv[2] + '/facts.json', 'w'))"
)

ECHO = """
import json, os, subprocess, sys
scratch, servers = sys.argv[2:4]
config = json.load(open(servers))["mcpServers"]["graph"]
facts = json.load(open(config["env"]["FACTS"]))
print(json.dumps([json.dumps({"argv": [sys.executable, *sys.orig_argv[1:]], "tree": os.getcwd(), "scratch": scratch,
    "servers": config, "facts": facts, "told": open(scratch + "/instructions.md").read()})]))
"""

ARGV = (
    '"{python}", "-I", "-S", "{agent}/answer.py", "{tree}", "{prompt_file}"',
    (
        '"{python}", "-I", "-S", "{agent}/echo.py", "{tree}", "{scratch}", "{servers_file}", '
        '"{instructions_file}", "{tools}", "--effort={effort}", "--index={indexes}"'
    ),
)


def change(bench, old, new):
    file = bench.suite_dir / "suite.toml"
    text = file.read_text()
    assert old in text, old
    file.write_text(text.replace(old, new, 1))


@pytest.fixture
def served(bench):
    """A suite whose one arm gives a server, an index, an effort and instructions."""
    bench.write(reps=1, arms=SERVED.format(build=BUILD).replace("{{", "{").replace("}}", "}"))
    shutil.copy(tool_server.__file__, bench.suite_dir / "agents" / "server.py")
    (bench.suite_dir / "agents" / "echo.py").write_text(ECHO)
    change(bench, *ARGV)
    return bench


def record(bench, run):
    return json.loads((bench.root / "data" / "runs" / run / "run.json").read_text())


def test_what_an_arm_gives_is_checked_published_and_handed_on_as_planned(served):
    plan = json.loads(served("plan", "--format", "json").stdout)
    said = served("run", "--run-id", "r", "--no-page").stderr
    assert "arm plain: making and checking names" in said
    assert "arm plain: starting graph to list the tools" in said
    rows = {row["cell"]: row["answer"] for row in served.query("select cell, answer from cells")}
    assert len(rows) == len(plan["cells"]) == 2
    for cell in plan["cells"]:
        seen = json.loads(json.loads(rows[cell["cell"]])[0])
        indexes = Path(seen["servers"]["env"]["FACTS"]).parents[1]
        symbols = {seen["scratch"]: "<scratch>", seen["tree"]: "<tree>", str(indexes): "<indexes>"}
        symbols[seen["argv"][3].removesuffix("/echo.py")] = "<agent>"

        def planned(words, symbols=symbols):
            for real, symbol in symbols.items():
                words = [word.replace(real, symbol) for word in words]
            return words

        assert planned(seen["argv"]) == cell["argv"]
        server = plan["arms"]["plain"]["servers"]["graph"]
        assert planned([seen["servers"]["command"], *seen["servers"]["args"]]) == server["argv"]
        assert sorted(seen["servers"]["env"]) == server["env"]
        assert seen["facts"] == {"files": ["a.py", "b.py"]}
        assert seen["told"] == "Answer with a list."
        assert cell["argv"][-3:] == ["graph.callers,graph.read", "--effort=high", "--index=<indexes>"]
    kept = record(served, "r")
    (server,), (index,) = kept["servers"], kept["indexes"]
    assert [tool["name"] for tool in server["tools"]] == ["callers", "read"]
    assert server["tools"][0]["description"] == "Who calls, in <tree>"
    assert (server["repos"], server["withheld"]) == (["corpus"], ["write"])
    assert (index["arm"], index["index"], index["built"], index["covers"]) == ("plain", "names", True, 2)
    assert {"servers", "arms"} <= set(kept["comparability"])
    assert kept["schema"] == 3
    served("verify-store")
    # Another description of a granted tool is another thing to compare.
    file = served.suite_dir / "agents" / "server.py"
    file.write_text(file.read_text().replace("Reads", "Reads a file"))
    served("run", "--run-id", "other", "--no-page")
    other = record(served, "other")["comparability"]
    assert other["servers"] != kept["comparability"]["servers"]


def test_a_server_without_a_granted_tool_costs_its_arm_and_is_recorded(served):
    change(served, 'tools = ["callers", "read"]', 'tools = ["callers", "callees"]')
    done = served("run", "--preflight-only", code=3)
    assert "its server graph is of no use in a tree of corpus: it does not offer callees" in done.stderr
    change(served, "[agents.script]", '[arms.bare]\ntitle = "Bare"\n[agents.script]')
    done = served("run", "--run-id", "r", "--no-page", code=3)
    (refusal,) = record(served, "r")["refusals"]
    assert (refusal["arm"], refusal["required"]) == ("plain", True)
    assert {cell["arm"] for cell in record(served, "r")["cells"]} == {"bare"}


def test_an_index_that_holds_a_prompt_stops_the_run(served):
    change(served, "import json, os, sys; ", "import json, os, sys, pathlib; ")
    change(
        served,
        "open(sys.argv[2] + '/facts.json', 'w'))",
        "open(sys.argv[2] + '/facts.json', 'w')); "
        "pathlib.Path(sys.argv[2] + '/cache').write_text("
        "'Which functions of this small tree call the function named target, wherever they stand?')",
    )
    done = served("run", "--preflight-only", code=3)
    assert "arms.plain.indexes.names" in done.stderr
    assert "[leak-found]" in done.stderr


def test_every_problem_is_said_in_one_pass(bench):
    """Six things are wrong, in six different places, and one command says them all."""
    bench.write(reps=1, arms='servers = { g = { argv = ["{python}", "-c", "0"], tools = ["t"] } }')
    (bench.suite_dir / "gold").mkdir()
    (bench.suite_dir / "gold" / "key.txt").write_text("a.py::one\n")
    (bench.suite_dir / "agents" / "notes").write_text("benchctl-canary-11111111-2222-4333-8444-555555555555")
    question = "Which functions of this small tree call the function named target, wherever they stand?"
    (bench.suite_dir / "corpus" / "README").write_text(question)
    change(bench, 'source = "corpus"', 'source = "corpus"\nexclude = ["nothing/**"]')
    change(bench, 'class = "callers"', 'class = "callers"\nevidence = ["a.py", "gone.py"]')
    change(bench, '"{tree}", "{prompt_file}"', '"{tree}", "{prompt_file}", "{servers_file}"')
    said = bench("run", "--preflight-only", code=3).stderr
    for words in (
        "question q-target: the tree of corpus does not hold its evidence gone.py",
        "pattern 'nothing/**' matches no file",
        "repos.corpus: README",
        "agents.script.files: notes",
        "gold/key.txt does not hold the suite's canary",
    ):
        assert words in said, said
    assert "arm plain: its server g is of no use in a tree of corpus" in said
    assert "6 problems, nothing was started" in said
    assert not (bench.root / "data" / "runs").exists()


def test_refusals_are_told_with_the_problems_by_plan_and_run_alike(bench):
    """What stops the run would hide what is refused, and each would be found in a pass of its own."""
    bench.write(reps=1, arms='requires = ["no-such-tool"]')
    change(bench, 'source = "corpus"', 'source = "corpus"\nexclude = ["nothing/**"]')
    change(bench, "[agents.script]", '[agents.script]\nsecrets = ["MY_SECRET"]')
    lines = (bench.suite_dir / "suite.toml").read_text().splitlines()
    line = 1 + lines.index('exclude = ["nothing/**"]')
    for words in (("plan",), ("run", "--preflight-only")):
        said = bench(*words, code=3, MY_SECRET="").stderr
        assert "3 problems, nothing was started [preflight-refused]\n" in said
        assert f"suite.toml:{line}:12: repos.corpus: pattern 'nothing/**' matches no file" in said
        assert "next: correct it, or leave it out of `exclude`" in said
        assert "arm plain: no-such-tool not found on the PATH" in said
        assert "next: install it, or put its folder on the PATH" in said
        assert "agent script: MY_SECRET is not set, or empty" in said


def test_where_nothing_is_left_every_refusal_has_its_next_step(bench):
    change(bench, "[agents.script]", '[agents.script]\nsecrets = ["MY_SECRET"]')
    said = bench("run", "--preflight-only", code=3, MY_SECRET="").stderr
    assert "no cell is left to run [nothing-to-run]\nagent script: MY_SECRET is not set, or empty" in said
    assert "next: set it in the environment of this command" in said
    assert "benchctl plan" not in said
    planned = bench("plan", code=3, MY_SECRET="")
    assert "agent script: MY_SECRET is not set, or empty" in planned.stdout
    assert "no cell is left to run [nothing-to-run]" in planned.stderr
    assert "collects" not in planned.stderr
    assert json.loads(bench("plan", "--format", "json", code=3, MY_SECRET="").stdout)["cells"] == []


def test_a_plan_says_what_is_started_around_a_cell_and_what_its_worst_case_is_made_of(bench):
    bench.write(reps=1)
    step = '["{python}", "-c", "0", "{tree}"]'
    change(
        bench,
        "[arms.plain]",
        f"[repos.corpus.prepare]\nargv = {step}\nwall_s = 30\n[repos.corpus.check]\nargv = {step}\nwall_s = 7\n[arms.plain]",
    )
    change(bench, "[agents.script]", '[agents.script]\nenv = ["PASSED_ON", "NEVER_SET"]')
    shown = bench("plan", PASSED_ON="1").stdout
    assert " -c 0 '<tree>' (30 s at most)" in shown
    assert "corpus: check: " in shown
    assert "stop_after=" in shown
    assert "+ prepare and check " in shown
    assert "BENCHCTL_CELL HOME LANG PASSED_ON PATH PWD TMPDIR; unset here NEVER_SET;" in shown
    told = json.loads(bench("plan", "--format", "json", PASSED_ON="1").stdout)
    assert told["steps"]["corpus"]["check"]["wall_s"] == 7
    assert told["worst_case"]["steps_s"] == told["worst_case"]["attempts"] * 37
    assert told["cells"][0]["unset"] == ["NEVER_SET"]
    assert "PASSED_ON" in told["cells"][0]["env"]


@pytest.mark.parametrize("options", [(), ("--no-sandbox",)])
def test_a_cell_sees_exactly_the_variables_that_the_plan_names(bench, options):
    bench.write(source="import json, os; print(json.dumps(sorted(os.environ)))", reps=1)
    change(bench, "[agents.script]", '[agents.script]\nenv = ["PASSED_ON", "NEVER_SET"]')
    (planned, *_) = json.loads(bench("plan", "--format", "json", PASSED_ON="1").stdout)["cells"]
    bench("run", "--run-id", "r", "--no-page", "--only", "q-other", *options, code=None, PASSED_ON="1")
    (row,) = json.loads(bench("query", "select answer from cells", "--format", "json").stdout)
    assert json.loads(row["answer"]) == planned["env"]


def test_a_key_that_is_not_set_is_refused_by_plan_and_run_alike(bench):
    change(bench, "[agents.script]", '[agents.script]\nsecrets = ["MY_SECRET"]')
    for words, value in ((("plan",), ""), (("run", "--preflight-only"), ""), (("plan",), " \t\n ")):
        done = bench(*words, code=3, MY_SECRET=value)
        assert "MY_SECRET is not set, or empty" in done.stdout + done.stderr
    said = bench("run", "--preflight-only", MY_SECRET="not told to anybody").stderr
    assert "4 cells can run" in said
    assert "not told" not in said


def test_an_arm_is_refused_on_an_agent_that_would_never_hear_of_it(bench):
    bench.write(reps=1, arms='effort = "high"\ninstructions = "Be brief."')
    done = bench("plan", code=3)
    assert "effort: its argv has no {effort}" in done.stdout
    assert "instructions: its argv has no {instructions_file}" in done.stdout
    assert "no cell is left to run" in bench("run", "--preflight-only", code=3).stderr


def test_a_model_is_asked_for_before_anything_is_spent(bench):
    ask = "import sys; sys.exit(0 if sys.argv[1] == 'good' else 'no model ' + sys.argv[1])"
    change(
        bench,
        "[agents.script]",
        f'[agents.script]\nmodels = ["good", "bad"]\naccepts = ["{{python}}", "-I", "-S", "-c", "{ask}", "{{model}}"]',
    )
    done = bench("run", "--preflight-only", code=3)
    assert "its model bad is not accepted: exit_nonzero (exit status 1): no model bad" in done.stderr
    assert "4 cells can run" in done.stderr
    assert "agent script: asking whether good is accepted" in done.stderr


def test_programs_are_recorded_with_their_versions(bench, tmp_path, monkeypatch):
    tool = tmp_path / "bin" / "frob"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n[ \"$1\" = --version ] && echo 'frob 1.2.3' && echo more\n")
    tool.chmod(0o755)
    mute = tool.with_name("mute")
    mute.write_text("#!/bin/sh\nexit 4\n")
    mute.chmod(0o755)
    bench.write(reps=1, arms='requires = ["frob", "mute"]')
    monkeypatch.setenv("PATH", f"{tool.parent}:{Path('/usr/bin')}:/bin")
    bench("run", "--run-id", "r", "--no-page")
    frob, silent = record(bench, "r")["programs"]
    assert (frob["name"], frob["version"], len(frob["sha256"])) == ("frob", "frob 1.2.3", 64)
    assert (silent["name"], silent["version"]) == ("mute", None)


def test_a_key_that_its_own_grader_does_not_take_is_a_mistake_of_the_suite(bench):
    change(
        bench,
        'gold = { items = ["b.py::two"] }',
        'grader = "path"\nexpected = ["no file", "at all"]',
    )
    for words in (("plan",), ("run",)):
        said = bench(*words, code=2).stderr
        assert "question 'q-other' cannot be graded: its grader path gives its own key 0.00, not 1" in said


def test_preflight_alone_spends_nothing_and_leaves_nothing(served):
    before = sorted(path for path in served.root.rglob("*") if "__pycache__" not in path.parts)
    said = served("run", "--preflight-only").stderr
    assert "2 cells can run" in said
    assert "starting graph" in said
    assert sorted(path for path in served.root.rglob("*") if "__pycache__" not in path.parts) == before


def test_an_agent_starts_with_its_own_command_wherever_that_lives(bench, tmp_path, monkeypatch):
    """A command outside of the system's folders is shown to its agent's cells, and to no other's."""
    tool = tmp_path / "bin" / "talker"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\nprintf \'["%s %s"]\' "$(command -v talker)" "$(command -v shouter)"\n')
    tool.chmod(0o755)
    shutil.copy(tool, tool.with_name("shouter"))
    other = '\n[agents.shouter]\nargv = ["shouter"]\n[agents.script]\nargv = ["talker"]\n'
    change(bench, '[agents.script]\nfiles = "agents"', other)
    change(bench, ARGV[0], "")
    change(bench, 'argv = ["talker"]\n\nargv = []', 'argv = ["talker"]')
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    bench("run", "--run-id", "r", "--reps", "1", "--no-page")
    for row in bench.query("select agent, outcome, answer from cells"):
        assert row["outcome"] == "ok"
        wanted, hidden = ("talker", "shouter") if row["agent"] == "script" else ("shouter", "talker")
        assert f"/{wanted}" in row["answer"]
        assert hidden not in row["answer"]
    assert [each["name"] for each in record(bench, "r")["programs"]] == ["shouter", "talker"]


def test_a_server_from_the_agents_files_needs_an_agent_with_files(served):
    change(served, 'files = "agents"\n', "")
    change(served, '"{agent}/echo.py"', '"{scratch}/echo.py"')
    assert "graph starts from {agent}, and the agent has no files" in served("plan", code=3).stdout


@pytest.mark.parametrize("source", ["git@example.org:o/r.git", "ext::sh -c id"])
def test_an_address_that_is_never_fetched_is_said_as_one_and_not_as_a_missing_folder(bench, source):
    change(bench, 'kind = "directory"', f'kind = "git"\ncommit = "{"1" * 40}"')
    change(bench, 'source = "corpus"', f'source = "{source}"')
    said = bench("plan", code=3).stderr
    assert f"the git source {source!r} is not fetched" in said
    assert "https://" in said
    assert "there is no folder" not in said
