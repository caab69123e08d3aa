import fcntl
import json
import os
import subprocess
import sys

import pytest

from benchctl.errors import RunBusyError
from benchctl.store.journals import lock
from benchctl.store.journals.lock import Collector, RunLock, read_collector


def test_a_second_collector_is_told_who_the_first_is(tmp_path):
    held = RunLock(tmp_path / "journal" / "lock", "r1")
    with pytest.raises(RunBusyError, match=f"run r1 is being collected by process {os.getpid()}"):
        RunLock(tmp_path / "journal" / "lock", "r1")
    held.release()
    held.release()
    RunLock(tmp_path / "journal" / "lock", "r1").release()


def test_the_lock_ends_with_its_process(tmp_path):
    code = (
        "import os, sys; from pathlib import Path; from benchctl.store.journals.lock import RunLock\n"
        "RunLock(Path(sys.argv[1]), 'r1'); os.kill(os.getpid(), 9)"
    )
    path = tmp_path / "lock"
    child = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert child.returncode == -9
    collector = read_collector(path)
    assert collector.pid != os.getpid()
    assert not collector.alive
    RunLock(path, "r1").release()


def test_this_process_is_alive_and_its_like_are_not(tmp_path):
    held = RunLock(tmp_path / "lock", "r1")
    me = read_collector(held.path)
    assert me == held.collector
    assert me.alive
    assert not Collector(me.pid, (me.started or 0) + 1, me.boot).alive  # the pid was given away
    assert not Collector(me.pid, me.started, "another boot").alive
    assert not Collector(2**22 + 1, me.started, me.boot).alive
    held.release()


def test_a_lock_is_held_unseen_only_where_its_last_holder_cannot_be_looked_up(tmp_path, monkeypatch):
    path = tmp_path / "journal" / "lock"
    held = RunLock(path, "r1")
    assert (held.collector.visible, lock.held_unseen(path)) == (True, False)
    monkeypatch.setattr(lock, "_space", lambda: "pid:[another container]")
    assert (held.collector.visible, lock.held_unseen(path)) == (False, True)
    with pytest.raises(RunBusyError, match="collected by a process that cannot be seen from here"):
        RunLock(path, "r1")
    monkeypatch.undo()
    monkeypatch.setattr(lock, "_boot", lambda: "another machine")
    assert lock.held_unseen(path)
    held.release()
    assert not lock.held_unseen(path), "free: whoever had it is dead"
    path.unlink()
    assert not lock.held_unseen(path)
    assert Collector(1, 2, "another machine").visible, "an earlier version did not say where"


def test_a_lock_that_cannot_be_tried_is_not_said_to_be_held(tmp_path, monkeypatch):
    def refuse(_descriptor, _how):
        raise OSError("no locks here")

    held = RunLock(tmp_path / "lock", "r1")
    monkeypatch.setattr(lock, "_space", lambda: "pid:[another container]")
    monkeypatch.setattr(fcntl, "flock", refuse)
    assert not lock.held_unseen(held.path)
    held.path.unlink()
    held.path.symlink_to("elsewhere")
    assert not lock.held_unseen(held.path)


def test_a_process_of_another_user_can_be_alive(monkeypatch):
    def refuse(_pid, _signal):
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    started = lock._started(os.getpid())
    assert Collector(os.getpid(), started, lock._boot()).alive


def test_where_proc_is_missing_start_and_boot_are_none(tmp_path, monkeypatch):
    monkeypatch.setattr(lock, "_BOOT_ID", tmp_path / "nowhere")
    assert lock._boot() is None
    assert lock._started(2**22 + 1) is None


def test_a_zombie_is_not_alive():
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    child.stdout.read()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has buried it
    try:
        assert not Collector(child.pid, 1, lock._boot()).alive
        assert lock._started(child.pid) is None
    finally:
        child.stdout.close()
        child.wait()


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", "null", '{"pid": "x", "started": 1, "boot": "b"}', "\0\0"]
)
def test_a_lock_that_names_nobody_is_nobody(tmp_path, content):
    (tmp_path / "lock").write_text(content)
    assert read_collector(tmp_path / "lock") is None
    assert read_collector(tmp_path / "nowhere") is None


def test_busy_without_a_name_is_still_busy(tmp_path):
    path = tmp_path / "lock"
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(RunBusyError, match="process unknown"):
            RunLock(path, "r1")


def test_a_lock_file_removed_while_it_was_taken_is_not_held(tmp_path, monkeypatch):
    path = tmp_path / "journal" / "lock"
    path.parent.mkdir()
    real, calls = fcntl.flock, []

    def flock(descriptor, how):
        real(descriptor, how)
        if not calls:  # the closer before us unlinks the very file that we have just locked
            path.unlink()
            path.parent.rmdir()
        calls.append(how)

    monkeypatch.setattr(fcntl, "flock", flock)
    held = RunLock(path, "r1")
    assert len(calls) == 2
    assert json.loads(path.read_text())["pid"] == os.getpid()
    held.release()
