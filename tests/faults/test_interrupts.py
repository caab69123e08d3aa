"""A signal once ends the cell and marks it, twice ends at once, thrice whatever is going on; nothing is left behind."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from e2e.conftest import Bench

RUN = ("run", "tiny", "--run-id", "r1", "--no-sandbox", "--no-page")

STUBBORN = """
import os, pathlib, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(600)", __file__], start_new_session=True)
print("up", os.getpid(), flush=True)
time.sleep(600)
"""


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    made.agent = f"{uuid4().hex}.py"
    return made.write(agent=made.agent, source=STUBBORN, reps=2, wall_s=300)


def ours(bench):
    """Return the processes that run this project's agent, which no other has the name of."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if bench.agent.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def start(bench, *options):
    process = bench.start(*RUN, *options)
    bench.wait_for(
        lambda: len(ours(bench)) >= 2, process
    )  # the agent, and what it has put into a session of its own
    return process


def ended(process, code=130):
    out, errors = process.communicate(timeout=60)
    assert process.returncode == code, (out, errors)
    return errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_once_marks_the_cell_and_leaves_nothing_behind(bench, number):
    process = start(bench)
    process.send_signal(number)
    said = ended(process)
    assert "run r1 is interrupted, 0 of 4 cells are done" in said
    assert "next: benchctl run tiny --no-sandbox --no-page --run-id r1" in said
    ends = [event for event in bench.events("r1") if event["event"] == "end"]
    assert [event["ended"]["outcome"] for event in ends] == ["interrupted"]
    assert bench.status("r1")["state"] == "stopped"
    bench.wait_for(lambda: not ours(bench))
    bench.write(agent=bench.agent, source="print('[]')", reps=2, wall_s=300)
    assert "[plan-differs]" in bench(*RUN, code=3).stderr, "another agent is another plan"


def test_twice_ends_at_once_and_leaves_nothing_behind(bench):
    process = start(bench)
    process.send_signal(signal.SIGINT)
    time.sleep(0.05)  # within the second that the agent is given to end by itself
    process.send_signal(signal.SIGINT)
    ended(process)
    assert bench.status("r1")["state"] == "stopped"
    bench.wait_for(lambda: not ours(bench))
    assert bench.query("select count(*) as n from cells where outcome = 'ok'") == [{"n": 0}]
    bench("verify-store")


def test_what_was_interrupted_is_run_again_and_counts_against_nobody(bench):
    bench.write_slow(reps=3)
    process = bench.start(*RUN)
    bench.wait_for(lambda: any(event["event"] == "end" for event in bench.events("r1")), process)
    process.send_signal(signal.SIGINT)
    ended(process)
    bench(*RUN)
    assert bench.query("select count(*) as n, count(distinct cell) as d from cells where outcome = 'ok'") == [
        {"n": 6, "d": 6}
    ]
    assert bench.query("select count(*) as n from attempts where outcome = 'interrupted'")[0]["n"] <= 1


def test_who_waits_for_the_machine_or_for_a_turn_is_interrupted_too(bench):
    process = start(bench)
    waiting = bench.start("run", "tiny", "--run-id", "r2", "--no-sandbox", "--wait")
    said = waiting.stderr.readline()
    assert said == f"this machine is collecting run r1 by process {process.pid}; waiting for its end\n"
    refused = bench("run", "tiny", "--run-id", "r3", "--no-sandbox", code=3).stderr
    assert "[machine-busy]" in refused
    assert f"process {process.pid}" in refused
    waiting.send_signal(signal.SIGINT)
    ended(waiting)
    process.send_signal(signal.SIGINT)
    ended(process)
