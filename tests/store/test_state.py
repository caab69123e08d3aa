"""What a folder is, told the same by everybody; and that nobody begins a damaged run anew."""

import os
import shutil

import pytest
from small_run import plan, record, run_cell

from benchctl.errors import RunUnknownError, StoreDamagedError, StoreNewerError
from benchctl.store.checking.verify import holds_no_run, verify_run
from benchctl.store.journals.journal import Journal
from benchctl.store.reader import Store
from benchctl.store.sql.query import query_sql
from benchctl.store.survey import Unreadable, refuse_unreadable, survey
from benchctl.store.writing.writer import RunWriter


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path)
    for name in ("r1", "r2"):
        with RunWriter.create(store, record(name, plan(2))) as writer:
            for cell in writer.unfinished:
                run_cell(writer, cell, 0.5)
            writer.gold("q1", ["a"])
            writer.close()
    return store


def bytes_of(run):
    return {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}


@pytest.mark.parametrize("journal", [False, True])
def test_a_closed_run_that_lost_its_manifest_is_damaged_and_never_begun_anew(store, journal):
    run = store.run("r1")
    run.layout.manifest().unlink()
    if journal:  # as a command that looked at it before may have left
        run.layout.journal.mkdir()
        run.layout.lock.write_text("{}")
    before = bytes_of(run)
    for attempt in (
        lambda: store.run("r1"),
        lambda: RunWriter.resume(store, "r1"),
        lambda: RunWriter.create(store, record("r1", plan(2))),
        run.current,
    ):
        with pytest.raises(StoreDamagedError, match=r"manifest\.json: missing"):
            attempt()
    assert [(damage.path, damage.what) for damage in verify_run(run.path)] == [("manifest.json", "missing")]
    assert [each.name for each in survey(store).unreadable] == ["r1"]
    assert bytes_of(run) == before


@pytest.mark.parametrize("lost", ["all", "one"])
def test_rows_that_no_journal_accounts_for_are_not_swept(store, lost):
    run = store.run("r1")
    run.layout.manifest().unlink()
    run.layout.journal.mkdir()
    with Journal(run.layout.journal) as journal:
        if lost == "one":
            for cell in plan(1):
                journal.append({"event": "start", "cell": cell.cell, "attempt": 1, "started_at": "x"})
        else:
            journal.append({"event": "later"})
    before = bytes_of(run)
    with pytest.raises(StoreDamagedError, match="is in no journal"):
        RunWriter.resume(store, "r1")
    assert before.items() <= bytes_of(run).items()


@pytest.mark.parametrize("content", ['{"q1":["b"]}', "{}", "["])
def test_an_answer_key_that_no_journal_holds_is_not_swept(store, content):
    with RunWriter.create(store, record("r3", plan(2))) as writer:
        writer.gold("q1", ["a"])
    layout = store.run("r3").layout
    layout.gold.parent.mkdir(exist_ok=True)
    layout.gold.write_text(content)
    with pytest.raises(StoreDamagedError, match="answer key"):
        RunWriter.resume(store, "r3")
    assert layout.gold.read_text() == content


def test_a_run_that_was_closed_without_some_cells_names_them(store):
    with RunWriter.create(store, record("r3", plan(3))) as writer:
        run_cell(writer, writer.unfinished[0])
        writer.close(allow_unfinished=True)
    run = store.run("r3")
    assert run.layout.unstarted.read_text() == '["q1/grep/rg/none/2","q1/index/rg/none/1"]\n'
    assert verify_run(run.path) == []


@pytest.mark.parametrize(
    "name", ["notes.txt", "rows/cells.parquet", "journal/w0001.jsonl", "evidence/gold.json"]
)
def test_a_folder_without_a_record_but_with_content_is_damage(store, name):
    path = store.runs_dir / "r3" / name
    path.parent.mkdir(parents=True)
    path.write_text("x")
    with pytest.raises(StoreDamagedError, match=f"there is {name} and no run record"):
        store.run("r3")
    with pytest.raises(StoreDamagedError):
        RunWriter.create(store, record("r3", plan(2)))
    assert [damage.path for damage in verify_run(path.parents[name.count("/")])] == ["run.json"]
    assert path.read_text() == "x"


def test_an_empty_folder_and_a_cut_start_are_no_run(store):
    for name in ("journal/lock", "journal/run.json.7.tmp", "evidence/suite.toml"):
        path = store.runs_dir / "r3" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (store.runs_dir / "no run").mkdir()
    with pytest.raises(RunUnknownError):
        store.run("r3")
    assert [run.id for run in survey(store).runs] == ["r1", "r2"]
    assert survey(store).unreadable == ()
    assert verify_run(store.runs_dir / "r3") == []
    assert holds_no_run(store.runs_dir / "r3")
    assert holds_no_run(store.runs_dir / "no run")
    assert not holds_no_run(store.runs_dir / "r1")


def test_runs_that_are_a_file_are_damage_and_not_no_runs(store):
    shutil.rmtree(store.runs_dir)
    store.runs_dir.write_text("x")
    for ask in (store.names, store.runs, lambda: survey(store), lambda: query_sql(store, "SELECT 1")):
        with pytest.raises(StoreDamagedError, match="runs: cannot be read"):
            ask()


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


BROKEN = {
    "record": ("r2", lambda runs: flip(runs / "r2" / "run.json")),
    "manifest": ("r2", lambda runs: flip(runs / "r2" / "manifest.json")),
    "copy": ("r3", lambda runs: shutil.copytree(runs / "r1", runs / "r3")),
    "link": ("r3", lambda runs: (runs / "r3").symlink_to("r1")),
    "loop": ("r3", lambda runs: (runs / "r3").symlink_to("r3")),
    "name": ("my run", lambda runs: shutil.copytree(runs / "r1", runs / "my run")),
    "notes": ("notes", lambda runs: ((runs / "notes").mkdir(), (runs / "notes" / "x").touch())),
    "bytes": ("\ufffdx", lambda runs: shutil.copytree(runs / "r1", runs / "\udcffx")),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_folder_hides_no_sound_run(store, kind):
    name, break_it = BROKEN[kind]
    break_it(store.runs_dir)
    found = survey(store)
    assert [each.name for each in found.unreadable] == [name]
    assert found.unreadable[0].state == "damaged"
    assert name[-5:] in found.unreadable[0].why or "r3" in found.unreadable[0].why
    sound = {"r1", "r2"} - {name}
    assert {run.id for run in found.runs} == sound
    with pytest.raises(StoreDamagedError, match=f"1 of {len(sound) + 1} runs cannot be read"):
        refuse_unreadable(found.unreadable, len(found.runs))
    answer = query_sql(store, "SELECT DISTINCT run FROM cells")
    if kind == "record":  # of which a query reads nothing: its rows are what the manifest says
        assert ({row[0] for row in answer.rows}, answer.unreadable) == ({"r1", "r2"}, ())
    else:
        assert {row[0] for row in answer.rows} == sound
        assert (answer.runs, [each.name for each in answer.unreadable]) == (len(sound), [name])


@pytest.mark.parametrize("cut", [b"", None])
def test_a_query_names_a_run_whose_record_is_gone_or_of_another_size(store, cut):
    path = store.run("r2").layout.record
    path.unlink()
    if cut is not None:
        path.write_bytes(cut)
    answer = query_sql(store, "SELECT DISTINCT run FROM cells")
    assert (answer.rows, [each.name for each in answer.unreadable]) == ([("r1",)], ["r2"])


def test_a_query_leaves_out_a_run_only_where_it_reads_what_is_damaged(store):
    flip(store.run("r2").layout.table("attempts"))
    assert query_sql(store, "SELECT count(*) FROM cells").rows == [(4,)]
    answer = query_sql(store, "SELECT count(*) FROM attempts")
    assert (answer.rows, [each.name for each in answer.unreadable]) == ([(2,)], ["r2"])
    assert "attempts.parquet" in answer.unreadable[0].why


def test_a_run_of_a_newer_program_is_newer_and_not_damaged():
    assert Unreadable("r1", StoreNewerError("a newer one")).state == "newer"
    assert Unreadable("r1", StoreNewerError("a newer one")).why == "a newer one"


def test_pipes_are_never_waited_for(store):
    for name in ("run.json", "manifest.json", "rows/cells.parquet"):
        run = store.run("r1")
        path = run.path / name
        kept = path.read_bytes()
        path.unlink()
        os.mkfifo(path)
        assert [damage.path for damage in verify_run(run.path)] == [name]
        with pytest.raises(StoreDamagedError, match="not a regular file"):
            store.run("r1").cells()
        path.unlink()
        path.write_bytes(kept)
    (store.run("r1").path / "rows" / "f").symlink_to("cells.parquet")
    assert [damage.path for damage in verify_run(store.run("r1").path)] == ["rows/f"]


def test_a_link_in_place_of_a_file_is_not_read(store, tmp_path):
    path = store.run("r1").layout.table("cells")
    path.rename(tmp_path / "outside")
    path.symlink_to(tmp_path / "outside")
    with pytest.raises(StoreDamagedError, match="not a regular file"):
        store.run("r1").cells()


def test_an_event_that_no_writer_notes_is_damage(store):
    with RunWriter.create(store, record("r3", plan(2))) as writer:
        pass
    with Journal(store.runs_dir / "r3" / "journal") as journal:
        journal.append({"event": "start"})
    assert [damage.path for damage in verify_run(store.run("r3").path)] == ["journal/w0002.jsonl"]
    with pytest.raises(StoreDamagedError, match="not one that a writer notes"):
        RunWriter.resume(store, "r3")
    assert writer.record.run == "r3"


def test_a_record_is_read_once(store, monkeypatch):
    from benchctl.store import reader

    run = store.run("r1")
    first = run.record
    monkeypatch.setattr(reader, "read_record", lambda _layout: pytest.fail("read twice"))
    assert store.run("r1").record is first
    flip(run.layout.record)
    with pytest.raises(StoreDamagedError):
        _ = run.record


def test_a_run_that_is_begun_while_we_look_is_no_damage(store, monkeypatch):
    from benchctl.store.journals import state

    real = state._unexplained

    def late(layout):
        monkeypatch.undo()
        RunWriter.create(store, record("r3", plan(2))).__exit__(None, None, None)
        return real(layout)

    monkeypatch.setattr(state, "_unexplained", late)
    assert state.standing(store.layout("r3")).state == "open"


@pytest.mark.parametrize("name", ["manifest.json", "run.json"])
def test_a_file_of_absurd_size_is_damage_and_is_not_read(store, name):
    os.truncate(store.run("r1").path / name, 1 << 36)
    with pytest.raises(StoreDamagedError):
        store.run("r1")
    if name == "manifest.json":
        (damage,) = verify_run(store.runs_dir / "r1")
        assert (damage.path, "more than" in damage.what) == (name, True)


def test_a_manifest_that_names_what_can_be_no_file_is_damage(store):
    from dataclasses import replace

    run = store.run("r1")
    files = {**run.manifest.files, "a\0b": run.manifest.files["run.json"]}
    run.layout.manifest().write_bytes(replace(run.manifest, files=files).to_bytes())
    assert [damage.path for damage in verify_run(run.path)] == ["manifest.json"]
    with pytest.raises(StoreDamagedError, match="own digest"):
        store.run("r1")
