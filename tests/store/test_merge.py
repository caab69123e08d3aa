"""Merging: what is absent is added, shards are united, everything else is refused, and never is half a run there."""

import os
import shutil
import socket
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_run import AT, evidence, grade, plan, record
from small_store import collect, finish, merge, rows, shards, tree

from benchctl.errors import (
    CellsUnfinishedError,
    MergeSourceError,
    RunBusyError,
    RunDiffersError,
    RunOpenError,
    StoreDamagedError,
    StoreExistsError,
    StoreUnwritableError,
)
from benchctl.store.checking.verify import verify_run
from benchctl.store.merging import swap as place
from benchctl.store.merging.act import merge_runs, refuse_refused
from benchctl.store.reader import Store
from benchctl.store.writing.generation import add_generation
from benchctl.store.writing.writer import RunWriter

TESTS = Path(__file__).resolve().parents[1]


def sound(store):
    return all(not verify_run(folder) for folder in store.folders())


def test_an_absent_run_is_added_byte_for_byte_and_merging_again_does_nothing(tmp_path):
    source, target = collect(tmp_path / "a"), Store(tmp_path / "b")
    assert merge(target, source) == {"r1": "added"}
    assert tree(target.path) == tree(source.path)
    assert sound(target)
    before = tree(target.path)
    assert merge(target, source) == {"r1": "present"}
    assert tree(target.path) == before


@pytest.mark.parametrize("kind", ["project", "store", "run"])
def test_a_source_is_a_project_a_store_or_a_run(tmp_path, kind):
    source = collect(tmp_path / "p" / "data")
    (tmp_path / "p" / "benchctl.toml").write_text("")
    paths = {"project": tmp_path / "p", "store": source.path, "run": source.runs_dir / "r1"}
    assert merge(Store(tmp_path / "b"), paths[kind]) == {"r1": "added"}


@pytest.mark.parametrize("kind", ["nothing", "file", "empty"])
def test_a_source_that_holds_no_run_is_an_error(tmp_path, kind):
    path = tmp_path / "x"
    if kind == "file":
        path.write_text("")
    if kind == "empty":
        (path / "runs").mkdir(parents=True)
    with pytest.raises(MergeSourceError):
        merge(Store(tmp_path / "b"), path)
    assert not (tmp_path / "b").exists()


DIFFERENT = {
    "record": ({"seed": 8}, {}, "the record differs in `seed`"),
    "rows": ({}, {3: 0.25}, "the grades differ from cell q1/index/"),
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_another_content_under_one_id_is_refused_and_nothing_is_written_of_any_run(tmp_path, kind):
    more, scores, says = DIFFERENT[kind]
    target = collect(tmp_path / "b")
    source = collect(tmp_path / "a", scores=scores, **more)
    collect(tmp_path / "a", "r0")
    before = tree(target.path)
    with pytest.raises(RunDiffersError, match="r1") as caught:
        merge(target, source)
    assert says in caught.value.what
    assert tree(target.path) == before
    assert target.names() == ("r1",)


def test_two_sources_that_differ_are_refused_too(tmp_path):
    with pytest.raises(RunDiffersError):
        merge(Store(tmp_path / "c"), collect(tmp_path / "a"), collect(tmp_path / "b", scores={0: 1.0}))
    assert not (tmp_path / "c").exists()


def added(store, name="tables/note.json", content=b"{}"):
    add_generation(store.run("r1").layout, {name: content})


def test_further_generations_are_added_and_fewer_change_nothing(tmp_path):
    source, target = collect(tmp_path / "a"), Store(tmp_path / "b")
    merge(target, source)
    before = tree(target.path)
    add_generation(source.run("r1").layout, {"evidence/more.json": b"1"})
    add_generation(
        source.run("r1").layout, {"evidence/even.json": b"2"}, remove={"evidence/transcripts.parquet": "room"}
    )
    older = Store(tmp_path / "older")
    shutil.copytree(target.path, older.path)
    assert merge(target, source) == {"r1": "extended"}
    assert tree(target.path) == tree(source.path)
    assert "runs/r1/evidence/transcripts.parquet" not in tree(target.path)
    assert merge(target, older) == {"r1": "present"}
    assert tree(target.path) == tree(source.path)
    assert before.keys() - tree(target.path).keys() == {"runs/r1/evidence/transcripts.parquet"}


def test_generations_that_fork_are_refused(tmp_path):
    source, target = collect(tmp_path / "a"), Store(tmp_path / "b")
    merge(target, source)
    add_generation(source.run("r1").layout, {"evidence/more.json": b"1"})
    add_generation(target.run("r1").layout, {"evidence/more.json": b"2"})
    with pytest.raises(RunDiffersError, match=r"evidence/more\.json differs"):
        merge(target, source)


@pytest.mark.parametrize("moment", ["link", "manifest"])
def test_an_extension_that_is_cut_is_finished_by_the_next_merge(tmp_path, monkeypatch, moment):
    from benchctl.store.merging import carrying_out as carry

    source, target = collect(tmp_path / "a"), Store(tmp_path / "b")
    merge(target, source)
    add_generation(source.run("r1").layout, {"evidence/more.json": b"1"})
    add_generation(
        source.run("r1").layout, {"evidence/even.json": b"2"}, remove={"evidence/transcripts.parquet": "room"}
    )
    names = {"link": "link_once", "manifest": "create_once"}
    real, calls = getattr(carry, names[moment]), []

    def cut(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(carry, names[moment], cut)
    with pytest.raises(KeyboardInterrupt):
        merge(target, source)
    monkeypatch.undo()
    assert target.run("r1").cells()
    merge(target, source)
    assert tree(target.path) == tree(source.path)
    assert sound(target)


def test_shards_of_one_run_are_united_and_closed(tmp_path):
    sources = shards(tmp_path, [0, 3, 6], [1, 4, 7], [2, 5])
    target = Store(tmp_path / "b")
    assert merge(target, *sources) == {"r1": "added"}
    assert target.run("r1").state == "open"
    assert rows(target) == sorted(row for source in sources for row in rows(source))
    result = merge_runs(target, [str(sources[0].path)], close=True)
    assert (result.runs[0].action, result.runs[0].state, result.runs[0].unfinished) == (
        "present",
        "closed",
        None,
    )
    assert sound(target)
    assert rows(target) == rows(collect(tmp_path / "whole"))
    assert merge(target, *sources) == {"r1": "present"}  # closed here, and all of theirs is in it


def test_a_run_that_is_not_whole_is_not_closed(tmp_path):
    (source,) = shards(tmp_path, [0, 1])
    target = Store(tmp_path / "b")
    result = merge_runs(target, [str(source.path)], close=True)
    assert result.runs[0].unfinished == 6
    with pytest.raises(CellsUnfinishedError):
        refuse_refused(result, "b")
    assert target.run("r1").state == "open"


def test_a_further_shard_of_an_open_run_is_added_under_the_next_number(tmp_path):
    first, second = shards(tmp_path, [0, 1], [2, 3])
    assert merge(first, second) == {"r1": "united"}
    assert [path.name for path in sorted(first.run("r1").layout.journal.glob("*.jsonl"))] == [
        "w0001.jsonl",
        "w0002.jsonl",
    ]
    before = tree(first.path)
    assert merge(first, second) == {"r1": "present"}
    assert tree(first.path) == before
    with RunWriter.resume(first, "r1") as writer:
        assert len(writer.unfinished) == 4


def test_a_common_beginning_is_recognised(tmp_path):
    (base,) = shards(tmp_path, [0, 1])
    copy = Store(tmp_path / "copy")
    shutil.copytree(base.path, copy.path)
    for store, cells in ((base, [2]), (copy, [3])):
        with RunWriter.resume(store, "r1") as writer:
            finish(writer, plan(8), cells)
    assert merge(base, copy) == {"r1": "united"}
    assert len(rows(base)) == 4
    assert len(list(base.run("r1").layout.journal.glob("*.jsonl"))) == 3


def test_a_longer_copy_of_a_journal_takes_its_place_and_a_torn_line_is_dropped(tmp_path):
    (source,) = shards(tmp_path, [0, 1, 2])
    target = Store(tmp_path / "b")
    shutil.copytree(source.path, target.path)
    journal = target.run("r1").layout.journal / "w0001.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:5]) + b'{"c":"torn')
    assert merge(target, source) == {"r1": "united"}
    assert rows(target) == rows(source)
    assert len(list(journal.parent.glob("*.jsonl"))) == 1
    assert merge(source, target) == {"r1": "present"}


@pytest.mark.parametrize("kind", ["evidence", "start", "gold", "further"])
def test_shards_that_tell_one_thing_two_ways_are_refused(tmp_path, kind):
    stores = [Store(tmp_path / name) for name in "ab"]
    cell = plan(8)[0].cell
    for n, store in enumerate(stores):
        with RunWriter.create(store, record()) as writer:
            if kind == "gold":
                writer.gold("q1", [f"a::{n}"])
            elif kind == "further" and n:
                writer.claim(cell, AT)
                writer.claim(cell, AT)
            else:
                writer.claim(cell, AT if kind != "start" else f"{n}")
                if kind != "start":
                    writer.finish(evidence(cell, answer=f"{n if kind == 'evidence' else 0}"), grade())
    before = tree(stores[0].path)
    with pytest.raises(RunDiffersError, match=r"r1: .* of (cell|question) q1"):
        merge(*stores)
    with pytest.raises(RunDiffersError):
        merge(Store(tmp_path / "c"), *stores)
    assert tree(stores[0].path) == before


def test_shards_of_other_plans_are_refused(tmp_path):
    first = collect(tmp_path / "a", cells=[0], close=False)
    second = collect(tmp_path / "b", cells=[1], close=False, seed=9)
    with pytest.raises(RunDiffersError, match=r"run\.json"):
        merge(first, second)


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_living_writer_is_not_merged(tmp_path, side):
    first, second = shards(tmp_path, [0], [1])
    with RunWriter.resume(first if side == "target" else second, "r1"), pytest.raises(RunBusyError):
        merge(first, second)
    assert merge(first, second) == {"r1": "united"}


def test_an_open_shard_of_a_closed_run_is_here_already_only_if_all_of_it_is(tmp_path):
    closed = collect(tmp_path / "a")
    (inside,) = shards(tmp_path, [0, 1])
    other = collect(tmp_path / "o", cells=[0], scores={0: 1.0}, close=False)
    assert merge(closed, inside) == {"r1": "present"}
    with pytest.raises(RunDiffersError, match="a row of grades of cell"):
        merge(closed, other)
    assert merge(inside, closed) == {"r1": "closed"}
    assert tree(inside.path) == tree(closed.path)
    with pytest.raises(RunDiffersError):
        merge(other, closed)
    assert other.run("r1").state == "open"


def test_a_start_that_a_closed_run_does_not_know_is_not_lost(tmp_path):
    closed, opened = collect(tmp_path / "a"), Store(tmp_path / "b")
    with RunWriter.create(opened, record()) as writer:
        writer.claim(plan(8)[0].cell, "another instant")
    with pytest.raises(RunDiffersError, match="attempt 1 of cell"):
        merge(closed, opened)


def test_a_store_merged_into_itself_through_a_link_is_recognised(tmp_path):
    store = collect(tmp_path / "a")
    collect(tmp_path / "a", "r2", cells=[0], close=False)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    before = tree(store.path)
    assert merge(store, tmp_path / "link", store) == {"r1": "present", "r2": "present"}
    assert tree(store.path) == before


def fifo(path):
    os.mkfifo(path)


def bound(path):
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(path.parent)  # the path of a socket may hold 107 bytes
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


STRANGE = {
    "link": lambda path: path.symlink_to("/etc/passwd"),
    "pipe": fifo,
    "socket": bound,
    "folder of links": lambda path: path.symlink_to("/etc"),
    "sparse": lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_RDWR), 1 << 42),
}


@pytest.mark.parametrize("state", ["open", "closed"])
@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("name", ["evidence/suite.toml", "rows/more.parquet"])
def test_what_is_no_regular_file_is_refused_and_not_followed(tmp_path, kind, state, name):
    source = collect(tmp_path / "a", close=state == "closed")
    collect(tmp_path / "a", "r2")
    path = source.runs_dir / "r1" / name
    path.parent.mkdir(exist_ok=True)
    STRANGE[kind](path)
    target = Store(tmp_path / "b")
    with pytest.raises(StoreDamagedError) as caught:
        merge(target, source)
    assert str(path) in str(caught.value.where)
    assert not target.path.exists()
    result = merge_runs(target, [str(source.path)], skip_damaged=True)
    assert [(run.run, run.action) for run in result.runs] == [("r1", "refused"), ("r2", "added")]
    assert target.names() == ("r2",)


@pytest.mark.parametrize("name", ["rows/cells.parquet", "evidence/gold.json", "run.json", "manifest.json"])
def test_a_damaged_run_is_refused_by_name(tmp_path, name):
    source = collect(tmp_path / "a")
    path = source.runs_dir / "r1" / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(StoreDamagedError, match=r"a/runs/r1"):
        merge(Store(tmp_path / "b"), source)


def test_a_lost_journal_and_a_closing_that_was_cut_are_refused(tmp_path):
    (source,) = shards(tmp_path, [0])
    with RunWriter.resume(source, "r1"):
        pass
    layout = source.run("r1").layout
    (layout.journal / "w0001.jsonl").unlink()
    with pytest.raises(StoreDamagedError, match="missing"):
        merge(Store(tmp_path / "b"), source)


def test_a_dry_run_writes_nothing(tmp_path):
    source, target = collect(tmp_path / "a"), Store(tmp_path / "b")
    result = merge_runs(target, [str(source.path)], dry_run=True)
    assert [(run.action, result.written) for run in result.runs] == [("added", False)]
    assert not target.path.exists()


def test_leftovers_of_a_cut_start_give_way(tmp_path):
    source, target = collect(tmp_path / "a"), Store(tmp_path / "b")
    journal = target.runs_dir / "r1" / "journal"
    journal.mkdir(parents=True)
    (journal / "lock").write_text("")
    assert merge(target, source) == {"r1": "added"}
    assert tree(target.path) == tree(source.path)


def test_a_racer_who_starts_the_run_meanwhile_wins(tmp_path, monkeypatch):
    from benchctl.store.merging import carrying_out as carry

    source, target = collect(tmp_path / "a"), Store(tmp_path / "b")
    real = carry.staging

    def slow(folder):
        collect(tmp_path / "b", cells=[0], close=False)
        return real(folder)

    monkeypatch.setattr(carry, "staging", slow)
    with pytest.raises(RunBusyError, match="is open now, and was absent"):
        merge(target, source)
    assert target.run("r1").state == "open"
    assert len(rows(target)) == 1
    assert not (target.path / ".merge").exists()


def test_while_a_run_is_copied_nobody_can_start_it_and_nobody_sees_it(tmp_path, monkeypatch):
    from benchctl.store.merging import carrying_out as carry

    source, target = collect(tmp_path / "a"), Store(tmp_path / "b")
    real, seen = carry.copy_verified, []

    def watched(*arguments):
        real(*arguments)
        seen.append((target.names(), target.find("r1")))
        with pytest.raises(RunBusyError):
            RunWriter.create(target, record())
        with pytest.raises(RunBusyError, match="another merge"):
            merge(target, source)

    monkeypatch.setattr(carry, "copy_verified", watched)
    assert merge(target, source) == {"r1": "added"}
    assert len(seen) > 5
    assert set(seen) == {((), None)}


@pytest.mark.parametrize("fallback", [False, True])
def test_a_merge_that_is_killed_leaves_no_run_and_the_next_one_sweeps(tmp_path, monkeypatch, fallback):
    if fallback:
        monkeypatch.setattr(place, "_RENAME_EXCHANGE", 64)  # what the kernel does not know: EINVAL
    source, target = collect(tmp_path / "a"), Store(tmp_path / "b")
    program = (
        f"import sys; sys.path.insert(0, {str(TESTS)!r})\n"
        "import os, pathlib\n"
        "from benchctl.store.merging import carrying_out as carry\n"
        "from benchctl.store.merging.act import merge_runs\n"
        "from benchctl.store.reader import Store\n"
        "real = carry.copy_verified\n"
        "def cut(source, into, wanted):\n"
        "    real(source, into, wanted)\n"
        "    if into.name == 'manifest.json': os.kill(os.getpid(), 9)\n"
        "carry.copy_verified = cut\n"
        f"merge_runs(Store(pathlib.Path({str(target.path)!r})), [{str(source.path)!r}])\n"
    )
    subprocess.run([sys.executable, "-c", program], check=False)
    assert (target.path / ".merge" / "r1" / "manifest.json").exists()
    assert target.find("r1") is None
    assert merge(target, source) == {"r1": "added"}
    assert tree(target.path) == tree(source.path)


@pytest.mark.parametrize("nth", [0, 1, 3, 5, 8, 11])
@pytest.mark.parametrize("call", ["fsync", "rename"])
def test_a_disk_that_fails_leaves_no_run(tmp_path, monkeypatch, nth, call):
    source, target = collect(tmp_path / "a"), Store(tmp_path / "b")
    if call == "rename":
        monkeypatch.setattr(place, "_RENAME_EXCHANGE", 64)  # what the kernel does not know: EINVAL
    real, calls = getattr(os, call), []

    def failing(*arguments, **more):
        calls.append(arguments)
        if len(calls) == nth + 1:
            raise OSError(28, "No space left on device")
        return real(*arguments, **more)

    monkeypatch.setattr(os, call, failing)
    failed = False
    try:
        merge(target, source)
    except StoreUnwritableError:
        failed = True
    monkeypatch.undo()
    assert failed or len(calls) <= nth
    assert target.find("r1") is None or sound(target)
    merge(target, source)
    assert tree(target.path) == tree(source.path)


def test_imported_tables_and_a_full_chain_come_along(tmp_path):
    source = Store(tmp_path / "a")
    shutil.copytree(TESTS / "vectors" / "stores" / "schema-1", source.path)
    target = Store(tmp_path / "b")
    assert merge(target, source) == {"closed": "added", "open": "added"}
    assert rows(target, "open") == rows(source, "open")
    assert sound(target)


CELLS = st.sets(st.integers(0, 7))


@settings(max_examples=12)
@given(CELLS, CELLS, CELLS)
def test_merging_is_idempotent_and_independent_of_order(tmp_path_factory, first, second, third):
    base = tmp_path_factory.mktemp("laws")
    parts = [first, second - first, third - second - first]
    sources = [collect(base / f"s{n}", cells=sorted(part), close=False) for n, part in enumerate(parts)]
    union = sorted(row for source in sources for row in rows(source))

    def result(name, *steps):
        target = Store(base / name)
        for step in steps:
            merge(target, *step)
        return rows(target)

    a, b, c = sources
    assert result("abc", [a, b, c]) == union
    assert result("a-b-c", [a], [b], [c]) == union
    assert result("c-ba", [c], [b, a]) == union
    merge(Store(base / "bc"), b, c)
    assert result("a-bc", [a], [Store(base / "bc")], [Store(base / "bc")], [a, a]) == union
    shutil.rmtree(base)


def test_an_open_run_is_not_uploaded(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    from benchctl.store.remote.remote_store import open_store_at

    (source,) = shards(tmp_path, [0])
    with pytest.raises(RunOpenError, match="an open run is not uploaded"):
        merge(open_store_at("memory://open"), source)


def test_a_suite_that_is_not_the_records_is_damage(tmp_path):
    (source,) = shards(tmp_path, [0])
    suite = source.runs_dir / "r1" / "evidence" / "suite.toml"
    suite.parent.mkdir()
    suite.write_text("another")
    with pytest.raises(StoreDamagedError, match="not the suite"):
        merge(Store(tmp_path / "b"), source)


def test_a_run_that_two_renames_had_moved_aside_comes_back(tmp_path, monkeypatch):
    monkeypatch.setattr(place, "_RENAME_EXCHANGE", 64)  # what the kernel does not know: EINVAL
    closed, (inside,) = collect(tmp_path / "a"), shards(tmp_path, [0, 1])
    before = rows(inside)
    real, moved = Path.rename, []

    def cut(self, target):
        moved.append(self)
        if len(moved) == 2:
            raise KeyboardInterrupt
        return real(self, target)

    def killed(_):
        raise KeyboardInterrupt  # nothing is swept by who is dead

    monkeypatch.setattr(Path, "rename", cut)
    monkeypatch.setattr(place, "_withdraw", lambda _: monkeypatch.setattr(place, "_empty", killed))
    with pytest.raises(KeyboardInterrupt):
        merge(inside, closed)
    monkeypatch.undo()
    with place.staging(inside.path):
        assert rows(inside) == before
    assert merge(inside, closed) == {"r1": "closed"}


REAL = """
schema = 1
name = "tiny"
title = "Tiny"
canary = "benchctl-canary-11111111-2222-4333-8444-666666666666"

[repos.texts]
kind = "directory"
source = "corpus"

[arms.one]
title = "One"

[agents.script]
files = "agents"
argv = ["/bin/sh", "{agent}/a.sh"]

[caps]
wall_s = 60

[run]
reps = 2
seed = 1
allow_no_sandbox = true
"""
QUESTION = """
[[questions]]
id = "q{n}"
repo = "texts"
class = "callers"
prompt = "Which of the files of this small tree is the one with the number {n}?"
gold = {{ items = ["f{n}.txt"] }}
"""
AGENT = """
echo x >> {root}/count
if [ "$(wc -l < {root}/count)" -eq 3 ]; then
  touch {root}/held
  while [ ! -e {root}/go ]; do sleep 0.02; done
fi
echo '["f1.txt"]'
"""


def project(root):
    """Make a project with six cells, of which the third waits until there is a file `go`."""
    suite = root / "data" / "suites" / "tiny"
    for folder in ("agents", "corpus"):
        (suite / folder).mkdir(parents=True)
    (root / "benchctl.toml").write_text("")
    (suite / "suite.toml").write_text(REAL + "".join(QUESTION.format(n=n) for n in (1, 2, 3)))
    (suite / "corpus" / "f1.txt").write_text("one\n")
    (suite / "agents" / "a.sh").write_text(AGENT.format(root=root))
    return root


def collecting(root, *more):
    """Start a collector, as on a machine of its own: two on one take turns with their cells."""
    runtime = root / "runtime"
    runtime.mkdir(mode=0o700, exist_ok=True)
    command = [sys.executable, "-m", "benchctl", "run", "tiny", "--run-id", "s", "--no-sandbox", "--no-page"]
    with (root / "log").open("ab") as log:
        env = {**os.environ, "XDG_RUNTIME_DIR": str(runtime)}
        return subprocess.Popen([*command, *more], cwd=root, stdout=log, stderr=log, env=env)


def until_held(root, collector):
    while not (root / "held").exists():
        assert collector.poll() is None, (root / "log").read_text()
        time.sleep(0.01)


def copied(root, name):
    copy = Store(root / name)
    shutil.copytree(root / "data" / "runs", copy.runs_dir)
    return copy


@pytest.fixture(scope="module", params=["killed", "alive"])
def really_collected(request, tmp_path_factory):
    """Return a run as a program collected it, closed, and a copy made while its third attempt ran."""
    root = project(tmp_path_factory.mktemp(request.param))
    collector = collecting(root)
    until_held(root, collector)
    opened = copied(root, "opened")
    if request.param == "killed":
        collector.kill()
        collector.wait()
        opened = copied(root, "left")
    (root / "go").touch()
    if request.param == "killed":
        collector = collecting(root)
    assert collector.wait() == 0, (root / "log").read_text()
    return Store(root / "data"), opened


def test_an_open_copy_of_a_real_run_and_the_same_run_closed_are_one(really_collected, tmp_path):
    closed, opened = really_collected
    assert opened.run("s").progress().finished == 2
    for name, store in (("closed", closed), ("opened", opened)):
        shutil.copytree(store.runs_dir, tmp_path / name / "runs")
    before = tree(closed.runs_dir)
    assert merge(Store(tmp_path / "closed"), opened) == {"s": "present"}
    assert merge(Store(tmp_path / "opened"), closed) == {"s": "closed"}
    assert tree(tmp_path / "closed" / "runs") == tree(tmp_path / "opened" / "runs") == before


@pytest.mark.parametrize(
    ("later_ms", "same"), [(-500, True), (1, False), (-60_001, False), (-3_600_000, False)]
)
def test_a_start_belongs_to_an_attempt_that_began_a_moment_later(really_collected, tmp_path, later_ms, same):
    closed, opened = really_collected
    store = Store(tmp_path / "opened")
    shutil.copytree(opened.runs_dir, store.runs_dir)
    started = opened.run("s").history().starts
    with RunWriter.resume(store, "s") as writer:
        cell = next(cell for cell in writer.unfinished if cell not in started)
        began = datetime.fromisoformat(closed.run("s").attempts(cell)[0]["started_at"])
        writer.claim(cell, (began + timedelta(milliseconds=later_ms)).isoformat())
    if same:
        assert merge(closed, store) == {"s": "present"}
    else:
        with pytest.raises(RunDiffersError, match="attempt 1 of cell"):
            merge(closed, store)


def test_of_an_attempt_that_ended_what_it_says_of_itself_counts_and_not_how_long_it_took_to_begin(tmp_path):
    closed, opened, cell = Store(tmp_path / "a"), Store(tmp_path / "b"), plan(8)[0].cell
    with RunWriter.create(closed, record()) as writer:
        writer.claim(cell, "2026-11-30T05:00:00.000000Z")
        writer.finish(evidence(cell), grade())
        shutil.copytree(closed.path, opened.path)
        writer.close(allow_unfinished=True)
    assert merge(closed, opened) == {"r1": "present"}


def test_a_loser_of_a_race_leaves_nothing_in_the_run_that_was_closed_meanwhile(tmp_path, monkeypatch):
    """Whoever takes the lock of a run that is there by then takes it in a folder that it makes itself."""
    from benchctl.store.merging import carrying_out as carry
    from benchctl.store.writing import writer

    source, target = collect(tmp_path / "a"), Store(tmp_path / "b")
    real, slow = carry.staging, lambda folder: (collect(tmp_path / "b"), real(folder))[1]
    monkeypatch.setattr(carry, "staging", slow)
    with pytest.raises(RunBusyError, match="is closed now, and was absent"):
        merge(target, source)
    assert tree(target.path) == tree(source.path)
    monkeypatch.undo()
    seen = []

    def late(layout, the_record):
        if not seen:
            return seen.append(collect(tmp_path / "c"))
        return real_refusal(layout, the_record)

    real_refusal = writer.refuse_existing
    monkeypatch.setattr(writer, "refuse_existing", late)
    for shared in (False, True):
        seen.clear()
        with pytest.raises(StoreExistsError):
            RunWriter.create(Store(tmp_path / "c"), record(), shared=shared)
        assert tree(tmp_path / "c") == tree(source.path)


def test_a_shard_that_comes_to_a_run_that_was_closed_meanwhile_leaves_nothing(tmp_path, monkeypatch):
    from benchctl.store.merging import carrying_out as carry

    first, second = shards(tmp_path, [0, 1], [2, 3])
    closed = collect(tmp_path / "closed")
    real = carry.refuse_unless

    def closed_meanwhile(layout, before):
        monkeypatch.setattr(carry, "refuse_unless", real)
        shutil.rmtree(first.runs_dir)
        shutil.copytree(closed.runs_dir, first.runs_dir)
        layout.journal.mkdir()
        layout.lock.touch()
        real(layout, before)

    monkeypatch.setattr(carry, "refuse_unless", closed_meanwhile)
    with pytest.raises(RunBusyError, match="is closed now, and was open"):
        merge(first, second)
    assert tree(first.path) == tree(closed.path)


def test_a_lock_left_over_in_a_closed_run_is_swept_by_the_next_merge(tmp_path):
    source, target = collect(tmp_path / "a"), collect(tmp_path / "b")
    journal = target.runs_dir / "r1" / "journal"
    journal.mkdir()
    (journal / "lock").touch()
    assert merge(target, source) == {"r1": "present"}
    assert not journal.exists()
    assert sound(target)


def test_a_full_disk_is_said_without_a_promise(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    source = collect(tmp_path / "a")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreUnwritableError) as caught:
        merge(Store(tmp_path / "b"), source)
    assert "resumes" not in str(caught.value)


def test_copies_of_a_started_run_each_collect_their_shard_and_are_united(tmp_path):
    here, there = Store(tmp_path / "here"), Store(tmp_path / "there")
    with RunWriter.create(here, record(), shared=True) as writer:
        writer.claim(plan(8)[0].cell, AT)  # it runs while the folder is copied
        shutil.copytree(here.path, there.path)
        writer.finish(evidence(plan(8)[0].cell), grade())
        finish(writer, plan(8), [2, 4, 6])
    with RunWriter.resume(there, "r1", shared=True) as writer:
        finish(writer, plan(8), [1, 3, 5, 7])
    assert merge(here, there) == {"r1": "united"}
    result = merge_runs(here, [str(there.path)], close=True)
    assert (result.runs[0].action, result.runs[0].state) == ("present", "closed")
    assert sound(here)
    assert len(rows(here)) == 8


def test_a_started_run_is_collected_in_two_projects_and_united(tmp_path):
    one, two = project(tmp_path / "one"), tmp_path / "two"
    shutil.copytree(one, two)
    collector = collecting(one, "--shard", "1/2")
    until_held(one, collector)
    shutil.copytree(one / "data" / "runs", two / "data" / "runs")
    assert collecting(two, "--shard", "2/2").wait() == 0, (two / "log").read_text()
    (one / "go").touch()
    assert collector.wait() == 0, (one / "log").read_text()
    here, there = Store(one / "data"), Store(two / "data")
    result = merge_runs(here, [str(two)], close=True)
    assert [(run.action, run.state) for run in result.runs] == [("united", "closed")]
    assert sound(here)
    assert [row["attempts"] for row in here.run("s").cells()] == [1] * 6
    assert merge(there, one) == {"s": "closed"}
