"""Very many trivial cells whose workers are killed at random: one final row for every cell, memory and descriptors flat.

BENCHCTL_SOAK=2000 makes it the long loop; the slice in CI is short.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path

from quick_runner import write_project

from benchctl.store.checking.verify import verify_run
from benchctl.store.reader import Store

CELLS = int(os.environ.get("BENCHCTL_SOAK", "60"))
QUESTIONS = 10
EARLY = 0.25
"""After what share of the cells memory and descriptors have to be what they will be at the end."""

GROWTH_KB = 8 * 1024


def children(pid):
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def size_kb(pid):
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    return 0


def descriptors(pid):
    with suppress(OSError):
        return len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208 - names alone are wanted
    return 0


class Killer(threading.Thread):
    """Kills a worker of the run now and then, and once the nursery that forks them, until it is told to stop."""

    def __init__(self, runner):
        super().__init__(daemon=True)
        self.runner, self.dice, self.over, self.killed = runner, random.Random(7), threading.Event(), 0

    def run(self):
        while not self.over.wait(self.dice.uniform(0.1, 0.5)):
            for nursery in children(self.runner):
                for worker in children(nursery)[:1]:
                    with suppress(ProcessLookupError):
                        os.kill(worker, signal.SIGKILL)
                        self.killed += 1


def test_every_cell_has_one_final_row_and_nothing_grows(tmp_path):
    write_project(tmp_path, questions=QUESTIONS, reps=CELLS // QUESTIONS, longest_s=0.02)
    program = Path(__file__).resolve().parents[1] / "quick_runner.py"
    runner = subprocess.Popen(
        [sys.executable, str(program), str(tmp_path), "soak"], stdout=subprocess.PIPE, text=True
    )
    killer = Killer(runner.pid)
    done, measured = 0, []
    with runner:
        assert runner.stdout.readline() == "ready\n"
        killer.start()
        for line in runner.stdout:
            if line.startswith("done "):
                done += 1
                nursery = sum(size_kb(child) for child in children(runner.pid))
                measured.append((size_kb(runner.pid), nursery, descriptors(runner.pid)))
        killer.over.set()
    assert runner.returncode == 0
    assert done == CELLS
    flat(measured)
    check(Store(tmp_path / "data").run("soak"), killer.killed)


def flat(measured):
    early = measured[int(len(measured) * EARLY)]
    last = [max(column) for column in zip(*measured[-len(measured) // 10 :], strict=True)]
    for before, after in zip(early[:2], last[:2], strict=True):
        assert after - before < GROWTH_KB, (early, last)
    assert last[2] <= early[2] + 2, (early, last)
    print(
        f"RSS {early[0]} to {last[0]} kB, nursery {early[1]} to {last[1]} kB, descriptors {early[2]} to {last[2]}"
    )


def check(run, killed):
    assert verify_run(run.path) == []
    cells, attempts = run.cells(), run.rows("attempts")
    assert len(cells) == len({row["cell"] for row in cells}) == CELLS
    assert set(Counter((row["cell"], row["attempt"]) for row in attempts).values()) == {1}
    assert {row["cell"]: row["attempts"] for row in cells} == Counter(row["cell"] for row in attempts)
    cut = Counter(row["outcome"] for row in attempts)["interrupted"]
    assert {row["outcome"] for row in cells} <= {"ok", "interrupted"}
    assert 0 < cut <= killed, "a worker that was killed is an attempt that the host undid, and is run again"
    assert len(attempts) == CELLS + cut - sum(row["outcome"] == "interrupted" for row in cells)
    print(f"{CELLS} cells, {killed} workers killed, {cut} attempts run again")
