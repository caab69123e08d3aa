"""A collector killed with -9 at any moment loses nothing it has acknowledged, and nothing counts twice."""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from small_run import plan, run_cell

from benchctl.errors import RunClosedError, StoreExistsError
from benchctl.store.checking.verify import verify_run
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

KILLS = int(os.environ.get("BENCHCTL_KILLS", "12"))
"""Kills in one test: 25 by default, more on request."""

CELLS = 400


def collect(folder, *, cells=CELLS, attempts=2, close="close"):
    program = Path(__file__).with_name("collector.py")
    command = [sys.executable, str(program), str(folder), str(cells), str(attempts), close]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def kill_after(child, seconds):
    """Kill a ready child after a while; return the cells it acknowledged, and whether it closed the run."""
    with child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(seconds)
        child.kill()
        lines = child.stdout.read().splitlines()
    return {line.removeprefix("done ") for line in lines if line.startswith("done ")}, "closed" in lines


def check(store, acknowledged):
    """Check what a reader sees at this moment against everything acknowledged so far."""
    run = store.run("r1")
    rows = run.cells()
    cells = Counter(row["cell"] for row in rows)
    assert set(cells.values()) <= {1}
    assert acknowledged <= cells.keys()
    assert verify_run(run.path) in ([], _litter(run))
    return rows


def _litter(run):
    return [damage for damage in verify_run(run.path) if damage.path == "journal/"]


def test_nothing_acknowledged_is_lost_and_nothing_counts_twice(tmp_path):
    dice, store = random.Random(20261130), Store(tmp_path)
    acknowledged: set[str] = set()
    kills = 0
    while kills < KILLS and (not acknowledged or store.run("r1").state == "open"):
        new, _ = kill_after(collect(tmp_path, close="open"), dice.uniform(0, 0.04))
        assert not new & acknowledged  # a finished cell is never collected again
        acknowledged |= new
        kills += 1
        check(store, acknowledged)
    assert kills == KILLS
    before = {row["cell"]: row for row in store.run("r1").cells()}
    with RunWriter.resume(store, "r1") as writer:
        manifest = writer.close(allow_unfinished=True)
    rows = check(store, acknowledged)
    assert {row["cell"]: row for row in rows if row["outcome"] == "ok"} == before
    attempts = store.run("r1").rows("attempts")
    assert (
        len({(row["cell"], row["attempt"]) for row in attempts})
        == len(attempts)
        == manifest.tables["attempts"].rows
    )
    interrupted = [row for row in attempts if row["outcome"] == "interrupted"]
    assert interrupted, f"{KILLS} kills hit no attempt"
    assert all(row["wall_s"] is None for row in interrupted)
    assert {row["cell"]: row["attempts"] for row in rows} == Counter(row["cell"] for row in attempts)


def test_a_closing_killed_at_any_moment_is_done_again_to_the_same_rows(tmp_path):
    dice, cells = random.Random(7), [cell.cell for cell in plan(40)]
    digests = set()
    for index in range(max(5, KILLS // 3)):
        folder = tmp_path / str(index)
        store = Store(folder)
        kill_after(collect(folder, cells=40, attempts=1, close="close"), dice.uniform(0.02, 0.25))
        try:
            if store.run("r1").state == "open":
                with RunWriter.resume(store, "r1") as writer:
                    for cell in writer.unfinished:
                        run_cell(writer, cell, 0.5)
                    writer.close()
            else:
                with pytest.raises(RunClosedError):
                    RunWriter.resume(store, "r1")
        except StoreExistsError:
            pytest.fail("a half-closed run was not swept")
        run = store.run("r1")
        assert verify_run(run.path) == []
        assert [row["cell"] for row in run.cells()] == cells
        digests.add(tuple(row["row_digest"] for row in run.rows("grades")))
    assert len(digests) == 1


def test_a_reader_sees_a_growing_run_and_never_a_bad_row(tmp_path):
    with collect(tmp_path, cells=150, attempts=1) as child:
        assert child.stdout.readline() == "ready\n"
        store, seen, reads = Store(tmp_path), 0, 0
        while child.poll() is None:
            rows = store.run("r1").cells()
            assert len(rows) >= seen
            assert all(row["score"] == 0.5 and row["outcome"] == "ok" for row in rows)
            seen, reads = len(rows), reads + 1
    assert (child.returncode, reads > 0) == (0, True)
    assert len(store.run("r1").cells()) == 150
