"""A further generation is there whole or not at all, whatever happens on the way, and nothing else is touched."""

import json
import multiprocessing
import os
import shutil
from contextlib import contextmanager, suppress

import pytest
from small_run import plan, record, run_cell

from benchctl.errors import (
    PlanDiffersError,
    RunBusyError,
    RunClosedError,
    RunOpenError,
    StoreDamagedError,
    StoreExistsError,
    StoreUnwritableError,
)
from benchctl.store.checking.verify import verify_run
from benchctl.store.disk.layout import (
    first_name,
    later_generation,
    names_of_table,
    original_name,
    replacement_name,
)
from benchctl.store.disk.manifest import newest_manifest
from benchctl.store.journals.lock import RunLock
from benchctl.store.reader import Store
from benchctl.store.writing import generation
from benchctl.store.writing.corrections import append_voids
from benchctl.store.writing.generation import add_generation, adding
from benchctl.store.writing.writer import RunWriter

TRANSCRIPTS = "evidence/transcripts.parquet"


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    with RunWriter.create(store, record(cells=plan(2))) as writer:
        for cell in writer.unfinished:
            run_cell(writer, cell, 0.5)
        writer.close()
    return store.run("r1")


@pytest.fixture
def run(sealed, tmp_path):
    shutil.copytree(sealed.path, tmp_path / "runs" / "r1")
    return Store(tmp_path).run("r1")


def names(run):
    return sorted(p.relative_to(run.path).as_posix() for p in run.path.rglob("*") if p.is_file())


def test_a_generation_lists_everything_anew_and_names_the_one_before(run, tmp_path):
    before = {name: (run.path / name).read_bytes() for name in names(run)}
    (tmp_path / "made").write_bytes(b"moved")
    made = add_generation(run.layout, {"notes/a.txt": b"written", "notes/b.txt": tmp_path / "made"})
    assert made == newest_manifest(run.layout)
    assert (made.generation, made.previous, made.data) == (2, run.manifest.digest, run.data_digest)
    assert made.files.keys() == {*run.manifest.files, "manifest.json", "notes/a.txt", "notes/b.txt"}
    assert (run.path / "notes/b.txt").read_bytes() == b"moved"
    assert not (tmp_path / "made").exists()
    assert {name: (run.path / name).read_bytes() for name in before} == before
    assert verify_run(run.path, "texts") == []
    assert not run.layout.journal.exists()


def test_what_is_removed_is_named_for_good_with_its_size_and_digest(run):
    was = run.manifest.files[TRANSCRIPTS]
    second = add_generation(run.layout, {}, remove={TRANSCRIPTS: "too big"})
    assert (second.removed[TRANSCRIPTS].bytes, second.removed[TRANSCRIPTS].sha256) == (was.bytes, was.sha256)
    assert (second.removed[TRANSCRIPTS].why, second.removed[TRANSCRIPTS].generation) == ("too big", 2)
    assert json.loads(run.layout.manifest(2).read_bytes())["schema"] == "benchctl.manifest/2"
    assert not (run.path / TRANSCRIPTS).exists()
    assert second.file_of("transcripts") is None
    assert "transcripts" not in second.tables
    third = add_generation(run.layout, {"a": b""})
    assert third.removed == second.removed
    assert verify_run(run.path) == []
    with pytest.raises(StoreExistsError, match="removed for good"):
        add_generation(run.layout, {TRANSCRIPTS: b""})


def test_a_manifest_that_lists_only_files_stays_of_the_first_schema(run):
    add_generation(run.layout, {"a": b""})
    assert json.loads(run.layout.manifest(2).read_bytes())["schema"] == "benchctl.manifest/1"


def test_a_taken_name_is_refused_and_nothing_is_left(run):
    before = names(run)
    for name in ("run.json", "manifest.json", "rows/cells.parquet"):
        with pytest.raises(StoreExistsError):
            add_generation(run.layout, {"new": b"", name: b""})
    assert names(run) == before
    assert verify_run(run.path) == []


def test_an_open_run_and_no_run_are_not_added_to(tmp_path):
    store = Store(tmp_path)
    with RunWriter.create(store, record(cells=plan(2))), pytest.raises(RunOpenError, match="not closed"):
        add_generation(store.layout("r1"), {"a": b""})
    with pytest.raises(RunOpenError):
        add_generation(store.layout("none"), {"a": b""})
    assert not store.layout("none").folder.exists()


def test_damage_is_not_made_right_by_a_new_manifest(run):
    path = run.path / TRANSCRIPTS
    path.write_bytes(path.read_bytes()[:-1])
    add_generation(run.layout, {"a": b""})
    assert [damage.path for damage in verify_run(run.path)] == [TRANSCRIPTS]


class _Died(BaseException):
    """The process is gone: nothing it wanted to do afterwards happens."""


@contextmanager
def death_at(count):
    """Let this many changes to the disk happen; every later one does not, cleaning up included."""
    left = [count]
    with pytest.MonkeyPatch.context() as patch:
        for name in ("link", "fsync", "unlink", "rmdir", "mkdir", "ftruncate"):
            original = getattr(os, name)

            def step(*words, _original=original, **options):
                if left[0] <= 0:
                    raise _Died
                left[0] -= 1
                return _original(*words, **options)

            patch.setattr(os, name, step)
        yield


def changes(run, act):
    """Return how many changes to the disk an addition makes."""
    for count in range(1000):
        shutil.copytree(run.path, run.path.parent / f"c{count}" / "r1")
        copy = Store(run.path.parents[1]).layout("r1")
        copy = type(copy)(run.path.parent / f"c{count}" / "r1")
        try:
            with death_at(count):
                act(copy)
        except _Died:
            yield copy
        else:
            return


ACTS = [
    lambda layout: add_generation(layout, {"a": b"one", "b/c": b"two"}),
    lambda layout: add_generation(layout, {"a": b"one"}, remove={TRANSCRIPTS: "too big"}),
]


@pytest.mark.parametrize("act", ACTS)
def test_a_death_at_any_moment_leaves_the_run_as_before_or_as_after(run, act):
    seen = set()
    for layout in changes(run, act):
        found = newest_manifest(layout)
        seen.add(found.generation)
        damages = verify_run(layout.folder)
        assert all(
            any(
                word in damage.what
                for word in ("unfinished addition", "left over by", "says that it was removed")
            )
            for damage in damages
        ), damages
        again = add_generation(layout, {"next": b"three"})
        assert again.generation == found.generation + 1
        assert verify_run(layout.folder, "texts") == []
        assert (layout.folder / "a").exists() is (found.generation == 2)
    assert seen == {1, 2}


def test_resuming_sweeps_what_a_dead_addition_has_left(run):
    for layout in changes(run, ACTS[1]):
        store = Store(layout.folder.parents[1])
        moved = store.runs_dir / "r1"
        if moved.exists():
            shutil.rmtree(moved)
        shutil.copytree(layout.folder, moved)
        with pytest.raises((RunClosedError, PlanDiffersError)):
            RunWriter.resume(store, "r1")
        assert verify_run(moved) == []


def test_a_file_that_is_not_what_the_note_says_is_nobodys_to_sweep(run):
    for count in range(200):
        copy = run.path.parent / f"d{count}" / "r1"
        shutil.copytree(run.path, copy)
        layout = type(run.layout)(copy)
        with death_at(count), suppress(_Died):
            add_generation(layout, {"a": b"one"})
        if (copy / "a").exists() and newest_manifest(layout).generation == 1:
            break
    (copy / "a").write_bytes(b"somebody's own")
    (copy / "z").write_bytes(b"somebody's own")
    assert "added" in {damage.path: damage.what for damage in verify_run(copy)}["a"]
    with pytest.raises(StoreExistsError):
        add_generation(layout, {"a": b"one"})
    assert (copy / "a").read_bytes() == b"somebody's own"
    assert [damage.path for damage in verify_run(copy)] == ["a", "z"]


@pytest.mark.parametrize("call", ["fsync", "link"])
def test_a_disk_that_fails_leaves_nothing(run, call, monkeypatch):
    before, real = names(run), getattr(os, call)
    for nth in range(1, 12):
        left = [nth]

        def failing(*words, _left=left, **options):
            _left[0] -= 1
            if _left[0] == 0:
                raise OSError(28, "No space left on device")
            return real(*words, **options)

        monkeypatch.setattr(os, call, failing)
        try:
            add_generation(run.layout, {"a": b"one", "b": b"two"})
        except StoreUnwritableError:
            monkeypatch.undo()
            assert newest_manifest(run.layout).generation == 1
            assert {damage.path for damage in verify_run(run.path)} <= {"journal/"}  # the lock's own file
            assert set(names(run)) - {"journal/lock"} == set(before)
        else:
            break
    assert nth > 3


def _racer(folder, name, ready):
    ready.wait()
    add_generation(Store(folder).layout("r1"), {name: name.encode()})


def test_racing_additions_all_stand_one_on_top_of_the_other(run):
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(4)
    racers = [
        context.Process(target=_racer, args=(run.path.parents[1], f"n{number}", ready)) for number in range(4)
    ]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert [racer.exitcode for racer in racers] == [0, 0, 0, 0]
    assert newest_manifest(run.layout).generation == 5
    assert all((run.path / f"n{number}").exists() for number in range(4))
    assert verify_run(run.path) == []


def test_an_addition_waits_for_another_and_then_says_who_is_in_the_way(run, monkeypatch):
    monkeypatch.setattr(generation, "_WAIT_S", 0.2)
    lock = RunLock(run.layout.lock, "r1")
    assert verify_run(run.path) == []  # a living writer is no damage
    with pytest.raises(RunBusyError, match=f"is being added to by process {os.getpid()}"):
        add_generation(run.layout, {"a": b""})
    lock.release()
    add_generation(run.layout, {"a": b""})


def test_a_fault_inside_leaves_nothing_behind(run):
    def half(addition):
        (addition.scratch / "half.tmp").write_bytes(b"")
        raise StoreDamagedError("in the middle")

    with pytest.raises(StoreDamagedError), adding(run.layout) as addition:
        half(addition)
    assert verify_run(run.path) == []


NAMES = [
    # the file, its replacement in generation 3
    ("run.json", "run-0003.json"),
    ("rows/cells.parquet", "rows/cells-0003.parquet"),
    ("rows/voids-0002.parquet", "rows/voids-0002-0003.parquet"),
    ("grades/g0001.parquet", "grades/g0001-0003.parquet"),
    ("evidence/gold.json", "evidence/gold-0003.json"),
    ("evidence/suite.toml", "evidence/suite-0003.toml"),
    ("tables/prices.parquet", "tables/prices@0003.parquet"),
    ("tables/a.b-0002.json", "tables/a.b-0002@0003.json"),  # a table's name may look like anything
    ("tables/prices.source.csv.gz", "tables/prices@0003.source.csv.gz"),
]


@pytest.mark.parametrize(("name", "other"), NAMES)
def test_a_replacement_is_known_by_its_name(name, other):
    assert original_name(name) == (name, 0)
    assert replacement_name(name, 3) == other
    assert original_name(other) == (name, 3)
    assert later_generation(other) == 3
    assert replacement_name(other, 3) == other


def test_the_files_of_a_table_are_the_newest_of_each_generation():
    files = [
        "grades/g0002.parquet",
        "grades/g0001.parquet",
        "grades/g0001-0004.parquet",
        "rows/cells-0004.parquet",
    ]
    assert names_of_table(files, "grades") == ["grades/g0001-0004.parquet", "grades/g0002.parquet"]
    assert names_of_table(files, "cells") == ["rows/cells-0004.parquet"]
    assert names_of_table(files, "voids") == []
    assert first_name("voids", 12) == "rows/voids-0012.parquet"


CELL = {"cell": "q1/grep/rg/none/1", "why": "seen later", "noted_at": "2026-11-30T07:00:00.000000Z"}
LOST = [
    lambda run: append_voids(run, [{**CELL, "void": True}]),
    lambda run: add_generation(run.layout, {"tables/p.source.csv": b""}),
    lambda run: add_generation(
        run.layout, {"run-0002.json": run.layout.record.read_bytes()}, remove={"run.json": "held a key"}
    ),
]


@pytest.mark.parametrize("add", LOST)
def test_a_last_manifest_that_is_lost_is_not_papered_over_by_the_next_addition(run, add):
    add(run)
    kept = run.layout.manifest(2).read_bytes()
    run.layout.manifest(2).unlink()
    before = {name: (run.path / name).read_bytes() for name in names(run)}
    for again in (add, lambda run: add_generation(run.layout, {"a": b""})):
        with pytest.raises(
            StoreDamagedError, match=r"manifest-0002\.json: missing, or .* is no file of this run"
        ):
            again(run)
    assert {name: (run.path / name).read_bytes() for name in names(run)} == before
    assert verify_run(run.path)
    run.layout.manifest(2).write_bytes(kept)
    add_generation(run.layout, {"a": b""})
    assert verify_run(run.path) == []


def test_a_note_of_a_generation_after_the_next_says_that_a_manifest_is_lost(run):
    run.layout.journal.mkdir()
    run.layout.addition.write_text('{"files":{"a":[0,"x"]},"generation":3}')
    with pytest.raises(StoreDamagedError, match="a note of generation 3"):
        add_generation(run.layout, {"b": b""})


@pytest.mark.parametrize("name", ["../outside", "/etc/hostname", "a\0b"])
def test_a_note_never_sweeps_outside_of_its_run(run, name):
    outside = run.path.parent / "outside"
    outside.write_bytes(b"")
    run.layout.journal.mkdir()
    entry = [0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]
    run.layout.addition.write_text(json.dumps({"files": {name: entry}, "generation": 2}))
    add_generation(run.layout, {"b": b""})
    assert outside.exists()


def test_what_a_cut_addition_leaves_is_no_damage_and_an_addition_sweeps_it(run):
    run.layout.journal.mkdir()
    run.layout.lock.write_text("{}")  # as a full disk leaves it, before any note
    (damage,) = verify_run(run.path)
    assert (damage.leftover, "the next addition sweeps it" in damage.what) == (True, True)
    (run.path / "rows" / "cells.parquet").write_bytes(b"")
    assert {damage.path: damage.leftover for damage in verify_run(run.path)} == {
        "journal/": True,
        "rows/cells.parquet": False,
    }
