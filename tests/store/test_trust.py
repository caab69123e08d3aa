"""What was verified is remembered, here and across processes, and never for bytes that might be others."""

import json
import os
import shutil
import stat
import time

import pytest
from small_run import plan, record, run_cell

from benchctl.errors import StoreDamagedError
from benchctl.store.checking.verify import verify_run
from benchctl.store.disk import hash_memory as remembered
from benchctl.store.disk import verified_file as trust
from benchctl.store.disk.verified_file import hash_anew, trusted
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

CELLS = "rows/cells.parquet"


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    with RunWriter.create(store, record(cells=plan(2))) as writer:
        for cell in writer.unfinished:
            run_cell(writer, cell, 0.5)
        writer.close()
    return store.run("r1")


@pytest.fixture
def hashed(monkeypatch):
    """Return the files that are hashed; the clock of the memory runs ten seconds ahead, so that all is settled."""
    found, real, now = [], trust._hashed, time.time_ns

    def counting(path):
        found.append(path.name)
        return real(path)

    monkeypatch.setattr(trust, "_hashed", counting)
    monkeypatch.setattr(trust.time, "time_ns", lambda: now() + 10_000_000_000)
    return found


@pytest.fixture
def run(sealed, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    forget(monkeypatch)
    shutil.copytree(sealed.path, tmp_path / "runs" / "r1")
    return Store(tmp_path).run("r1")


def forget(monkeypatch):
    """Be another process: nothing is known but what the cache folder says."""
    remembered._MEMORY.save()
    trust._VERIFIED.clear()
    monkeypatch.setattr(remembered, "_MEMORY", remembered._Memory())


def place(tmp_path):
    return tmp_path / "cache" / "benchctl" / "verified-2.json"


def test_a_second_process_does_not_hash_again(run, hashed, monkeypatch, tmp_path):
    trusted(run.layout, run.manifest, CELLS)
    trusted(run.layout, run.manifest, CELLS)
    assert hashed == ["cells.parquet"]
    forget(monkeypatch)
    trusted(run.layout, run.manifest, CELLS)
    assert hashed == ["cells.parquet"]
    assert stat.S_IMODE(place(tmp_path).stat().st_mode) == 0o600
    assert [path.name for path in place(tmp_path).parent.iterdir()] == ["verified-2.json"]


@pytest.mark.parametrize("same_times", [False, True])
def test_a_change_is_seen_even_if_its_time_is_put_back(run, hashed, monkeypatch, same_times):
    path = run.path / CELLS
    trusted(run.layout, run.manifest, CELLS)
    forget(monkeypatch)
    before, content = path.stat(), bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    if same_times:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(StoreDamagedError, match="sha256"):
        trusted(run.layout, run.manifest, CELLS)
    assert hashed == ["cells.parquet"] * 2


def test_a_file_that_was_just_written_is_not_remembered(run, monkeypatch, tmp_path):
    trusted(run.layout, run.manifest, CELLS)  # by the true clock, moments after it was copied
    forget(monkeypatch)
    assert not place(tmp_path).exists()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b"\xff not json"),
        lambda path: path.write_text("[[1]]"),
        lambda path: path.write_text("{}"),
        lambda path: path.write_text("[" * 99999),
        lambda path: path.unlink(),
        lambda path: path.chmod(0o622),
        lambda path: (path.unlink(), path.mkdir()),
    ],
)
def test_a_memory_that_is_spoilt_is_no_memory(run, hashed, monkeypatch, tmp_path, spoil):
    trusted(run.layout, run.manifest, CELLS)
    forget(monkeypatch)
    spoil(place(tmp_path))
    trusted(run.layout, run.manifest, CELLS)
    assert hashed == ["cells.parquet"] * 2
    forget(monkeypatch)


def test_what_another_user_owns_is_not_taken_from_the_memory(run, hashed, monkeypatch):
    trusted(run.layout, run.manifest, CELLS)
    forget(monkeypatch)
    monkeypatch.setattr(remembered.os, "geteuid", lambda: os.getuid() + 1)
    trusted(run.layout, run.manifest, CELLS)
    assert hashed == ["cells.parquet"] * 2


def test_a_cache_folder_that_cannot_be_is_no_error(run, hashed, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    trusted(run.layout, run.manifest, CELLS)
    forget(monkeypatch)
    trusted(run.layout, run.manifest, CELLS)
    assert hashed == ["cells.parquet"] * 2
    forget(monkeypatch)


def test_two_processes_keep_what_both_have_found(run, hashed, monkeypatch, tmp_path):
    trusted(run.layout, run.manifest, CELLS)
    other = remembered._Memory()
    seen = (1, 2, 3, 4, 5, os.geteuid())
    other.remember((str(tmp_path), "0" * 64), remembered._Hashed(seen, time.time_ns()))
    other.save()
    forget(monkeypatch)
    assert {entry[0] for entry in json.loads(place(tmp_path).read_text())} == {
        str(tmp_path),
        str(run.path / CELLS),
    }
    assert hashed == ["cells.parquet"]


def test_verify_store_asks_no_memory(run, hashed, monkeypatch):
    """A memory that claims the damaged file to be sound, which no real one can, convinces nobody who checks bytes."""
    path = run.path / CELLS
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    monkeypatch.setattr(trust, "_is_known", lambda *_: True)
    assert trusted(run.layout, run.manifest, CELLS) == path
    assert [damage.path for damage in verify_run(run.path)] == [CELLS]
    assert hashed == []


@pytest.mark.parametrize(("later_s", "again"), [(0, 1), (remembered.BELIEVED_S + 60, 2), (-3600, 2)])
def test_what_was_hashed_is_believed_for_a_day_and_never_from_the_future(
    run, hashed, monkeypatch, later_s, again
):
    trusted(run.layout, run.manifest, CELLS)
    forget(monkeypatch)
    now = time.time_ns
    monkeypatch.setattr(remembered.time, "time_ns", lambda: now() + later_s * 10**9)
    trusted(run.layout, run.manifest, CELLS)
    assert hashed == ["cells.parquet"] * again


def poisoned(path):
    """Change a file through a mapping that moves no time, as its own memory was told: identity is what it was."""
    before = path.stat()
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    return before


def test_whatever_gates_or_copies_asks_neither_this_process_nor_an_earlier_one(run, hashed, monkeypatch):
    trusted(run.layout, run.manifest, CELLS)
    before = remembered.identity(poisoned(run.path / CELLS))
    monkeypatch.setattr(trust, "identity", lambda _: before)
    trusted(run.layout, run.manifest, CELLS)  # the limit of the memory, which the manual names
    for forgetting in (lambda: None, lambda: forget(monkeypatch)):
        forgetting()
        hash_anew()
        with pytest.raises(StoreDamagedError, match="sha256"):
            trusted(run.layout, run.manifest, CELLS)
    assert hashed == ["cells.parquet"] * 3


def test_what_is_hashed_anew_is_hashed_once(run, hashed, monkeypatch):
    trusted(run.layout, run.manifest, CELLS)
    hash_anew()
    trusted(run.layout, run.manifest, CELLS)
    trusted(run.layout, run.manifest, CELLS)
    assert hashed == ["cells.parquet"] * 2
    forget(monkeypatch)


COMMANDS = [
    ("verify-claims",),
    ("site", "render", "--out", "out"),
    ("report", "r1", "--stamp"),
    ("report", "--update", "page.md"),
    ("export", "r1", "--to", "out"),
    ("merge", "."),
    ("gc", "r1"),
    ("regrade", "r1"),
    ("void", "r1", "--all", "--why", "x"),
    ("backfill", "r1", "late.csv"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_the_commands_that_gate_publish_copy_or_correct_hash_anew(run, monkeypatch, words):
    from benchctl.cli import exit_code

    asked = []
    monkeypatch.setattr(trust, "hash_anew", lambda: asked.append(words))
    monkeypatch.chdir(run.path.parents[1])
    for name in ("benchctl.toml", "page.md", "late.csv"):
        (run.path.parents[1] / name).write_text("")
    exit_code(words)
    assert asked == [words]


def test_a_command_that_only_looks_asks_the_memory(run, monkeypatch):
    from benchctl.cli import exit_code

    monkeypatch.setattr(trust, "hash_anew", lambda: pytest.fail("hashed anew"))
    (run.path.parents[1] / "benchctl.toml").write_text("")
    monkeypatch.chdir(run.path.parents[1])
    (run.path.parents[1] / "benchctl.toml").write_text('store = "."')
    assert exit_code(["runs"]) == 0
