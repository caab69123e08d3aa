"""Several writers of one run: a cell is one writer's until it is finished or its writer is dead."""

import fcntl
import os
import threading

import pytest
from small_run import AT, evidence, grade, plan, record, run_cell

from benchctl.errors import (
    CellsUnfinishedError,
    JournalOrderError,
    PlanDiffersError,
    RunBusyError,
    RunClosedError,
    StoreDamagedError,
    StoreExistsError,
    StoreNewerError,
)
from benchctl.store.checking.verify import verify_run
from benchctl.store.disk.layout import RunLayout
from benchctl.store.journals.fellow_writers import joining
from benchctl.store.journals.journal import JOURNAL_SCHEMA, Journal
from benchctl.store.journals.lock import read_collector
from benchctl.store.reader import Store
from benchctl.store.writing import writer as writer_module
from benchctl.store.writing.writer import RunWriter

CELLS = [cell.cell for cell in plan(4)]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "data")


@pytest.fixture
def two(store):
    """Two writers that share a run."""
    first = RunWriter.create(store, record(cells=plan(4)), shared=True)
    with first as one, RunWriter.resume(store, "r1", shared=True) as other:
        yield one, other


def finish(writer, cell, attempt):
    writer.finish(evidence(cell, attempt), grade(0.5))


def die(writer):
    """End as a killed process does: the kernel closes its files, and nobody tidies."""
    os.close(writer._journal._descriptor)
    writer._journal._descriptor = None
    writer._lock.release()


def test_a_cell_is_claimed_by_one(two):
    one, other = two
    assert one.claim(CELLS[0], AT) == 1
    assert other.claim(CELLS[0], AT) is None
    assert other.claim(CELLS[1], AT) == 1
    with pytest.raises(JournalOrderError, match="being run by another writer"):
        other.finish(evidence(CELLS[0], 1), grade())
    finish(one, CELLS[0], 1)
    assert other.claim(CELLS[0], AT) is None
    assert other.finished == {CELLS[0]}
    assert other.outcomes == {CELLS[0]: "ok"}
    assert other.unfinished == tuple(CELLS[1:])
    with pytest.raises(JournalOrderError, match="not planned"):
        one.claim("q9/grep/rg/none/1", AT)


def test_between_two_attempts_a_cell_stays_its_writers(two):
    one, other = two
    one.claim(CELLS[0], AT)
    one.end(evidence(CELLS[0], 1, outcome="timeout"))
    assert other.claim(CELLS[0], AT) is None
    assert one.claim(CELLS[0], AT) == 2
    finish(one, CELLS[0], 2)
    assert other.finished == {CELLS[0]}


def test_what_a_dead_writer_was_at_is_anybodys(two, store):
    one, other = two
    one.claim(CELLS[0], AT)
    one.claim(CELLS[1], AT)
    one.end(evidence(CELLS[1], 1, outcome="timeout"))
    die(one)
    assert (other.claim(CELLS[0], AT), other.claim(CELLS[1], AT)) == (2, 2)
    for cell in CELLS:
        finish(other, cell, 2 if cell in CELLS[:2] else other.claim(cell, AT))
    other.close()
    run = store.run("r1")
    assert [(row["attempt"], row["outcome"]) for row in run.attempts(CELLS[0])] == [
        (1, "interrupted"),
        (2, "ok"),
    ]
    assert [(row["attempt"], row["outcome"]) for row in run.attempts(CELLS[1])] == [(1, "timeout"), (2, "ok")]
    assert verify_run(run.path) == []


def test_a_result_that_was_journalled_right_before_a_death_is_seen(two, monkeypatch):
    """Deaths are noted before the journals are read: otherwise a result in between would be run again."""
    one, other = two
    one.claim(CELLS[0], AT)
    real = other._fellows._following.look

    def late(own):
        real(own)
        if one._journal._descriptor is not None:
            finish(one, CELLS[0], 1)
            die(one)

    monkeypatch.setattr(other._fellows._following, "look", late)
    assert other.claim(CELLS[0], AT) is None
    assert other.claim(CELLS[0], AT) is None
    assert other.finished == {CELLS[0]}


def test_the_last_writer_closes_the_run(two, store):
    one, other = two
    for writer, cells in ((one, CELLS[:2]), (other, CELLS[2:])):
        for cell in cells:
            run_cell(writer, cell, 0.5)
    assert one.leave() is None
    assert store.run("r1").state == "open"
    manifest = other.leave()
    run = store.run("r1")
    assert (run.state, run.manifest) == ("closed", manifest)
    assert [row["cell"] for row in run.cells()] == CELLS
    assert not run.layout.journal.exists()
    assert verify_run(run.path) == []


def test_closing_while_another_writes_says_so(two, store):
    one, other = two
    for cell in CELLS:
        run_cell(one, cell)
    with pytest.raises(RunBusyError, match="still being collected by other processes"):
        one.close()
    one.leave()
    other.close()
    assert store.run("r1").state == "closed"


def test_the_last_writer_does_not_close_what_is_unfinished(two, store):
    one, other = two
    assert one.leave() is None
    with pytest.raises(CellsUnfinishedError):
        other.close()
    with RunWriter.resume(store, "r1", shared=True) as third:  # the run is open to others again
        for cell in CELLS:
            run_cell(third, cell)
        assert third.leave() is None
    assert other.leave().tables["cells"].rows == 4


def test_a_writer_that_leaves_alone_keeps_the_unfinished_run_open(store):
    with RunWriter.create(store, record(cells=plan(4)), shared=True) as writer:
        run_cell(writer, CELLS[0])
        assert writer.leave() is None
    assert store.run("r1").state == "open"
    with RunWriter.resume(store, "r1", shared=True) as writer:
        for cell in CELLS[1:]:
            run_cell(writer, cell)
        assert writer.leave() is not None


def test_of_writers_that_leave_at_once_one_closes_the_run(two, store, monkeypatch):
    """Whoever finds that it is not the last must be gone before the next one looks."""
    one, other = two
    for cell in CELLS:
        run_cell(one, cell)
    manifests, real = [], one._journal.close
    leaving = threading.Thread(target=lambda: manifests.append(other.leave()))

    def close():
        if not leaving.ident:
            leaving.start()
            leaving.join(0.5)  # time enough to look, where nothing makes it wait
        real()

    monkeypatch.setattr(one._journal, "close", close)
    assert one.leave() is None
    leaving.join()
    assert manifests[0] is not None
    assert store.run("r1").state == "closed"


def test_the_last_writer_waits_for_one_that_is_about_to_go(two, store):
    one, other = two
    for cell in CELLS:
        run_cell(one, cell)
    one._journal.close()
    release = threading.Timer(0.2, one._lock.release)
    release.start()
    assert other.leave() is not None
    release.join()
    assert store.run("r1").state == "closed"


def test_who_closes_the_run_is_who_the_lock_names(two, store, monkeypatch):
    """Another one signed it last, and may be dead: what the living one has half done is no damage."""
    one, other = two
    other.leave()
    lock = store.run("r1").layout.lock
    lock.write_text('{"pid": 1, "started": 1, "boot": "another"}')
    monkeypatch.setattr(writer_module, "fold", lambda *_: read_collector(lock).pid)
    assert one.close(allow_unfinished=True) == os.getpid()


def test_a_writer_knows_its_journal_and_the_dead(two, store):
    one, other = two
    assert (one.journal.name, other.journal.name, other.dead) == ("w0001.jsonl", "w0002.jsonl", ())
    die(one)
    with RunWriter.resume(store, "r1", shared=True) as third:
        assert (third.journal.name, third.dead) == ("w0003.jsonl", (one.journal,))


def test_who_shares_a_run_and_who_does_not(two, store):
    one, other = two
    with pytest.raises(RunBusyError, match=f"collected by process {os.getpid()}"):
        RunWriter.resume(store, "r1")
    with pytest.raises(StoreExistsError):
        RunWriter.create(store, record(cells=plan(4)), shared=True)
    with pytest.raises(PlanDiffersError):
        RunWriter.resume(store, "r1", shared=True, plan_digest="sha256:" + "3" * 64)
    assert [each.pid for each in store.run("r1").progress().collectors] == [os.getpid()] * 2
    one.leave()
    other.__exit__(None, None, None)
    with RunWriter.resume(store, "r1"), pytest.raises(RunBusyError):
        RunWriter.resume(store, "r1", shared=True)


def test_each_journal_names_its_writer_and_the_dead_are_not_named(store):
    with RunWriter.create(store, record(cells=plan(4)), shared=True):
        path = store.run("r1").layout.journal
        with Journal(path) as journal:
            journal.append(
                {"event": "open", "record": "x", "collector": {"pid": 2**22 + 1, "started": 1, "boot": "b"}}
            )
        (path / "w0003.jsonl").write_bytes(b"")
        assert [each.pid for each in store.run("r1").progress().collectors] == [os.getpid()]


def test_one_answer_key_a_question(two):
    one, other = two
    one.gold("q1", ["a"])
    other.gold("q1", ["a"])
    with pytest.raises(JournalOrderError, match="another answer key"):
        other.gold("q1", ["b"])


def test_only_whoever_comes_alone_sweeps(store):
    with RunWriter.create(store, record(cells=plan(4)), shared=True):
        leftover = store.run("r1").layout.journal / "cells.jsonl.tmp"
        leftover.touch()
        with RunWriter.resume(store, "r1", shared=True):
            assert leftover.exists()
    with RunWriter.resume(store, "r1", shared=True):
        assert not leftover.exists()


def test_a_run_closed_while_we_waited_for_our_turn_is_closed(store, monkeypatch):
    with RunWriter.create(store, record(cells=plan(4)), shared=True) as writer:
        stale = store.run("r1")
        writer.close(allow_unfinished=True)
    monkeypatch.setattr(store, "run", lambda _id: stale)
    with pytest.raises(RunClosedError):
        RunWriter.resume(store, "r1", shared=True)
    assert verify_run(stale.path) == []


def test_a_turn_whose_file_was_removed_is_taken_anew(tmp_path, monkeypatch):
    layout = RunLayout(tmp_path)
    path = layout.turn
    real, calls = fcntl.flock, []

    def flock(descriptor, how):
        real(descriptor, how)
        if not calls:
            path.unlink()
            path.parent.rmdir()
        calls.append(how)

    monkeypatch.setattr(fcntl, "flock", flock)
    with joining(layout, shared=True):
        assert path.exists()
    assert len(calls) == 2


def test_a_lock_that_somebody_took_alone_in_between_is_not_shared(store, monkeypatch):
    real = fcntl.flock

    def flock(descriptor, how):
        if how == fcntl.LOCK_SH | fcntl.LOCK_NB:
            raise BlockingIOError
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(RunBusyError):
        RunWriter.create(store, record(cells=plan(4)), shared=True)


@pytest.mark.parametrize("lost", [1, 2])
def test_a_lost_journal_is_damage(store, lost):
    for _ in range(3):
        with (RunWriter.resume if store.names() else RunWriter.create)(store, *_to_start(store)) as writer:
            run_cell(writer, writer.unfinished[0])
    path = store.run("r1").layout.journal / f"w{lost:04d}.jsonl"
    path.unlink()
    run = store.run("r1")
    with pytest.raises(StoreDamagedError, match=f"w{lost:04d}.jsonl: missing"):
        run.cells()
    assert [damage.path for damage in verify_run(run.path)] == [f"journal/w{lost:04d}.jsonl"]
    with pytest.raises(StoreDamagedError, match="missing"):
        RunWriter.resume(store, "r1")


def _to_start(store):
    return ("r1",) if store.names() else (record(cells=plan(4)),)


def test_an_attempt_whose_beginning_is_in_no_journal_is_damage(store):
    with RunWriter.create(store, record(cells=plan(4))) as writer:
        writer._journal.append({"event": "start", "cell": CELLS[0], "attempt": 3, "started_at": AT})
    with pytest.raises(StoreDamagedError, match="the start of attempt 1 of cell"):
        store.run("r1").progress()


def test_a_journal_of_a_newer_program_is_newer_and_not_damaged(store):
    with RunWriter.create(store, record(cells=plan(4))) as writer:
        writer._journal.append({"event": "open", "record": "x", "journal": JOURNAL_SCHEMA + 1})
    with pytest.raises(StoreNewerError, match=f"journal schema {JOURNAL_SCHEMA + 1}"):
        store.run("r1").progress()
    with pytest.raises(StoreNewerError):
        RunWriter.resume(store, "r1")


def test_a_reader_waits_for_what_a_line_follows_from(store, monkeypatch):
    """One journal was read before the line that another journal's line follows from."""
    from benchctl.store.journals import following

    with RunWriter.create(store, record(cells=plan(4)), shared=True) as one:
        one.claim(CELLS[0], AT)
        first = one._journal.path
        whole = first.read_bytes()
        die(one)
    with RunWriter.resume(store, "r1", shared=True) as other:
        assert other.claim(CELLS[0], AT) == 2
    first.write_bytes(whole[: whole.index(b"\n") + 1])
    real = following.journals

    def journals(folder):
        found = real(folder)
        calls.append(1)
        if len(calls) == 2:
            first.write_bytes(whole)
        return found

    calls = []
    monkeypatch.setattr(following, "journals", journals)
    assert len(store.run("r1").history().starts[CELLS[0]]) == 2
    assert len(calls) == 2
