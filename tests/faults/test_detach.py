"""A detached run outlives its launcher's group, goes on after a kill so often and no oftener, and is never said to run when dead."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import jsonschema
import pytest
from e2e.conftest import Bench

from benchctl.store.reader import Store

RUN = ("run", "tiny", "--run-id", "r1", "--no-sandbox", "--no-page", "--detach")
STATUS_SCHEMA = Path(__file__).resolve().parents[2] / "site/reference/schemas/status.json"
ONCE = "select count(*) as cells, count(distinct cell) as d from cells where outcome = 'ok'"


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path).write_slow(reps=4)
    yield made
    record = tmp_path / "data" / "detached" / "r1.json"
    if record.exists():
        for who in ("keeper", "collector"):
            pid = (json.loads(record.read_text())[who] or {}).get("pid")
            if pid and b"benchctl" in _words(pid):
                os.kill(pid, signal.SIGKILL)


def _words(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def known(bench):
    return json.loads((bench.root / "data" / "detached" / "r1.json").read_text())


def is_done(bench):
    return known(bench)["ended_at"] is not None


def is_collected(bench):
    """Return whether a living process has the run; without a command, which takes longer than a cell."""
    return bool(Store(bench.root / "data").run("r1").progress().collectors)


def kill_collector(bench, times=1):
    """Kill the collector so often, each time once it is at work."""
    killed = set()
    while len(killed) < times:
        bench.wait_for(lambda: known(bench)["collector"]["pid"] not in killed and is_collected(bench))
        pid = known(bench)["collector"]["pid"]
        os.kill(pid, signal.SIGKILL)
        killed.add(pid)
        bench.wait_for(lambda pid=pid: b"benchctl" not in _words(pid))


def test_a_detached_run_is_launched_and_finishes_by_itself(bench):
    done = bench(*RUN)
    assert done.stdout == "r1\n"
    assert "8 cells" in done.stderr
    assert "goes on without this terminal" in done.stderr
    running = bench.status("r1")
    assert running["state"] == "running"
    assert running["pid"] == known(bench)["collector"]["pid"]
    assert running["detached"]["keeper"] == known(bench)["keeper"]["pid"]
    assert "r1 was launched" in bench("status", "r1").stderr
    bench.wait_for(lambda: is_done(bench))
    finished = bench.status("r1")
    assert (finished["state"], finished["detached"]["code"], finished["detached"]["keeper"]) == (
        "done",
        0,
        None,
    )
    assert bench.query(ONCE) == [{"cells": 8, "d": 8}]
    log = (bench.root / "data" / "detached" / "r1.log").read_text()
    assert "8/8 cells" in log
    assert "the collector ended, exit code 0" in log
    assert (bench.root / "data" / "detached" / ".gitignore").read_text() == "*\n"
    bench("verify-store")


def test_it_survives_the_kill_of_its_launchers_group(bench):
    """Defect 42 of the field notes: what is launched must not die with the group of who launched it."""
    shell = subprocess.Popen(
        [*bench.argv(*RUN)], cwd=bench.root, env=bench.env(), stderr=subprocess.PIPE, start_new_session=True
    )
    bench.wait_for((bench.root / "data" / "runs" / "r1" / "run.json").exists)
    with suppress(ProcessLookupError):
        os.killpg(shell.pid, signal.SIGKILL)
    shell.communicate()
    assert os.getsid(known(bench)["keeper"]["pid"]) not in (shell.pid, os.getsid(0))
    assert os.getsid(known(bench)["keeper"]["pid"]) != known(bench)["keeper"]["pid"], (
        "no terminal can be its own"
    )
    bench.wait_for(lambda: is_done(bench))
    assert bench.query(ONCE) == [{"cells": 8, "d": 8}]


def test_it_goes_on_after_a_kill_and_no_cell_is_lost_or_doubled(bench):
    bench(*RUN)
    kill_collector(bench, times=2)
    bench.wait_for(lambda: is_done(bench))
    assert (known(bench)["restarted"], known(bench)["code"]) == (2, 0)
    assert bench.query(ONCE) == [{"cells": 8, "d": 8}]
    cut = bench.query("select count(*) as n from attempts where outcome = 'interrupted'")[0]["n"]
    assert cut <= 2
    said = bench("status", "r1").stderr
    assert "gone on with 2 of at most 8 times" in said
    bench("verify-store")


@pytest.mark.parametrize("restarts", [0, 1])
def test_it_goes_on_so_often_and_no_oftener(bench, restarts):
    bench(*RUN, "--restarts", str(restarts))
    kill_collector(bench, times=restarts + 1)
    bench.wait_for(lambda: is_done(bench))
    assert known(bench)["restarted"] == restarts
    assert known(bench)["code"] == -signal.SIGKILL
    assert "killed (SIGKILL)" in known(bench)["why"]
    stopped = bench.status("r1")
    assert (stopped["state"], stopped["pid"], stopped["now"]) == ("stopped", None, None)
    assert "`benchctl run tiny" in bench("status", "r1").stderr
    bench(*RUN[:-1])
    assert bench.query(ONCE) == [{"cells": 8, "d": 8}]


@pytest.mark.parametrize("whom", ["keeper", "collector"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_for_good(bench, whom, number):
    bench(*RUN)
    os.kill(known(bench)[whom]["pid"], number)
    bench.wait_for(lambda: is_done(bench))
    assert (known(bench)["code"], known(bench)["why"], known(bench)["restarted"]) == (130, "interrupted", 0)
    assert bench.status("r1")["state"] == "stopped"


def test_without_its_keeper_the_collector_goes_on_and_nobody_says_that_it_is_kept(bench):
    bench.write_slow(reps=100)
    bench(*RUN)
    os.kill(known(bench)["keeper"]["pid"], signal.SIGKILL)
    bench.wait_for(lambda: b"benchctl" not in _words(known(bench)["keeper"]["pid"]))
    running = bench.status("r1")
    assert (running["state"], running["detached"]["keeper"]) == ("running", None)
    assert "its keeper is dead" in bench("status", "r1").stderr
    kill_collector(bench)
    assert bench.status("r1")["state"] == "stopped", "neither of them lives"


def test_a_second_launch_is_refused_and_disturbs_nothing(bench):
    bench(*RUN)
    keeper = known(bench)["keeper"]
    again = bench(*RUN, code=3)
    assert "[run-busy]" in again.stderr
    assert f"kept by process {keeper['pid']}" in again.stderr
    assert known(bench)["keeper"] == keeper
    bench.wait_for(lambda: is_done(bench))
    assert bench.query(ONCE) == [{"cells": 8, "d": 8}]


def test_what_is_refused_is_said_at_the_launch_and_its_code_is_the_commands(bench):
    shutil.rmtree(bench.suite_dir / "corpus")
    refused = bench(*RUN, code=None)
    assert refused.returncode in (2, 3), refused.stderr
    assert "corpus" in refused.stderr
    assert refused.stdout == ""
    found = bench.status("r1")
    assert (found["state"], found["detached"]["code"]) == ("unbegun", refused.returncode)
    assert json.loads(bench("status", "--format", "json").stdout)["runs"] == [], "it is no run"


def test_options_that_make_no_sense_are_refused(bench):
    assert "--restarts without --detach" in bench(*RUN[:-1], "--restarts", "3", code=2).stderr
    assert "--detach with --preflight-only" in bench(*RUN, "--preflight-only", code=2).stderr


def test_json_is_the_status_of_the_run(bench):
    document = json.loads(bench(*RUN, "--format", "json").stdout)
    jsonschema.Draft202012Validator(json.loads(STATUS_SCHEMA.read_text())).validate(document)
    (found,) = document["runs"]
    assert found["run"] == "r1"
    assert found["state"] == "running"
    bench.wait_for(lambda: is_done(bench))
