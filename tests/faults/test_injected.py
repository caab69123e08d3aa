"""Every step of starting, collecting, closing and correcting a run fails once, or is the last thing a process does.

A failing disk is refused with an error that says so; a death leaves what the next start
finishes. Either way nothing is half there, and the rows are the ones a quiet run has.
"""

import errno
import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from small_run import AT, plan, record, run_cell

from benchctl.errors import BenchctlError, RunClosedError, RunUnknownError, StoreUnwritableError
from benchctl.store.checking.verify import verify_run
from benchctl.store.reader import Store
from benchctl.store.writing.corrections import append_voids
from benchctl.store.writing.writer import RunWriter

STEPS = [
    (os, "fsync"),
    (os, "link"),
    (os, "write"),
    (os, "open"),
    (os, "pwrite"),
    (os, "ftruncate"),
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
    return sorted({1, total, *range(2, total, max(1, total // 3))})


def full():
    return OSError(errno.ENOSPC, "No space left on device")


def go(store, *, shared=False):
    """Start or resume, collect what is missing, close, and void a cell."""
    with suppress(RunClosedError):
        collect(store, shared=shared)
    why = {"cell": CELLS[0].cell, "void": True, "why": "the corpus was another", "noted_at": AT}
    append_voids(store.run("r1"), [why])


def collect(store, *, shared):
    try:
        writer = RunWriter.resume(store, "r1", shared=shared)
    except RunUnknownError:
        writer = RunWriter.create(store, record(cells=CELLS, suite="x"), suite_text="x", shared=shared)
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
            outcome = _try(store, shared=number % 2 == 0)
        assert outcome in (None, Died, StoreUnwritableError), number
        _nothing_is_half_there(store)
        assert _try(store) is None, number
        _is_done(store, quiet)


def _is_done(store, quiet):
    """The run is the one that nothing happened to."""
    run = store.run("r1")
    assert verify_run(run.path) == []
    assert (run.state, run.manifest.generation) == ("closed", 2)
    assert run.manifest.tables.keys() == quiet.manifest.tables.keys()
    assert run.manifest.tables["grades"] == quiet.manifest.tables["grades"]
    assert [row["void"] for row in run.cells()] == [True, False]


def _try(store, *, shared=False):
    """Return what stopped the run, None where nothing did."""
    try:
        go(store, shared=shared)
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
        odd = [damage for damage in verify_run(run.path) if damage.path != "journal/"]
        assert [damage for damage in odd if "left over" not in damage.what] == []


@pytest.fixture
def small_disk(tmp_path):
    """A filesystem of a few hundred KiB, to be filled."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=800k", "benchctl-test", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("mounting a small filesystem takes root; the injected failures above run everywhere")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_disk_that_is_full_to_any_degree_is_refused_and_freed_the_run_goes_on(small_disk, tmp_path):
    go(Store(tmp_path / "quiet"))
    quiet, refused = Store(tmp_path / "quiet").run("r1"), 0
    for free in (0, 4, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112):
        store, filler = Store(small_disk / "store"), small_disk / "filler"
        filler.write_bytes(bytes(800 * 1024 - free * 1024))
        outcome = _try(store)
        assert outcome in (None, StoreUnwritableError), free
        refused += outcome is not None
        _nothing_is_half_there(store)
        filler.unlink()
        assert _try(store) is None, free
        _is_done(store, quiet)
        shutil.rmtree(store.path)
    assert refused > 5
