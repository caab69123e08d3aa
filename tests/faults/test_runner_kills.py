"""A whole runner killed with -9 at any moment, and resumed: nothing finished is lost, and nothing is paid twice.

BENCHCTL_KILLS=200 makes it the long loop; the slice in CI is short.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from quick_runner import write_project

from benchctl.store.checking.verify import verify_run
from benchctl.store.reader import Store

KILLS = int(os.environ.get("BENCHCTL_KILLS", "5"))
QUESTIONS, REPS = 4, 8


class Runner:
    """A project, and the process that collects a run of it."""

    def __init__(self, root):
        self.root = root
        self.temporary = root / "tmp"
        self.temporary.mkdir()
        write_project(root, questions=QUESTIONS, reps=REPS, longest_s=0.1)
        self.store = Store(root / "data")

    def start(self, run):
        env = {**os.environ, "TMPDIR": str(self.temporary)}
        program = Path(__file__).resolve().parents[1] / "quick_runner.py"
        command = [sys.executable, str(program), str(self.root), run]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)

    def killed(self, run, dice):
        """Kill a runner at some moment; return the cells that it acknowledged, and whether it closed the run.

        Most often among its cells or while it closes the run, and sometimes before the first.
        """
        with self.start(run) as child:
            if dice.random() < 0.8:
                child.stdout.readline()
                time.sleep(dice.uniform(0, 0.8))
            else:
                time.sleep(dice.uniform(0, 2))
            child.kill()
            lines, errors = child.communicate()
        assert not errors, errors
        said = lines.splitlines()
        return {line.removeprefix("done ") for line in said if line.startswith("done ")}, "closed" in said

    def finished(self, run):
        """Collect what a run lacks, undisturbed."""
        with self.start(run) as child:
            _, errors = child.communicate()
        assert child.returncode == 0, errors

    def really_started(self):
        log = self.root / "starts.log"
        return Counter(log.read_text().split()) if log.exists() else Counter()


def agents_left(root):
    """Return the processes whose command line names this project's log: agents that outlived their runner."""
    left = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if str(root / "starts.log") in line and "quick_runner.py" not in line:
            left.append(line)
    return left


def wait_until_gone(root):
    until = time.monotonic() + 20
    while agents_left(root):
        assert time.monotonic() < until, agents_left(root)
        time.sleep(0.01)


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path)


def test_a_runner_killed_at_any_moment_and_resumed_loses_nothing_and_pays_nothing_twice(runner):
    dice, acknowledged, number = random.Random(20261130), set(), 1
    before = Counter()
    for _ in range(KILLS):
        run = f"r{number}"
        new, closed = runner.killed(run, dice)
        wait_until_gone(runner.root)
        assert not new & acknowledged, "a finished cell is never collected again"
        acknowledged |= new
        if run in runner.store.names():
            assert acknowledged <= {row["cell"] for row in runner.store.run(run).cells()}
        if closed or (run in runner.store.names() and runner.store.run(run).state == "closed"):
            runner.finished(run)  # sweeps what one has left that died while it closed the run
            check(runner, run, runner.really_started() - before)
            acknowledged, number, before = set(), number + 1, runner.really_started()
    run = f"r{number}"
    runner.finished(run)
    check(runner, run, runner.really_started() - before)
    assert not list(runner.temporary.glob("benchctl-*")), "what dead runners left is swept"


def check(runner, run, started):
    """Check a closed run's rows against each other, and against how often its agent was really started."""
    found = runner.store.run(run)
    assert verify_run(found.path) == []
    cells, attempts = found.cells(), found.rows("attempts")
    assert len(cells) == len({row["cell"] for row in cells}) == QUESTIONS * REPS
    assert {row["outcome"] for row in cells} == {"ok"}
    places = Counter((row["cell"], row["attempt"]) for row in attempts)
    assert set(places.values()) == {1}
    assert {row["cell"]: row["attempts"] for row in cells} == Counter(row["cell"] for row in attempts)
    ended = [row for row in attempts if row["outcome"] != "interrupted"]
    assert Counter(row["cell"] for row in ended) == {row["cell"]: 1 for row in cells}, "no cell ended twice"
    assert sum(row["cost_usd"] for row in cells) == 0.25 * len(ended) == sum(row["cost_usd"] for row in ended)
    assert {row["cell"]: row["wall_s"] for row in cells} == {row["cell"]: row["wall_s"] for row in ended}
    # An agent that was started has an attempt that said so before; one that was cut may never have been started.
    noted = Counter(row["cell"].partition("/")[0] for row in attempts)
    finished = Counter(row["cell"].partition("/")[0] for row in ended)
    assert all(finished[question] <= started[question] <= noted[question] for question in noted), (
        started,
        noted,
    )
