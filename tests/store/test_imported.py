"""An import is there whole or not at all, once, and never over anything."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from import_files import read_file
from small_run import record, run_cell

from benchctl.errors import (
    ImportDiffersError,
    RunBusyError,
    RunUnknownError,
    StoreExistsError,
    StoreUnwritableError,
)
from benchctl.importers.base import ReadOptions
from benchctl.importers.imported import Source, Terms
from benchctl.importers.table import read_table
from benchctl.store.checking.verify import verify_run
from benchctl.store.reader import Store
from benchctl.store.writing.imported import import_record, same_import, write_import
from benchctl.store.writing.imported_table import add_table, same_table
from benchctl.store.writing.staging import STAGING, copied, staged
from benchctl.store.writing.writer import RunWriter

AT = "2026-12-01T00:00:00Z"
ROOT = Path(__file__).resolve().parents[2]
BENCHCTL = Path(sys.executable).with_name("benchctl")
TEXT = "question,arm,score,wall_s,points\nq1,a,0.5,1.5,7\nq1,b,,2.5,\nq2,a,1,3.5,9\n"


def found_in(store, text=TEXT, **terms):
    """Return (the import, its copy) of a text, the copy on the store's disk."""
    store.path.mkdir(parents=True, exist_ok=True)
    copy = store.path / "copy"
    copy.unlink(missing_ok=True)
    copy.write_text(text)
    entry = copied(copy, store.path / f"copy-{random.randrange(10**9)}")
    found = read_file(entry.path, "csv", terms)
    return (
        found.record.model_copy(update={"file": "results.csv", "sha256": entry.sha256, "bytes": entry.bytes}),
        found,
        entry.path,
    )


def bring_in(store, run="r", text=TEXT, **terms):
    imported, found, path = found_in(store, text, **terms)
    return write_import(store, import_record(run, imported, AT), found.tables(), path)


def files_below(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "data")


def test_an_imported_run_is_a_sound_closed_run_with_its_file(store):
    manifest = bring_in(store)
    run = store.run("r")
    assert run.state == "closed"
    assert run.manifest == manifest
    assert verify_run(run.path) == []
    assert (run.path / "evidence" / "source.csv").read_text() == TEXT
    assert manifest.files["evidence/source.csv"].sha256 == run.record.imported.sha256
    assert {name: entry.rows for name, entry in manifest.tables.items()} == {
        "cells": 3, "attempts": 0, "grades": 2, "transcripts": 0, "foreign": 3,
    }  # fmt: skip
    assert run.gold() == {}
    assert run.record.seed is None
    assert run.record.cells == ()
    assert not (store.path / STAGING).exists()


def test_the_same_import_twice_changes_not_one_byte(store):
    manifest = bring_in(store)
    before = files_below(store.run("r").path)
    assert bring_in(store) == manifest
    assert files_below(store.run("r").path) == before


def test_the_same_file_under_another_id_has_the_same_data(store):
    assert bring_in(store, "a").data == bring_in(store, "b").data


@pytest.mark.parametrize(
    ("text", "terms", "says"),
    [
        (TEXT + "q3,a,1,1,1\n", {}, "another file"),
        (TEXT, {"null_texts": ("",)}, "other terms: --null"),
        (TEXT, {"mapped": {"points": "marks"}}, "other terms: --map"),
        (TEXT, {"key": ("arm", "question")}, "other terms: --key"),
    ],
)
def test_other_content_or_terms_under_the_same_id_are_refused(store, text, terms, says):
    bring_in(store)
    before = files_below(store.run("r").path)
    with pytest.raises(ImportDiffersError) as caught:
        bring_in(store, text=text, **terms)
    assert says in caught.value.what
    assert caught.value.exit_code == 3
    assert files_below(store.run("r").path) == before


def test_a_run_that_was_collected_is_never_touched(store):
    for close in (False, True):
        run = f"r{close}"
        with RunWriter.create(store, record(run=run)) as writer:
            for cell in writer.unfinished:
                run_cell(writer, cell)
            if close:
                writer.close()
        before = files_below(store.layout(run).folder)
        with pytest.raises(ImportDiffersError, match="was collected"):
            bring_in(store, run)
        assert files_below(store.layout(run).folder) == before


def test_an_import_is_never_collected_into(store):
    bring_in(store)
    with pytest.raises((StoreExistsError, Exception)) as caught:
        RunWriter.create(store, record(run="r"))
    assert caught.value.exit_code in (2, 3)
    assert verify_run(store.run("r").path) == []


def test_what_a_cut_start_of_a_collection_left_is_cleared_unless_it_lives(store):
    layout = store.layout("r")
    writer = RunWriter.create(store, record(run="other"))
    layout.journal.mkdir(parents=True)
    layout.lock.touch()
    layout.suite.parent.mkdir()
    layout.suite.write_text("cut")
    from benchctl.store.journals.lock import RunLock

    living = RunLock(layout.lock, "r")
    with pytest.raises(RunBusyError):
        bring_in(store)
    living.release()
    bring_in(store)
    assert verify_run(store.run("r").path) == []
    with writer:
        pass


class Broken:
    """Calls of the system that flush, link and rename, of which the nth fails as on a full disk."""

    NAMES = ("fsync", "link", "rename")

    def __init__(self, monkeypatch, nth):
        self.left = nth
        for name in self.NAMES:
            monkeypatch.setattr(os, name, self._failing(getattr(os, name)))

    def _failing(self, real):
        def call(*args, **kwargs):
            self.left -= 1
            if self.left == 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*args, **kwargs)

        return call


def test_whichever_call_fails_there_is_no_run_or_the_whole_one(store, monkeypatch):
    imported, found, path = found_in(store)
    wanted = bring_in(store, "whole").data
    failed = 0
    for nth in range(1, 1000):
        with monkeypatch.context() as patch:
            broken = Broken(patch, nth)
            try:
                write_import(store, import_record("r", imported, AT), found.tables(), path)
            except StoreUnwritableError:
                failed += 1
            else:
                break
            finally:
                assert broken.left <= 0 or nth > 20
        assert not list((store.path / STAGING).glob("*"))
        run = store.find("r")
        assert run is None or verify_run(run.path) == []
        if run is not None:  # the rename was done, and only its flush failed
            write_import(store, import_record("r", imported, AT), found.tables(), path)
            break
    assert failed > 20
    assert store.run("r").manifest.data == wanted


@pytest.mark.slow
def test_a_killed_import_leaves_no_run_or_the_whole_one(tmp_path):
    (tmp_path / "benchctl.toml").touch()
    lines = "".join(f"q{n},{n % 3},{n}\n" for n in range(3000))
    (tmp_path / "results.csv").write_text(f"question,rep,points\n{lines}")
    command = [BENCHCTL, "import", "csv", "results.csv", "--run-id", "r"]
    store, dice = Store(tmp_path / "data"), random.Random(5)
    took = time.monotonic()
    subprocess.run([*command[:-1], "whole"], cwd=tmp_path, check=True, capture_output=True)
    took = time.monotonic() - took
    wanted = store.run("whole").manifest.data
    for _ in range(8):
        process = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(dice.uniform(0.3, 1.0) * took)
        process.send_signal(signal.SIGKILL)
        process.wait()
        run = store.find("r")
        assert run is None or (verify_run(run.path) == [] and run.manifest.data == wanted)
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert store.run("r").manifest.data == wanted
    assert not (store.path / STAGING).exists(), "the next import sweeps"


@pytest.mark.slow
def test_of_many_that_import_under_one_id_one_content_wins(tmp_path):
    (tmp_path / "benchctl.toml").touch()
    for name, points in (("one", 1), ("two", 2)):
        (tmp_path / f"{name}.csv").write_text(f"question,points\nq1,{points}\n")
    for round_ in range(2):
        processes = [
            (name, subprocess.Popen([BENCHCTL, "import", "csv", f"{name}.csv", "--run-id", f"r{round_}"],
                                    cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
            for name in ("one", "two", "one", "two")
        ]  # fmt: skip
        codes = {name: set() for name, _ in processes}
        for name, process in processes:
            process.communicate()
            codes[name].add(process.returncode)
        run = Store(tmp_path / "data").run(f"r{round_}")
        winner = "one" if b"q1,1" in (run.path / "evidence" / "source.csv").read_bytes() else "two"
        loser = "two" if winner == "one" else "one"
        assert codes == {winner: {0}, loser: {3}}
        assert verify_run(run.path) == []


def test_what_a_dead_import_left_is_swept_and_what_lives_is_not(tmp_path):
    dead = tmp_path / STAGING / "123-dead"
    dead.mkdir(parents=True)
    (dead / "source").write_text("half")
    with staged(tmp_path) as mine:
        (mine / "source").write_text("mine")
        assert not dead.exists()
        with staged(tmp_path):
            assert (mine / "source").exists()
    assert not (tmp_path / STAGING).exists()


def table_of(store, text=TEXT, name="prices", **terms):
    _, _, path = found_in(store, text)
    entry = copied(path, path.with_name(f"{path.name}-t"))
    terms = Terms(format="csv", mapped={}, **terms)
    return read_table(
        Source(entry.path, entry.sha256, entry.bytes), name, terms, ReadOptions("prices.csv")
    ), entry


def add(store, run, **kwargs):
    table, entry = table_of(store, **kwargs)
    current = store.run(run)
    if same_table(current, table.record):
        return current.manifest
    with staged(store.path) as scratch:
        return add_table(current, table.record, table.rows, entry.path, scratch)


def test_a_further_table_is_a_later_generation_and_moves_no_data_digest(store):
    first = bring_in(store)
    second = add(store, "r")
    assert (second.generation, second.data) == (2, first.data)
    folder = store.run("r").path
    assert {name for name in second.files if name.startswith("tables/")} == {
        "tables/prices.json", "tables/prices.parquet", "tables/prices.source.csv",
    }  # fmt: skip
    assert second.tables["tables/prices"].rows == 3
    assert (folder / "tables" / "prices.source.csv").read_text() == TEXT
    assert add(store, "r") == second
    assert verify_run(folder) == []


def test_another_file_under_a_tables_name_is_refused_in_any_case(store):
    bring_in(store)
    add(store, "r")
    for text, name in ((TEXT + "q9,a,1,1,1\n", "prices"), (TEXT, "Prices")):
        with pytest.raises(ImportDiffersError):
            add(store, "r", text=text, name=name)
    assert store.run("r").manifest.generation == 2


def test_a_run_that_is_not_there_is_not_the_same(store):
    assert not same_import(store, "r", "0" * 64)
    with pytest.raises(RunUnknownError):
        store.run("r")
