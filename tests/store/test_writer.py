import json
import os
from pathlib import Path

import pytest
from small_run import AT, evidence, grade, plan, record, run_cell

from benchctl.errors import (
    CellsUnfinishedError,
    JournalOrderError,
    PlanDiffersError,
    RunBusyError,
    RunClosedError,
    RunIdInvalidError,
    RunUnknownError,
    StoreDamagedError,
    StoreExistsError,
)
from benchctl.store.checking.verify import verify_run
from benchctl.store.disk.layout import RunLayout
from benchctl.store.disk.record import record_bytes
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

CELLS = [cell.cell for cell in plan(8)]
SUITE = 'name = "callers-v1"\n'


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "data")


def finish_all(writer):
    for cell in writer.unfinished:
        run_cell(writer, cell)


def test_a_run_from_start_to_seal(store):
    with RunWriter.create(store, record(suite=SUITE), suite_text=SUITE) as writer:
        assert store.run("r1").state == "open"
        assert writer.unfinished == tuple(CELLS)
        for cell in CELLS:
            run_cell(writer, cell, 0.5)
        assert writer.finished == frozenset(CELLS)
        manifest = writer.close()
    run = store.run("r1")
    assert (run.state, run.data_digest, run.manifest) == ("closed", manifest.data, manifest)
    assert sorted(
        path.relative_to(run.path).as_posix() for path in run.path.rglob("*") if path.is_file()
    ) == sorted([*manifest.files, "manifest.json"])
    assert (run.path / "evidence" / "suite.toml").read_text() == SUITE
    assert verify_run(run.path) == []


def test_the_rows_of_an_open_run_are_those_of_the_closed_one(store):
    tables = ("cells", "attempts", "grades", "transcripts", "tool_calls")
    with RunWriter.create(store, record()) as writer:
        for score, cell in enumerate(CELLS):
            if score % 3 == 0:
                writer.claim(cell, AT)
                writer.end(evidence(cell, 1, outcome="timeout"))
            run_cell(writer, cell, score / 8)
        writer.gold("q1", ["b", "a"])
        live = {table: store.run("r1").rows(table) for table in tables}
        gold = store.run("r1").gold()
        writer.close()
    closed = store.run("r1")
    assert live == {table: closed.rows(table) for table in tables}
    assert closed.gold() == gold == {"q1": ("b", "a")}


def test_the_record_is_written_once(store):
    RunWriter.create(store, record()).__exit__(None, None, None)
    with pytest.raises(StoreExistsError, match="run r1 exists"):
        RunWriter.create(store, record(created_at="2027-01-01T00:00:00Z"))
    with pytest.raises(PlanDiffersError, match="run r1 was planned as sha256:2222"):
        RunWriter.create(store, record(plan_digest="sha256:" + "3" * 64))
    assert store.run("r1").record == record()
    assert store.run("r1").layout.record.read_bytes() == record_bytes(record())


def test_a_resumed_run_must_have_the_same_plan(store):
    RunWriter.create(store, record()).__exit__(None, None, None)
    with pytest.raises(PlanDiffersError):
        RunWriter.resume(store, "r1", plan_digest="sha256:" + "3" * 64)
    with RunWriter.resume(store, "r1", plan_digest=record().plan_digest) as writer:
        assert writer.record == record()


def test_one_collector_a_run(store):
    with RunWriter.create(store, record()):
        with pytest.raises(RunBusyError):
            RunWriter.resume(store, "r1")
        with pytest.raises(StoreExistsError):
            RunWriter.create(store, record())
        with RunWriter.create(store, record("r2")):
            pass
    RunWriter.resume(store, "r1").__exit__(None, None, None)


def test_a_finished_cell_of_a_dead_writer_is_finished(store):
    with RunWriter.create(store, record()) as writer:
        run_cell(writer, CELLS[0])
        writer.claim(CELLS[1], AT)
    with RunWriter.resume(store, "r1") as writer:
        assert writer.finished == {CELLS[0]}
        assert writer.claim(CELLS[0], AT) is None
        with pytest.raises(JournalOrderError, match="attempt 2 of cell"):
            writer.finish(evidence(CELLS[1], 2), grade())
        finish_all(writer)
        writer.close()
    attempts = store.run("r1").attempts(CELLS[1])
    assert [(row["attempt"], row["outcome"]) for row in attempts] == [(1, "interrupted"), (2, "ok")]
    assert store.run("r1").cell(CELLS[1])["attempts"] == 2


@pytest.mark.parametrize(
    ("event", "says"),
    [
        (lambda w: w.claim("q9/grep/rg/none/1", AT), "not planned"),
        (lambda w: w.finish(evidence(CELLS[0]), grade()), "not running"),
        (lambda w: w.finish(evidence(CELLS[2]), grade()), "not running"),
        (lambda w: w.end(evidence(CELLS[1], 2)), "not running"),
        (lambda w: w.gold("q1", ["b"]), "another answer key"),
    ],
)
def test_an_event_that_the_others_rule_out_is_refused(store, event, says):
    with RunWriter.create(store, record()) as writer:
        run_cell(writer, CELLS[0])
        writer.claim(CELLS[1], AT)
        writer.gold("q1", ["a"])
        writer.gold("q1", ["a"])  # a resumed run derives it again
        before = writer._journal.path.read_bytes()
        with pytest.raises(JournalOrderError, match=says):
            event(writer)
        assert writer._journal.path.read_bytes() == before


def test_an_attempt_overtaken_by_a_finish_cannot_end(store):
    with RunWriter.create(store, record()) as writer:
        writer.claim(CELLS[0], AT)
        writer.claim(CELLS[0], AT)
        writer.finish(evidence(CELLS[0], 2), grade())
        with pytest.raises(JournalOrderError, match="already finished"):
            writer.end(evidence(CELLS[0], 1))


def test_a_run_with_unfinished_cells_is_closed_only_on_request(store):
    with RunWriter.create(store, record()) as writer:
        run_cell(writer, CELLS[0])
        writer.claim(CELLS[1], AT)
        with pytest.raises(CellsUnfinishedError, match=f"7 of 8 planned cells of run r1 .* {CELLS[1]}"):
            writer.close()
        writer.close(allow_unfinished=True)
    run = store.run("r1")
    assert [(row["cell"], row["outcome"], row["score"]) for row in run.cells()] == [
        (CELLS[0], "ok", 1.0),
        (CELLS[1], "interrupted", None),
    ]
    assert verify_run(run.path) == []


def test_a_closed_run_takes_nothing(store):
    with RunWriter.create(store, record()) as writer:
        writer.close(allow_unfinished=True)
        before = {path: path.read_bytes() for path in store.run("r1").path.rglob("*") if path.is_file()}
        with pytest.raises(Exception, match="closed"):
            writer.claim(CELLS[0], AT)
    with pytest.raises(RunClosedError):
        RunWriter.resume(store, "r1")
    with pytest.raises(StoreExistsError):
        RunWriter.create(store, record())
    assert before == {path: path.read_bytes() for path in store.run("r1").path.rglob("*") if path.is_file()}


def test_what_a_writer_that_died_while_closing_left_is_swept_by_resume(store):
    with RunWriter.create(store, record()) as writer:
        writer.close(allow_unfinished=True)
    run = store.run("r1")
    run.layout.journal.mkdir()
    (run.layout.journal / "w0001.jsonl").touch()
    assert [damage.path for damage in verify_run(run.path)] == ["journal/"]
    with pytest.raises(RunClosedError):
        RunWriter.resume(store, "r1")
    assert verify_run(run.path) == []


def test_a_record_changed_under_an_open_run_is_refused(store):
    RunWriter.create(store, record()).__exit__(None, None, None)
    layout = store.run("r1").layout
    good = layout.record.read_bytes()
    layout.record.write_bytes(good.replace(b'"seed": 7', b'"seed": 8'))
    with pytest.raises(StoreDamagedError, match="not the one that the run was started with"):
        RunWriter.resume(store, "r1")
    assert [damage.path for damage in verify_run(layout.folder)] == ["run.json"]
    layout.record.write_bytes(good)
    RunWriter.resume(store, "r1").__exit__(None, None, None)
    assert verify_run(layout.folder) == []


def test_rows_without_a_record_are_no_place_for_a_new_run(store):
    with RunWriter.create(store, record()) as writer:
        run_cell(writer, CELLS[0])
    store.run("r1").layout.record.unlink()
    with pytest.raises(StoreDamagedError, match="no run record"):
        RunWriter.create(store, record())


def test_a_start_cut_before_its_record_is_done_again(store):
    layout = RunLayout(store.runs_dir / "r1")
    layout.journal.mkdir(parents=True)
    layout.suite.parent.mkdir()
    layout.suite.write_text("old")
    (layout.journal / "run.json.1.tmp").write_text("half")
    assert store.names() == ()
    with RunWriter.create(store, record(suite="new"), suite_text="new"):
        assert layout.suite.read_text() == "new"
        assert not list(layout.journal.glob("*.tmp"))


@pytest.mark.parametrize("name", ["", "../x", "a/b", "-x", "x" * 101, "a\n"])
def test_a_run_id_is_a_name_and_no_path(store, name):
    with pytest.raises(RunIdInvalidError):
        store.run(name)
    with pytest.raises(RunIdInvalidError):
        RunWriter.resume(store, name)


def test_resuming_what_does_not_exist(store):
    with pytest.raises(RunUnknownError):
        RunWriter.resume(store, "r1")
    assert not store.path.exists()


def test_the_journal_names_its_collector(store):
    with RunWriter.create(store, record()) as writer:
        event = json.loads(writer._journal.path.read_text().splitlines()[0])["r"]
        assert event["event"] == "open"
        assert event["collector"]["pid"] == store.run("r1").progress().collector.pid


def test_an_open_run_is_sound_until_a_line_in_the_middle_changes(store):
    with RunWriter.create(store, record()) as writer:
        finish_all(writer)
        path = writer._journal.path
    run, whole = store.run("r1"), path.read_bytes()
    path.write_bytes(whole[:-7])
    assert verify_run(run.path) == []  # a torn last line is how writers die
    path.write_bytes(whole.replace(b'"attempt":1', b'"attempt":2', 1))
    assert [damage.path for damage in verify_run(run.path)] == ["journal/w0001.jsonl"]
    with pytest.raises(StoreDamagedError, match="nothing has been changed"):
        RunWriter.resume(store, "r1")
    path.write_bytes(whole)
    run.layout.record.write_bytes(b"{}")
    assert [damage.path for damage in verify_run(run.path)] == ["run.json"]


def test_events_of_a_later_version_are_passed_over(store):
    with RunWriter.create(store, record()) as writer:
        writer._journal.append({"event": "later", "x": 1})
        run_cell(writer, CELLS[0])
    with RunWriter.resume(store, "r1") as writer:
        assert writer.finished == {CELLS[0]}


def test_a_run_closed_by_another_while_we_waited_is_closed(store, monkeypatch):
    with RunWriter.create(store, record()) as writer:
        stale = store.run("r1")
        writer.close(allow_unfinished=True)
    monkeypatch.setattr(store, "run", lambda _id: stale)
    with pytest.raises(RunClosedError):
        RunWriter.resume(store, "r1")
    assert verify_run(stale.path) == []


def test_everything_is_on_the_disk_before_the_journals_go(store, monkeypatch):
    """The order of fsyncs and names while closing: what a power cut would test, without the cut."""
    steps = []
    fsync, link, unlink = os.fsync, os.link, Path.unlink

    def name(path):
        return Path(path).relative_to(store.run("r1").path).as_posix()

    def seen_fsync(descriptor):
        steps.append(("fsync", name(Path(f"/proc/self/fd/{descriptor}").readlink())))
        fsync(descriptor)

    def seen_link(old, new):
        steps.append(("link", name(old), name(new)))
        link(old, new)

    def seen_unlink(path, *, missing_ok=False):
        if path.exists():
            steps.append(("unlink", name(path)))
        unlink(path, missing_ok=missing_ok)

    with RunWriter.create(store, record()) as writer:
        finish_all(writer)
        monkeypatch.setattr(os, "fsync", seen_fsync)
        monkeypatch.setattr(os, "link", seen_link)
        monkeypatch.setattr(Path, "unlink", seen_unlink)
        manifest = writer.close()
    monkeypatch.undo()
    links = [step for step in steps if step[0] == "link"]
    assert {new for _, _, new in links} == {*manifest.files, "manifest.json"} - {"run.json"}
    assert links[-1][2] == "manifest.json"
    for step in links:
        at, folder = steps.index(step), Path(step[2]).parent.as_posix()
        assert ("fsync", step[1]) in steps[:at], f"{step[2]} was named before it was on the disk"
        assert ("fsync", folder) in steps[at:], f"the name of {step[2]} was not made durable"
    gone = steps.index(("unlink", "journal/w0001.jsonl"))
    assert ("fsync", ".") in steps[steps.index(links[-1]) : gone]
