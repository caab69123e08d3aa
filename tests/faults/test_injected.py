"""Every step of starting, collecting and closing a run fails once, or is the last thing a process does.

A failing disk is refused with an error that says so; a death leaves what the next start
finishes. Either way nothing is half there, and the rows are the ones a quiet run has.
"""

import errno
import os
from pathlib import Path

import pytest
from small_run import plan, record, run_cell

from benchctl.errors import BenchctlError, RunClosedError, RunUnknownError, StoreUnwritableError
from benchctl.store.reader import Store
from benchctl.store.verify import verify_run
from benchctl.store.writer import RunWriter

STEPS = [
    (os, "fsync"),
    (os, "link"),
    (os, "write"),
    (os, "open"),
    (os, "pwrite"),
    (os, "mkdir"),
    (Path, "unlink"),
    (Path, "rmdir"),
    (Path, "write_bytes"),
]
CELLS = plan(2)


class Died(BaseException):
    """What a process that is killed here would not live to see."""


def _chosen(total):
    """Return which calls fail: by default some of them, the first and the last among them."""
    if os.environ.get("BENCHCTL_FAULTS") == "all":
        return range(1, total + 1)
    return sorted({1, total, *range(2, total, max(1, total // 5))})


def full():
    return OSError(errno.ENOSPC, "No space left on device")


def go(store):
    """Start or resume, collect what is missing, close."""
    try:
        writer = RunWriter.resume(store, "r1")
    except RunUnknownError:
        writer = RunWriter.create(store, record(cells=CELLS, suite="x"), suite_text="x")
    with writer:
        for cell in writer.unfinished:
            run_cell(writer, cell, 0.5)
        writer.gold("q1", ["a"])
        writer.close()


def count_calls(monkeypatch, where, name, tmp_path):
    calls = []
    real = getattr(where, name)
    with monkeypatch.context() as patch:
        patch.setattr(where, name, lambda *args, **more: (calls.append(name), real(*args, **more))[1])
        go(Store(tmp_path / "quiet"))
    return len(calls)


def fail_at(number, error, real):
    calls = []

    def step(*args, **more):
        calls.append(1)
        if len(calls) == number:
            raise error()
        return real(*args, **more)

    return step


@pytest.mark.parametrize(("where", "name"), STEPS, ids=[name for _, name in STEPS])
@pytest.mark.parametrize("error", [full, Died], ids=["full", "death"])
def test_a_step_that_fails_leaves_a_run_that_the_next_start_finishes(
    tmp_path, monkeypatch, where, name, error
):
    total = count_calls(monkeypatch, where, name, tmp_path)
    quiet = Store(tmp_path / "quiet").run("r1")
    assert total > 0
    for number in _chosen(total):
        store = Store(tmp_path / str(number))
        with monkeypatch.context() as patch:
            patch.setattr(where, name, fail_at(number, error, getattr(where, name)))
            outcome = _try(store)
        assert outcome in (None, Died, StoreUnwritableError), number
        _nothing_is_half_there(store)
        assert _try(store) in (None, RunClosedError), number
        run = store.run("r1")
        assert verify_run(run.path) == [], number
        assert run.state == "closed"
        assert run.manifest.tables["grades"] == quiet.manifest.tables["grades"]
        assert run.manifest.tables["cells"].rows == len(CELLS)


def _try(store):
    """Return what stopped the run, None where nothing did."""
    try:
        go(store)
    except (BenchctlError, Died) as error:
        return type(error)
    return None


def _nothing_is_half_there(store):
    """A run that exists can be read, and what can be read is whole."""
    for name in store.names():
        run = store.run(name)
        assert run.record == record(cells=CELLS, suite="x")
        for table, row in run.history().rows(run.record, closing=False):
            if table == "cells":
                assert (row["outcome"], row["wall_s"]) == ("ok", 0.25)
        assert [d for d in verify_run(run.path) if d.path != "journal/"] == []
