import json
import os
import time
from dataclasses import replace

import pytest
from small_run import AT, evidence, plan, record, run_cell

from benchctl.errors import (
    CellUnknownError,
    RunClosedError,
    RunUnknownError,
    StoreDamagedError,
    StoreNewerError,
)
from benchctl.schema.result import VIEWS
from benchctl.schema.run import RUN_SCHEMA
from benchctl.store.disk import verified_file as trust
from benchctl.store.reader import Store, connect
from benchctl.store.relations.connection import RUNS, fetch
from benchctl.store.writing.writer import RunWriter

CELLS = [cell.cell for cell in plan(8)]


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "data")
    with RunWriter.create(store, record("r1")) as writer:
        for cell in CELLS:
            run_cell(writer, cell, 0.5)
        writer.close()
    return store


def test_an_empty_store_has_no_runs(tmp_path):
    assert Store(tmp_path / "nowhere").runs() == []
    assert repr(Store(tmp_path)) == f"Store({str(tmp_path)!r})"


def test_runs_are_listed_by_id_and_folders_without_a_record_are_none(store):
    RunWriter.create(store, record("r0")).__exit__(None, None, None)
    (store.runs_dir / "stray").mkdir()
    assert [(run.id, run.state) for run in store.runs()] == [("r0", "open"), ("r1", "closed")]


def test_an_unknown_run_names_the_near_ones(store):
    with pytest.raises(RunUnknownError, match="such as r1"):
        store.run("r11")
    with pytest.raises(RunUnknownError) as error:
        store.run("zzzzzz")
    assert error.value.expected is None


def test_a_run_whose_record_is_gone_is_damaged_and_not_unknown(store):
    store.run("r1").layout.record.unlink()
    with pytest.raises(StoreDamagedError, match=r"run\.json"):
        _ = store.run("r1").record


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"schema": 1}'])
def test_a_record_that_cannot_be_read_is_damage(store, content):
    RunWriter.create(store, record("r0")).__exit__(None, None, None)
    store.run("r0").layout.record.write_bytes(content)
    with pytest.raises(StoreDamagedError, match="the run record cannot be read"):
        _ = store.run("r0").record


def test_a_record_of_a_newer_program_is_newer(store):
    RunWriter.create(store, record("r0")).__exit__(None, None, None)
    layout = store.run("r0").layout
    layout.record.write_text(json.dumps({**json.loads(layout.record.read_text()), "schema": RUN_SCHEMA + 1}))
    with pytest.raises(StoreNewerError):
        _ = store.run("r0").record


def test_an_unknown_cell_names_the_near_ones(store):
    run = store.run("r1")
    with pytest.raises(CellUnknownError, match="such as q1/grep/rg/none/"):
        run.cell("q1/grep/rg/none/9")
    with pytest.raises(CellUnknownError, match="no cell 'zzz'"):
        run.cell("zzz")
    RunWriter.create(store, record("r0")).__exit__(None, None, None)
    with pytest.raises(CellUnknownError, match="planned and has no result yet"):
        store.run("r0").cell(CELLS[0])


def test_every_view_has_its_declared_columns(store):
    run = store.run("r1")
    for name, columns in {**VIEWS, "runs": RUNS}.items():
        with connect((run,), (name,)) as connection:
            told = connection.execute(f"DESCRIBE {name}").fetchall()
        assert [(row[0], row[1]) for row in told] == [(column.name, column.type) for column in columns], name


def test_runs_are_loaded_side_by_side(store):
    with RunWriter.create(store, record("r0")) as writer:
        run_cell(writer, CELLS[3])
        with connect(store.runs(), ("cells", "runs", "attempts")) as connection:
            rows = fetch(connection, "cells")
            assert [row["run"] for row in rows] == ["r0", *["r1"] * 8]
            assert [row["state"] for row in fetch(connection, "runs", "ORDER BY run")] == ["open", "closed"]
            assert len(fetch(connection, "attempts", "WHERE run = ?", ["r0"])) == 1


def test_progress_of_an_open_and_of_a_closed_run(store):
    with RunWriter.create(store, record("r0")) as writer:
        run_cell(writer, CELLS[0], outcome="timeout")
        writer.claim(CELLS[1], AT)
        writer.end(evidence(CELLS[1], outcome="host_stalled"))
        writer.claim(CELLS[2], AT)
        progress = store.run("r0").progress()
        assert progress.collector.alive
        assert progress.outcomes == {CELLS[0]: "timeout"}
        assert progress.running == ((CELLS[2], 1, AT),)
        assert (progress.planned, progress.finished) == (8, 1)
    closed = store.run("r1").progress()
    assert (closed.planned, closed.finished, closed.running, closed.collector) == (8, 8, (), None)
    assert set(closed.outcomes.values()) == {"ok"}


def test_a_file_that_is_not_as_the_manifest_says_is_never_read(store):
    run = store.run("r1")
    path = run.layout.table("cells")
    good = path.read_bytes()
    path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    with pytest.raises(StoreDamagedError, match=r"cells\.parquet.*sha256"):
        run.cells()
    path.write_bytes(good)
    assert len(run.cells()) == 8
    path.write_bytes(good[:200] + bytes([good[200] ^ 1]) + good[201:])
    with pytest.raises(StoreDamagedError):  # though it was verified before
        run.cells()
    path.unlink()
    with pytest.raises(StoreDamagedError, match="cannot be read"):
        run.cells()


def test_gold_and_record_are_verified_too(store):
    run = store.run("r1")
    for path, read in ((run.layout.gold, run.gold), (run.layout.record, lambda: run.record)):
        good = path.read_bytes()
        path.write_bytes(good + b" ")
        with pytest.raises(StoreDamagedError):
            read()
        path.write_bytes(good)
        read()


def test_what_was_verified_is_not_hashed_again_in_this_process(store, monkeypatch):
    run = store.run("r1")
    time.sleep(
        0.1
    )  # what has only just been written is hashed again: a change in the same tick would leave no trace
    run.cells()
    monkeypatch.setattr(trust, "_hashed", lambda _path: pytest.fail("hashed twice"))
    run.cells()


def test_a_file_that_a_manifest_does_not_list_is_not_trusted(store):
    run = store.run("r1")
    (run.path / "evidence" / "more.json").write_text("{}")
    with pytest.raises(StoreDamagedError, match="a file that the manifest lists"):
        trust.trusted(run.layout, run.manifest, "evidence/more.json")


def test_a_store_on_a_read_only_disk_can_be_read(store):
    if os.geteuid() == 0:
        before = {path: path.stat().st_mtime_ns for path in store.path.rglob("*")}
        store.run("r1").cells()
        assert before == {path: path.stat().st_mtime_ns for path in store.path.rglob("*")}
        return
    for path in store.path.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert len(store.run("r1").cells()) == 8
    finally:
        for path in store.path.rglob("*"):
            path.chmod(0o755)


def test_the_connection_is_locked(store):
    import duckdb

    with connect((store.run("r1"),), ("cells",)) as connection:
        for sql in (
            "SELECT * FROM read_text('/etc/passwd')",
            "COPY cells TO '/tmp/out.csv'",
            "ATTACH '/tmp/x.db'",
            "SET enable_external_access = true",
            "SET lock_configuration = false",
            "SET threads = 8",
            "INSTALL httpfs",
            "CALL enable_logging(storage='file')",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(sql)


def test_a_load_that_fails_leaves_no_connection(store):
    run = replace(store.run("r1"))
    run.layout.table("cells").unlink()
    with pytest.raises(StoreDamagedError):
        connect((run,), ("cells",))


@pytest.mark.parametrize("left", [0, 1])
def test_a_run_closed_while_it_is_read_is_read_again_and_never_short(store, left):
    """The closer removes journals one by one; a reader that listed them before sees some of them gone."""
    for part in (CELLS[:4], CELLS[4:]):
        with (
            RunWriter.resume(store, "r0")
            if "r0" in store.names()
            else RunWriter.create(store, record("r0")) as writer
        ):
            for cell in part:
                run_cell(writer, cell, 0.25)
            writer.gold("q1", ["a"])
    open_run = store.run("r0")
    journals = sorted(open_run.layout.journal.glob("w*.jsonl"))
    kept = {path: path.read_bytes() for path in journals[len(journals) - left :]} if left else {}
    with RunWriter.resume(store, "r0") as writer:
        writer.close()
    for path, content in kept.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    assert open_run.state == "open"
    with pytest.raises(RunClosedError):
        open_run.history()
    assert len(open_run.cells()) == 8
    assert open_run.progress().finished == 8
    assert open_run.gold() == {"q1": ("a",)}


def test_a_journal_that_goes_between_two_lines_is_noticed(store, monkeypatch):
    from benchctl.store.journals import history

    real = history.read_line
    with RunWriter.create(store, record("r0")) as writer:
        run_cell(writer, CELLS[0], 0.25)
        for read in (lambda run: len(run.cells()), lambda run: run.progress().finished):
            open_run = replace(store.run("r0"), manifest=None)

            def close_first(place):
                monkeypatch.setattr(history, "read_line", real)
                if store.run("r0").state == "open":
                    writer.close(allow_unfinished=True)
                return real(place)  # the journal is gone by now

            monkeypatch.setattr(history, "read_line", close_first)
            assert read(open_run) == 1
