"""Empty runs through the command line: measured with a run, reused, added later, and what is reckoned from them."""

import json

import pytest

AGENT = """
import json, pathlib, sys
tree, prompt = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
empty = "the single word OK" in prompt
assert not empty or not list(tree.iterdir()), "an empty run has an empty tree"
read = (70 if sys.argv[3] == "rich" else 40) + (0 if empty else 100)
print(json.dumps({"answer": "OK" if empty else ["a.py::one"], "in": read, "out": 3, "usd": 0.5}))
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

[arms.rich]
title = "Rich"

[agents.talker]
files = "agents"
argv = ["{{python}}", "-I", "-S", "{{agent}}/talker.py", "{{tree}}", "{{prompt_file}}", "{{arm}}"]

{reply}

[run]
allow_no_sandbox = true
baseline_reps = {reps}

[[questions]]
id = "q-target"
repo = "corpus"
class = "callers"
prompt = "Which functions of this small tree call the function named target, wherever they stand?"
gold = {{ items = ["a.py::one"] }}
"""
REPLY = """[agents.talker.reply]
answer = "/answer"
input_tokens = "/in"
output_tokens = "/out"
cost_usd = "/usd"
"""


@pytest.fixture
def talk(bench):
    def write(reps=2, reply=REPLY):
        bench.write()
        (bench.suite_dir / "agents" / "talker.py").write_text(AGENT)
        (bench.suite_dir / "suite.toml").write_text(SUITE.format(reps=reps, reply=reply))
        return bench

    return write


def ask(bench, sql):
    return json.loads(bench("query", sql, "--format", "json").stdout)


CELLS = "select arm, floor_tokens, content_tokens, input_tokens from cells order by arm"
PROBES = "select arm, count(*) as n, count(*) filter (post_hoc) as later, min(input_tokens) as least from baselines group by arm order by arm"


def test_a_run_measures_the_floors_that_its_suite_asks_for_once(talk):
    bench = talk()
    assert bench("run", "--run-id", "r1", "--no-page").returncode == 0
    assert ask(bench, CELLS) == [
        {"arm": "plain", "floor_tokens": 40.0, "content_tokens": 103.0, "input_tokens": 140},
        {"arm": "rich", "floor_tokens": 70.0, "content_tokens": 103.0, "input_tokens": 170},
    ]
    assert ask(bench, PROBES) == [
        {"arm": "plain", "n": 2, "later": 0, "least": 40},
        {"arm": "rich", "n": 2, "later": 0, "least": 70},
    ]
    assert "nothing to do" in bench("run", "--run-id", "r1", "--no-page").stderr
    assert ask(bench, PROBES)[0]["n"] == 2
    assert bench("verify-store").returncode == 0


def test_floors_that_a_run_was_collected_without_are_added_and_say_so(talk):
    bench = talk()
    assert bench("run", "--run-id", "r1", "--no-page", "--no-baseline").returncode == 0
    assert ask(bench, CELLS)[0]["content_tokens"] is None
    done = bench("baselines", "--run-id", "r1", "--baseline-reps", "1", "--format", "json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert [(floor["arm"], floor["floor"], floor["source"]) for floor in said["floors"]] == [
        ("plain", 40.0, "agent"),
        ("rich", 70.0, "agent"),
    ]
    assert [row["later"] for row in ask(bench, PROBES)] == [1, 1]
    assert ask(bench, CELLS)[1]["content_tokens"] == 103.0
    assert (
        json.loads(bench("baselines", "--run-id", "r1", "--baseline-reps", "1", "--format", "json").stdout)[
            "probes"
        ]
        == []
    )
    bench("baselines", "--run-id", "r1", "--baseline-reps", "1", "--remeasure")
    assert [row["n"] for row in ask(bench, PROBES)] == [2, 2]
    assert bench("verify-store").returncode == 0


def test_nothing_is_measured_of_an_agent_that_reports_no_tokens_and_that_is_said(talk):
    bench = talk(reply='[agents.talker.reply]\nanswer = "/answer"')
    done = bench("run", "--run-id", "r1", "--no-page")
    assert (done.returncode, "no floor is measured of talker" in done.stderr) == (0, True)
    assert ask(bench, PROBES) == []
    alone = bench("baselines")
    assert (alone.returncode, "no floor of talker" in alone.stderr) == (0, True)


def test_a_run_of_another_suite_is_not_given_this_ones_floors(talk):
    bench = talk(reps=0)
    assert bench("run", "--run-id", "r1", "--no-page").returncode == 0
    talk(reply=f'{REPLY}total_tokens = "/all"\n')
    done = bench("baselines", "--run-id", "r1", code=3)
    assert "had other agents" in done.stderr
    assert bench("baselines", "--remeasure", code=2).returncode == 2


def test_what_was_measured_and_paid_is_a_table_of_every_run_that_says_it(talk):
    bench = talk()
    bench("run", "--run-id", "r1", "--no-page")
    shown = bench("report", "r1", "--table", "costs")
    (plain,) = [line.split() for line in shown.stdout.splitlines() if line.startswith("plain")]
    assert plain == [
        "plain",
        "talker",
        "none",
        "143",
        "103",
        "40",
        "2",
        "40",
        "40",
        "$0.5000",
        "$0.5000",
        "$1.0000",
        "0",
        "1",
    ]
    assert "Tokens were counted of cells by agent and of empty runs by agent." in shown.stdout
    assert "Tokens and dollars by arm" in bench("report", "r1").stdout
    assert ask(bench, "select distinct total_tokens from baselines order by 1") == [
        {"total_tokens": 43},
        {"total_tokens": 73},
    ]
    listed = bench("show", "r1").stdout
    assert "floors of tokens, by empty runs" in listed
    assert [
        floor["floor"] for floor in json.loads(bench("show", "r1", "--format", "json").stdout)["floors"]
    ] == [
        40.0,
        70.0,
    ]


def test_a_run_of_which_nobody_knows_the_costs_has_no_table_of_them(talk):
    bench = talk(reply='[agents.talker.reply]\nanswer = "/answer"\n', reps=0)
    bench("run", "--run-id", "r1", "--no-page")
    assert "Tokens and dollars" not in bench("report", "r1").stdout
    assert "floors of tokens" not in bench("show", "r1").stdout


def test_a_table_says_where_answers_of_failed_cells_are_credited(talk):
    bench = talk(reps=0)
    bench("run", "--run-id", "well", "--no-page")
    note = (
        "Precision and recall are of what was answered, in failed cells too, whose score is 0 all the same."
    )
    assert note not in bench("report", "well", "--table", "arms").stdout
    bench("run", "--run-id", "dear", "--no-page", "--caps", "tokens=150", code=1)
    assert note in bench("report", "dear", "--table", "arms").stdout
    assert note not in bench("report", "dear", "--table", "costs").stdout


FAILING = AGENT + "\nif empty:\n    sys.exit(7)\n"


def test_empty_runs_that_all_fail_are_named_and_the_run_is_not_well(talk):
    bench = talk()
    agent = bench.suite_dir / "agents" / "talker.py"
    agent.write_text(FAILING)
    done = bench("run", "--run-id", "r1", "--no-page", code=1)
    assert "baseline/plain/talker/none/1: exit_nonzero; it measures no floor" in done.stderr
    assert "no empty run measured a floor of tokens of plain/talker/none, rich/talker/none" in done.stderr
    assert "benchctl baselines tiny --run-id r1 --remeasure" in done.stderr
    assert "nothing to do" in bench("run", "--run-id", "r1", "--no-page", code=1).stderr
    assert "floor-unmeasured" in bench("baselines", code=1).stderr


def test_empty_runs_alone_keep_to_what_a_run_may_spend(talk):
    bench = talk()
    file = bench.suite_dir / "suite.toml"
    file.write_text(file.read_text().replace("baseline_reps", "spend_usd = 1.0\nbaseline_reps"))
    done = bench("baselines", "--baseline-reps", "3", "--format", "json", code=1)
    assert len(json.loads(done.stdout)["probes"]) == 2
    assert "the empty runs stopped: 1.00 USD are spent, of at most 1.00 USD; 4 are left" in done.stderr
    assert "spent 1.00 USD" in done.stderr


def test_what_a_stopped_run_was_begun_with_is_in_the_command_that_continues_it(talk):
    bench = talk()
    file = bench.suite_dir / "suite.toml"
    file.write_text(file.read_text().replace("baseline_reps", "spend_usd = 0.5\nbaseline_reps"))
    stopped = bench("run", "--run-id", "r1", "--no-page", "--no-baseline", "--allow-refused", code=1).stderr
    shown = bench("status", "r1").stderr
    for words in (stopped, shown):
        assert "--no-baseline" in words
        assert "--allow-refused" in words
    assert "r1 is stopped: 0.50 USD are spent, of at most 0.50 USD" in shown
    bench("run", "--run-id", "r2", "--no-page", "--baseline-reps", "1", code=1)
    assert "--baseline-reps 1" in bench("status", "r2").stderr


def test_floors_are_measured_later_of_what_a_run_asked_and_no_more(talk):
    bench = talk()
    assert bench("run", "--run-id", "r1", "--no-page", "--no-baseline", "--arms", "rich").returncode == 0
    done = bench("baselines", "--run-id", "r1", "--baseline-reps", "1")
    assert [row["arm"] for row in ask(bench, PROBES)] == ["rich"]
    assert "1 empty run added to r1" in done.stderr
    again = bench("baselines", "--run-id", "r1", "--baseline-reps", "1")
    assert "nothing is to be measured" in again.stderr
    assert "--remeasure" in again.stderr
    assert "70" in again.stdout, "the floor that is there"
    assert len(ask(bench, "select cell from baselines")) == 1


def test_a_pointer_of_a_reply_that_hits_nothing_is_told(talk):
    bench = talk(reply=REPLY.replace('"/usd"', '"/total_usd"').replace('"/in"', '"/answer"'))
    said = bench("run", "--run-id", "r1", "--no-page", "--no-baseline").stderr
    assert "agents.talker.reply.cost_usd = '/total_usd'" in said
    assert "agents.talker.reply.input_tokens = '/answer'" in said
    assert "output_tokens" not in said
    (row,) = ask(bench, "select distinct detail from attempts")
    assert row["detail"] == (
        "reply.input_tokens: a list, no number, at /answer; reply.cost_usd: nothing at /total_usd"
    )
