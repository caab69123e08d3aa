"""What an agent reports is untrusted: one odd figure costs itself alone, and nothing that was decoded gives a key away."""

from __future__ import annotations

import json
import subprocess

import pytest

from benchctl.store.reader import Store

KEY = "sk-live-9f8e7d6c5b4a39281706"

AGENT = """
import os, pathlib, sys
sys.stdout.reconfigure(encoding="utf-8")
log = pathlib.Path(sys.argv[1], "turns")
turn = int(log.read_text()) if log.exists() else 0
log.write_text(str(turn + 1))
key = os.environ.get("MY_API_KEY", "")
spelt = "".join("\\\\u%04x" % ord(each) for each in key)
told = {told}
print(told[min(turn, len(told) - 1)] % {{"spelt": spelt, "half": key[:-1] + "\\\\u%04x" % ord((key or "x")[-1])}})
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

[agents.teller]
files = "agents"
argv = ["{{python}}", "-I", "-S", "{{agent}}/teller.py", "{{scratch}}"]
continue_argv = ["{{python}}", "-I", "-S", "{{agent}}/teller.py", "{{scratch}}", "{{session}}"]
models = ["m"]
env = ["MY_API_KEY"]

[agents.teller.reply]
answer = "/answer"
session = "/session"
error = "/error"
cost_usd = "/usd"
input_tokens = "/in"
output_tokens = "/out"
{reply}

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

GOOD = '"answer": ["a.py::one"], "session": "s1", "usd": 0.25, "in": 100, "out": 10'


@pytest.fixture
def tell(bench):
    def write(*told, reply="", caps="", run=""):
        (bench.suite_dir / "agents" / "teller.py").write_text(AGENT.format(told=ascii(told)))
        (bench.suite_dir / "suite.toml").write_text(SUITE.format(reply=reply, caps=caps, run=run))
        return bench

    return write


def collect(bench, *, run="r", code=0):
    words = ("run", "tiny", "--run-id", run, "--no-sandbox", "--no-page")
    return bench(*words, code=code, MY_API_KEY=KEY)


@pytest.mark.parametrize(
    ("told", "column"),
    [
        ('{"answer": "%(spelt)s", "session": "s", "usd": 1, "in": 1, "out": 1}', "answer"),
        ('{"answer": ["%(spelt)s"], "session": "s", "usd": 1, "in": 1, "out": 1}', "answer"),
        ('{"answer": ["%(half)s"], "session": "s", "usd": 1, "in": 1, "out": 1}', "answer"),
        ('{"answer": ["a.py::one"], "session": "%(spelt)s", "usd": 1, "in": 1, "out": 1}', "session"),
        ('{"error": "%(spelt)s", "session": "s", "usd": 1, "in": 1, "out": 1}', "detail"),
    ],
)
def test_a_key_that_is_spelt_with_escapes_is_not_kept_in_clear(tell, told, column):
    bench = tell(told)
    done = collect(bench, code=1 if column == "detail" else 0)
    shown = bench("show", "r", "q-target/plain/teller/m/1").stdout
    run = Store(bench.root / "data").run("r")
    tables = {name: repr([dict(row) for row in run.rows(name)]) for name in ("cells", "attempts", "grades")}
    assert [name for name, text in tables.items() if KEY in text] == []
    assert KEY not in shown + done.stdout + done.stderr
    (row,) = bench.query(
        "select a.redactions, a.session, a.detail, c.answer from attempts a join cells c using (run, cell)"
    )
    assert json.loads(row["redactions"])["MY_API_KEY"] >= 1
    kept = row[column]
    assert kept is None if column == "session" else "[redacted:MY_API_KEY]" in kept


def test_odd_values_beside_a_report_cost_themselves_alone(tell):
    odd = {"text": '"x\u2028y\u0085z"', "digits": "9" * 5000, "deep": "[" * 1200 + "]" * 1200}
    bench = tell("{" + GOOD + "".join(f', "{name}": {value}' for name, value in odd.items()) + "}")
    collect(bench)
    (cell,) = bench.query("select outcome, score, cost_usd, total_tokens from cells")
    assert cell == {"outcome": "ok", "score": 1.0, "cost_usd": 0.25, "total_tokens": 110}


def test_dollars_that_add_up_to_no_number_are_not_measured_and_the_run_closes(tell):
    none = '{"session": "s1", "usd": 1.7e308, "in": 9007199254740992, "out": 1}'
    bench = tell(none, none.replace("{", '{"answer": ["a.py::one"], '), run="continuations = 1\nreps = 2")
    collect(bench)
    rows = bench.query("select outcome, cost_usd, input_tokens from cells")
    assert rows == [{"outcome": "ok", "cost_usd": None, "input_tokens": None}] * 2
    assert bench.status("r")["state"] == "done"
    bench("verify-store")


def test_figures_that_contradict_what_is_known_are_not_taken_as_said(tell):
    first = '{"session": "s1", "usd": 5, "in": 1000, "out": 10, "all": 2000}'
    second = '{"answer": ["a.py::one"], "session": "s1", "usd": 0.1, "in": 1, "out": 1, "all": 1}'
    bench = tell(first, second, reply='total_tokens = "/all"\ncumulative = ["cost"]', run="continuations = 1")
    collect(bench)
    (row,) = bench.query(
        "select c.cost_usd, c.total_tokens, a.detail from attempts a join cells c using (run, cell)"
    )
    assert (row["cost_usd"], row["total_tokens"]) == (5.0, 2001)
    assert row["detail"] == "cost_usd of the whole session fell from 5 to 0.1"
    bench = tell(
        '{"answer": [], "session": "s1", "usd": 1, "in": 700, "out": 300, "all": 5}',
        reply='total_tokens = "/all"',
    )
    collect(bench, run="r2")
    (row,) = bench.query(
        "select c.total_tokens, a.detail from attempts a join cells c using (run, cell) where a.run = 'r2'"
    )
    assert (row["total_tokens"], row["detail"]) == (
        1000,
        "total_tokens 5 is less than input and output together",
    )


def test_an_error_is_told_in_a_line_however_long_it_is(tell):
    bench = tell('{"error": "' + "E" * 300_000 + '", "session": "s1", "usd": 0.25, "in": 1, "out": 1}')
    done = collect(bench, code=1)
    assert len(done.stderr) < 3000
    (row,) = bench.query("select outcome, length(detail) as n from attempts")
    assert row == {"outcome": "api_error", "n": 300}
    (row,) = bench.query("select length(text) as n from transcripts where stream = 'stdout'")
    assert row["n"] > 300_000


def test_a_limit_on_dollars_stops_a_run_whose_agent_says_none(tell):
    bench = tell(
        '{"answer": ["a.py::one"], "usd": "0.25", "in": 1, "out": 1}', run="reps = 6\nspend_usd = 0.5"
    )
    for _ in range(2):
        said = collect(bench, code=1).stderr
        assert "nobody knows what 1 attempt cost" in said
        assert "1 of 6 cells have a result" in said


def test_what_a_part_has_cost_is_charged_also_where_the_next_one_does_not_say(tell):
    first = '{"session": "s1", "usd": 5, "in": 1000, "out": 10}'
    second = '{"answer": ["a.py::one"], "session": "s1", "in": 10, "out": 1}'
    bench = tell(first, second, run="reps = 4\ncontinuations = 1\nspend_usd = 3")
    said = collect(bench, code=1).stderr
    assert "5.00 USD (charged for 1 attempt that reported no cost) are spent, of at most 3.00 USD" in said
    assert bench.query("select cost_usd from cells") == [{"cost_usd": None}]


def test_an_empty_run_beyond_a_cap_measures_no_floor(tell):
    bench = tell(
        '{"answer": ["a.py::one"], "usd": 50, "in": 100, "out": 10}', caps="cost_usd = 0.1", run="baseline_reps = 1"
    )  # fmt: skip
    collect(bench, code=1)
    assert bench.query("select outcome, cost_usd from baselines") == [
        {"outcome": "output_cap", "cost_usd": 50.0}
    ]


def test_an_empty_run_that_is_killed_has_been_journalled_and_is_charged(tell):
    bench = tell("{" + GOOD + "}", caps="cost_usd = 0.25", run="baseline_reps = 1\nspend_usd = 0.6")
    agent = bench.suite_dir / "agents" / "teller.py"
    agent.write_text("import time\ntime.sleep(1.5)\n" + agent.read_text())

    def begun():
        return [event["event"] for event in bench.events("r")].count("probe")

    for number in (1, 2, 3):
        words = bench.argv("run", "tiny", "--run-id", "r", "--no-sandbox", "--no-page")
        process = subprocess.Popen(
            words, cwd=bench.root, env=bench.env(MY_API_KEY=KEY), stderr=subprocess.DEVNULL
        )
        bench.wait_for(lambda number=number: begun() == number, process)
        process.kill()
        process.wait()
    said = collect(bench, code=1).stderr
    assert "0.75 USD (charged for 3 attempts that reported no cost) are spent, of at most 0.60 USD" in said
    assert begun() == 3
