"""A session that gave no result goes on, by its id, on what is left of one budget; and a run that spends in vain stops."""

import json

import pytest

AGENT = """
import json, os, pathlib, sys
mode, tree, scratch, model, session, prompt_file = sys.argv[1:7]
log = pathlib.Path(scratch, "turns.jsonl")
turns = log.read_text().splitlines() if log.exists() else []
told = pathlib.Path(prompt_file).read_text()
turn = {"session": session, "told": told, "cwd": os.getcwd(), "home": os.environ["HOME"], "argv": sys.argv[1:]}
with log.open("a") as file:
    file.write(json.dumps(turn) + "\\n")
number = len(turns) + 1
said = {"session": "s-%d" % number if session == "new" else session, "usd": 0.25, "in": 100, "out": 10}
if mode == "cumulative":
    said["usd"] = 0.25 * number
if mode == "error":
    said["error"] = "529 overloaded"
if mode == "mute":
    del said["session"]
print("turn", number)
sys.stdout.write("call\\n" * 3)
pathlib.Path(tree, "turn-%d.txt" % number).write_text("x")
if mode == "break":
    os.mkdir(pathlib.Path(scratch, "continue.txt"))
if mode == "shut":
    os.chmod(tree, 0)
if number >= int(model):
    said["answer"] = ["a.py::one"]
print(json.dumps(said))
"""

SUITE = """
schema = 1
name = "tiny"
title = "Who calls target?"
canary = "benchctl-canary-11111111-2222-4333-8444-555555555555"

[repos.corpus]
kind = "directory"
source = "corpus"

[arms.plain]
title = "Plain"

[agents.talker]
files = "agents"
argv = ["{{python}}", "-I", "-S", "{{agent}}/talker.py", "{mode}", "{{tree}}", "{{scratch}}", "{{model}}", "new", "{{prompt_file}}"]
continue_argv = ["{{python}}", "-I", "-S", "{{agent}}/talker.py", "{mode}", "{{tree}}", "{{scratch}}", "{{model}}", "{{session}}", "{{prompt_file}}"]
models = [{models}]
counts = {{ tool_calls = "^call$", events = "^(turn|call)" }}

[agents.talker.reply]
answer = "/answer"
session = "/session"
error = "/error"
cost_usd = "/usd"
input_tokens = "/in"
output_tokens = "/out"
{cumulative}

[caps]
wall_s = 20
{caps}

[run]
seed = 11
allow_no_sandbox = true
{run}

[[questions]]
id = "q-target"
repo = "corpus"
class = "callers"
prompt = "Which functions of this small tree call the function named target, wherever they stand?"
gold = {{ items = ["a.py::one"] }}
"""

CELL = (
    "select outcome, score, attempts, continuations, cost_usd, total_tokens, tool_calls, changed_files"
    " from cells order by model"
)


@pytest.fixture
def talk(bench):
    def write(turns="1", *, mode="plain", caps="", run="continuations = 2", cumulative=""):
        (bench.suite_dir / "agents" / "talker.py").write_text(AGENT)
        models = ", ".join(f'"{turn}"' for turn in turns.split())
        text = SUITE.format(mode=mode, models=models, caps=caps, run=run, cumulative=cumulative)
        (bench.suite_dir / "suite.toml").write_text(text)
        return bench

    return write


def collect(bench, *options, code=0):
    return bench("run", "tiny", "--run-id", "r", "--no-sandbox", "--no-page", *options, code=code)


def test_a_session_goes_on_until_it_has_a_result_and_every_part_is_charged(talk):
    bench = talk("1 2 3")
    collect(bench)
    assert bench.query(CELL) == [
        {
            "outcome": "ok",
            "score": 1.0,
            "attempts": 1,
            "continuations": turns - 1,
            "cost_usd": 0.25 * turns,
            "total_tokens": 110 * turns,
            "tool_calls": 3 * turns,
            "changed_files": turns,
        }
        for turns in (1, 2, 3)
    ]
    (attempt,) = bench.query("select parts, session, events, wall_s, total_s from attempts where parts = 3")
    assert (attempt["session"], attempt["events"]) == ("s-1", 12)
    assert attempt["total_s"] >= attempt["wall_s"] > 0
    kept = bench.query(
        "select stream from transcripts t join attempts a using (run, cell, attempt) where parts = 3"
    )
    assert {"stdout", "stdout_1", "stdout_2", "diff"} <= {row["stream"] for row in kept}
    bench("verify-store")


def test_a_session_has_one_home_and_folder_and_is_named_by_its_id(talk):
    bench = talk("3")
    agent = bench.suite_dir / "agents" / "talker.py"
    agent.write_text(
        AGENT.replace("sys.stdout.write", "number == 3 and print(log.read_text())\nsys.stdout.write")
    )
    collect(bench)
    (stdout,) = bench.query("select text from transcripts where stream = 'stdout'")
    turns = [
        json.loads(line)
        for line in stdout["text"].splitlines()
        if line.startswith('{"session": ') and "told" in line
    ]
    assert [turn["session"] for turn in turns] == ["new", "s-1", "s-1"]
    assert len({turn["cwd"] for turn in turns}) == len({turn["home"] for turn in turns}) == 1
    assert "small tree" in turns[0]["told"]
    assert turns[1]["told"] == turns[2]["told"] != turns[0]["told"]


def test_the_cap_of_a_run_without_continuations_is_one_part(talk):
    bench = talk("2", run="")
    collect(bench, code=1)
    (cell,) = bench.query(CELL)
    assert (cell["outcome"], cell["continuations"], cell["score"]) == ("no_result", 0, 0.0)


def test_a_session_that_needs_more_turns_than_it_may_have_has_no_result(talk):
    bench = talk("4")
    collect(bench, code=1)
    (cell,) = bench.query(CELL)
    assert (cell["outcome"], cell["continuations"], cell["cost_usd"]) == ("no_result", 2, 0.75)


def test_another_number_of_turns_is_asked_for_on_the_command_line(talk):
    bench = talk("4", run="")
    collect(bench, "--continuations", "3")
    (cell,) = bench.query(CELL)
    assert (cell["outcome"], cell["continuations"]) == ("ok", 3)


@pytest.mark.parametrize("mode", ["mute", "break"])
def test_without_a_session_or_a_place_for_its_prompt_there_is_no_continuation(talk, mode):
    bench = talk("2", mode=mode)
    collect(bench, code=1)
    (cell,) = bench.query(CELL)
    assert (cell["outcome"], cell["continuations"], cell["cost_usd"]) == ("no_result", 0, 0.25)


def test_a_session_that_shuts_its_own_folder_ends_by_what_it_did(talk):
    """No wall can be put around it again; were that the host's fault, the attempt would be no failure and run again."""
    bench = talk("2", mode="shut")
    bench("run", "tiny", "--run-id", "r", "--no-page", code=1)
    (cell,) = bench.query(CELL)
    assert (cell["outcome"], cell["attempts"], cell["continuations"]) == ("no_result", 1, 0)


def test_what_a_session_reports_for_all_of_it_is_not_added_up(talk):
    bench = talk("3", mode="cumulative", cumulative='cumulative = ["cost"]')
    collect(bench)
    (cell,) = bench.query(CELL)
    assert (cell["cost_usd"], cell["total_tokens"]) == (0.75, 330)


@pytest.mark.parametrize(
    ("caps", "outcome", "continuations"),
    [
        ("tool_calls = 7", "output_cap", 2),  # 3 + 3 and the 8th call ends the third part
        ("tool_calls = 6", "no_result", 1),  # the second part has used them up
        ("events = 9", "output_cap", 2),
        ("tokens = 220", "no_result", 1),
        ("tokens = 219", "output_cap", 1),  # known only when the part has ended
        ("cost_usd = 0.5", "no_result", 1),
        ("cost_usd = 0.3", "output_cap", 1),
    ],
)
def test_one_budget_is_for_all_parts(talk, caps, outcome, continuations):
    bench = talk("3", caps=caps)
    collect(bench, code=1)
    (cell,) = bench.query(CELL)
    assert (cell["outcome"], cell["continuations"]) == (outcome, continuations)
    (attempt,) = bench.query("select cap from attempts")
    assert attempt["cap"] == (caps.partition(" ")[0] if outcome == "output_cap" else None)


def test_an_error_of_the_api_is_not_continued_and_three_in_a_row_stop_the_run(talk):
    bench = talk("9", mode="error", run="reps = 6\ncontinuations = 2")
    said = collect(bench, code=1).stderr
    assert "[run-stopped]" in said
    assert "3 API errors in a row; 3 of 6 cells have a result, 3 are left" in said
    assert "next: " in said and "--run-id r" in said  # noqa: PT018
    assert [(cell["outcome"], cell["continuations"]) for cell in bench.query(CELL)] == [("api_error", 0)] * 3
    assert [event["event"] for event in bench.events("r")].count("start") == 3
    assert bench.status("r")["state"] != "done"
    collect(bench, code=1)
    assert bench.query("select count(*) as n from cells") == [{"n": 6}]
    bench("verify-store")


def test_a_run_that_has_spent_what_it_may_begins_no_further_cell_also_when_it_is_resumed(talk):
    bench = talk("1", run="reps = 6\nspend_usd = 0.6")
    said = collect(bench, code=1).stderr
    assert "0.75 USD are spent, of at most 0.60 USD; 3 of 6 cells have a result, 3 are left" in said
    assert "3 of 6 cells" in collect(bench, code=1).stderr
    assert bench.query("select count(*) as n, sum(cost_usd) as usd from cells") == [{"n": 3, "usd": 0.75}]
    suite = bench.suite_dir / "suite.toml"
    suite.write_text(suite.read_text().replace("spend_usd = 0.6", "spend_usd = 60"))
    collect(bench)
    assert bench.query("select count(*) as n, sum(cost_usd) as usd from cells") == [{"n": 6, "usd": 1.5}]


def test_a_run_that_ends_with_its_last_cell_is_no_stopped_one(talk):
    bench = talk("1", run="reps = 3\nspend_usd = 0.75")
    collect(bench)
    assert bench.status("r")["state"] == "done"
