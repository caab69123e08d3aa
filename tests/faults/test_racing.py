"""Many writers at once, a disk that cannot be written, and files that are missing, added or renamed: each its own error."""

import os
import shutil
import subprocess
import sys

import pytest
from small_run import plan, record, run_cell

from benchctl.errors import (
    RunUnknownError,
    StoreDamagedError,
    StoreUnwritableError,
)
from benchctl.store.checking.verify import verify_run
from benchctl.store.reader import Store
from benchctl.store.sql.query import query_sql
from benchctl.store.writing.corrections import append_voids
from benchctl.store.writing.writer import RunWriter

RACERS = 24

RACER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from small_run import plan, record, run_cell
from benchctl.errors import BenchctlError, StoreExistsError
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter
store = Store(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
try:
    try:
        writer = RunWriter.create(store, record(cells=plan(2)))
    except StoreExistsError:
        writer = RunWriter.resume(store, "r1")
except BenchctlError as error:
    print(error.slug, flush=True)
    sys.exit(0)
with writer:
    print("won", flush=True)
    sys.stdin.readline()
    for cell in writer.unfinished:
        run_cell(writer, cell, 0.5)
    writer.close()
"""


@pytest.mark.parametrize("begun", [False, True], ids=["nobody began", "somebody died"])
def test_of_many_racing_writers_one_wins_and_the_others_are_told_that_it_is_busy(tmp_path, begun):
    store = Store(tmp_path / "data")
    if begun:
        with RunWriter.create(store, record(cells=plan(2))) as writer:
            run_cell(writer, writer.unfinished[0], 0.5)
    tests = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 - a text is wanted
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(store.path), tests],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        for _ in range(RACERS)
    ]
    try:
        for racer in racers:
            assert racer.stdout.readline() == "ready\n"
        for racer in racers:
            racer.stdin.write("go\n")
        said = [racer.stdout.readline().strip() for racer in racers]
        assert sorted(said) == ["run-busy"] * (RACERS - 1) + ["won"]
        run = store.run("r1")
        assert run.state == "open"
        assert verify_run(run.path) == []
        assert len(list(run.layout.journal.glob("w*.jsonl"))) == 1 + begun
    finally:
        for racer in racers:
            racer.communicate()
    assert {racer.returncode for racer in racers} == {0}
    assert [row["score"] for row in store.run("r1").cells()] == [0.5, 0.5]
    assert verify_run(store.run("r1").path) == []


CONTENDER = """
import sys
from pathlib import Path
from benchctl.errors import BenchctlError
from benchctl.workspace.machine_lock import machine_lock
print("ready", flush=True)
sys.stdin.readline()
try:
    with machine_lock(sys.argv[2], Path("/runs", sys.argv[2]), folder=Path(sys.argv[1])):
        print("won", flush=True)
        sys.stdin.readline()
except BenchctlError as error:
    print(error.slug, flush=True)
"""


@pytest.mark.parametrize("share", [False, True], ids=["each another run", "all of them one run"])
def test_of_many_racing_runs_one_has_the_machine_and_those_of_one_run_all_have_it(tmp_path, share):
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", CONTENDER, str(tmp_path / "lock"), "r" if share else f"r{number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        for number in range(RACERS)
    ]
    try:
        for racer in racers:
            assert racer.stdout.readline() == "ready\n"
        for racer in racers:
            racer.stdin.write("go\n")
        said = sorted(racer.stdout.readline().strip() for racer in racers)
        assert said == (["won"] * RACERS if share else ["machine-busy"] * (RACERS - 1) + ["won"])
    finally:
        for racer in racers:
            racer.communicate()
    assert {racer.returncode for racer in racers} == {0}


@pytest.fixture
def store(tmp_path):
    """A store with a closed run, `r1`, and an open one, `r2`, of two journals."""
    store = Store(tmp_path / "data")
    with RunWriter.create(store, record("r1", plan(2), "x"), suite_text="x") as writer:
        for cell in writer.unfinished:
            run_cell(writer, cell, 0.5)
        writer.close()
    with RunWriter.create(store, record("r2", plan(4), "x"), suite_text="x") as writer:
        run_cell(writer, writer.unfinished[0], 0.5)
    with RunWriter.resume(store, "r2") as writer:
        run_cell(writer, writer.unfinished[0], 0.5)
    return store


@pytest.fixture
def read_only(store, tmp_path):
    """The store by way of a mount that cannot be written."""
    place = tmp_path / "read-only"
    place.mkdir()
    for options in (["--bind", str(store.path)], ["-o", "remount,ro,bind"]):
        if (
            os.geteuid() != 0
            or subprocess.run(["mount", *options, str(place)], check=False, capture_output=True).returncode
        ):
            pytest.skip("a read-only mount takes root, and root is not stopped by permissions")
    try:
        yield Store(place)
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_store_on_a_read_only_disk_is_read_and_never_written(read_only):
    assert [len(run.cells()) for run in read_only.runs()] == [2, 2]
    assert read_only.run("r2").progress().finished == 2
    assert query_sql(read_only, "SELECT count(*) FROM cells").rows == [(4,)]
    assert [verify_run(run.path) for run in read_only.runs()] == [[], []]
    void = {"cell": plan(1)[0].cell, "void": True, "why": "x", "noted_at": "2026-11-30T07:00:00Z"}
    for attempt in (
        lambda: RunWriter.create(read_only, record("r3")),
        lambda: RunWriter.create(read_only, record("r3"), shared=True),
        lambda: RunWriter.resume(read_only, "r2"),
        lambda: RunWriter.resume(read_only, "r2", shared=True),
        lambda: append_voids(read_only.run("r1"), [void]),
    ):
        with pytest.raises(StoreUnwritableError, match="Read-only file system"):
            attempt()


def test_permissions_that_refuse_are_named(store):
    if os.geteuid() == 0:
        pytest.skip("root is not stopped by permissions; the read-only mount above is its case")
    store.runs_dir.chmod(0o555)
    store.run("r2").layout.journal.chmod(0o555)
    try:
        for attempt in (
            lambda: RunWriter.create(store, record("r3")),
            lambda: RunWriter.resume(store, "r2"),
        ):
            with pytest.raises(StoreUnwritableError, match="Permission denied"):
                attempt()
    finally:
        store.runs_dir.chmod(0o755)
        store.run("r2").layout.journal.chmod(0o755)


CLOSED = {  # file -> who needs it
    "run.json": lambda run: run.record,
    "rows/cells.parquet": lambda run: run.cells(),
    "rows/attempts.parquet": lambda run: run.rows("attempts"),
    "grades/g0001.parquet": lambda run: run.cells(),
    "evidence/transcripts.parquet": lambda run: run.transcripts(plan(1)[0].cell),
    "evidence/gold.json": lambda run: run.gold(),
}


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("how", ["missing", "renamed"])
def test_a_reader_that_needs_a_missing_file_says_so_and_the_check_names_it(store, name, how):
    run = store.run("r1")
    path = run.path / name
    if how == "missing":
        path.unlink()
    else:
        path.rename(path.with_suffix(".old"))
    named = [(damage.path, damage.what.partition(";")[0]) for damage in verify_run(run.path)]
    moved = path.with_suffix(".old").relative_to(run.path).as_posix()
    assert sorted(named) == sorted([(name, "missing"), *([(moved, "added")] if how == "renamed" else [])])
    with pytest.raises(StoreDamagedError, match=f"{name}: cannot be read: No such file"):
        CLOSED[name](store.run("r1"))


def test_an_added_file_is_named_and_no_reader_takes_it_in(store):
    run = store.run("r1")
    before = run.cells()
    shutil.copy(run.path / "grades/g0001.parquet", run.path / "grades/g0002.parquet")
    assert [damage.path for damage in verify_run(run.path)] == ["grades/g0002.parquet"]
    assert store.run("r1").cells() == before


@pytest.mark.parametrize(
    ("name", "error"),
    [("run.json", RunUnknownError), ("journal/w0001.jsonl", StoreDamagedError)],
)
def test_an_open_run_with_a_file_missing_is_not_continued(store, name, error):
    run = store.run("r2")
    (run.path / name).unlink()
    assert [damage.path for damage in verify_run(run.path)] == [name]
    if name == "run.json":
        error = StoreDamagedError
    for attempt in (lambda: RunWriter.resume(store, "r2"), lambda: store.run("r2").cells()):
        with pytest.raises(error, match=name):
            attempt()


def test_an_open_run_without_its_last_journal_has_lost_it_silently_only_if_it_was_the_last(store):
    """The one loss that nothing can name: nobody else knows of the last journal. Its rows are run again."""
    run = store.run("r2")
    (run.layout.journal / "w0002.jsonl").unlink()
    assert len(store.run("r2").cells()) == 1
    with RunWriter.resume(store, "r2") as writer:
        assert len(writer.unfinished) == 3


def test_a_renamed_journal_is_a_missing_one(store):
    run = store.run("r2")
    (run.layout.journal / "w0001.jsonl").rename(run.layout.journal / "w0009.jsonl")
    assert [damage.path for damage in verify_run(run.path)] == ["journal/w0001.jsonl"]
    with pytest.raises(StoreDamagedError, match=r"w0001\.jsonl: missing"):
        store.run("r2").cells()
