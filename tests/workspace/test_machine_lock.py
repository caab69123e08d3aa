from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from benchctl.errors import LockFolderUnsafeError, MachineBusyError
from benchctl.workspace import living, machine_lock
from benchctl.workspace.living import Living, process, this_process
from benchctl.workspace.machine_lock import MachineLock, lock_folder

HOLD = """
import sys
from pathlib import Path
from benchctl.workspace.machine_lock import machine_lock
with machine_lock(sys.argv[2], Path("/runs") / sys.argv[2], folder=Path(sys.argv[1])) as lock:
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "lock-folder"


@pytest.fixture
def hold(folder):
    """Start processes that hold the machine until they are told to end."""
    started = []

    def start(run):
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(folder), run],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(holder)
        assert holder.stdout.readline() == "held\n"
        return holder

    yield start
    for holder in started:
        holder.communicate()


def held(folder, run="r2", **more):
    return machine_lock.machine_lock(run, Path("/runs") / run, folder=folder, **more)


def test_another_run_is_told_whose_the_machine_is(folder, hold):
    holder = hold("r1")
    boot, started = living._boot(), living._started(holder.pid)
    said = rf"collecting run r1 in /runs/r1 by process {holder.pid}, started at tick {started} of boot {boot}"
    with pytest.raises(MachineBusyError, match=said), held(folder):
        pytest.fail("two runs at once")
    holder.communicate("end\n")
    with held(folder) as lock:
        assert lock.holder().run == "r2"
        assert lock.holder().process == this_process()


def test_those_who_share_a_run_hold_it_together_and_nobody_else_does(folder, hold):
    first, second = hold("r1"), hold("r1")
    first.communicate("end\n")
    with pytest.raises(MachineBusyError, match="run r1 in /runs/r1 ") as error, held(folder):
        pytest.fail("the second one has it still")
    assert str(first.pid) not in str(error.value).partition("in /runs/r1")[2], "the dead one is not blamed"
    third = hold("r1")
    second.communicate("end\n")
    with pytest.raises(MachineBusyError, match=f"by process {third.pid}"), held(folder):
        pytest.fail("the third one has it, and has said so")


def test_the_lock_ends_with_its_process(folder, hold):
    holder = hold("r1")
    holder.kill()
    holder.communicate()
    with held(folder):
        assert not process(holder.pid).alive


def test_who_waits_hears_once_for_whom(folder, hold, monkeypatch):
    holder, told, sleeps = hold("r1"), [], []

    def sleep(seconds):
        sleeps.append(seconds)
        if len(sleeps) == 3:
            holder.communicate("end\n")

    monkeypatch.setattr(machine_lock.time, "sleep", sleep)
    with held(folder, wait=True, waiting=told.append):
        assert [(each.run, each.process.pid) for each in told] == [("r1", holder.pid)]
    assert len(sleeps) == 3


@pytest.mark.parametrize(("run", "joins"), [("r1", True), ("r2", False)])
def test_who_comes_while_the_lock_is_being_taken_waits_for_the_answer(folder, monkeypatch, run, joins):
    first, second, said = MachineLock(folder, "r1", "/runs/r1"), MachineLock(folder, run, "/runs/x"), []
    thread = threading.Thread(target=lambda: said.append(second.take()))
    sign = MachineLock._sign

    def sign_slowly(lock, descriptor):
        thread.start()
        thread.join(0.2)
        assert not said, "nobody knows yet whose it is"
        sign(lock, descriptor)

    monkeypatch.setattr(MachineLock, "_sign", sign_slowly)
    assert first.take()
    thread.join()
    assert said == [joins]
    first.release()
    second.release()


def test_a_turn_is_had_by_one_at_a_time(folder):
    locks = [MachineLock(folder, "r1", "/runs/r1") for _ in range(4)]
    assert all(lock.take() for lock in locks)
    inside, most, seen = [], [], []

    def work(lock):
        for _ in range(20):
            with lock.turn():
                inside.append(lock)
                most.append(len(inside))
                inside.remove(lock)
        seen.append(lock)

    threads = [threading.Thread(target=work, args=(lock,)) for lock in locks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    assert len(seen) == 4
    for lock in locks:
        lock.release()
        lock.release()


def test_who_waits_for_a_turn_hears_that_it_is_anothers(folder):
    first, second, heard = MachineLock(folder, "r1", "/runs/r1"), MachineLock(folder, "r1", "/runs/r1"), []
    with first.turn(lambda: heard.append("first")):
        assert heard == []
        mine = second.turn(lambda: heard.append("second"))
        thread = threading.Thread(target=lambda: heard.append(mine.__enter__() or "its turn"))
        thread.start()
        while not heard:
            pass
        assert heard == ["second"]
    thread.join()
    assert heard == ["second", "its turn"]
    mine.__exit__(None, None, None)
    first.release()
    second.release()


def test_no_child_inherits_the_lock(folder):
    """The trap of an orphan that holds a dead run's lock."""
    with held(folder, "r1"):
        orphan = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
        )
    try:
        with held(folder, "r2"):
            pass
    finally:
        orphan.communicate()


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", "null", '{"process": {"pid": "x"}}', "\0", '{"process": 1, "run": 2}']
)
def test_a_lock_that_names_nobody_is_held_all_the_same(folder, content):
    holder = MachineLock(folder, "r1", "/runs/r1")
    assert holder.take()
    (folder / "lock").write_text(content)
    with pytest.raises(MachineBusyError, match="another run"), held(folder):
        pytest.fail("somebody holds it")
    holder.release()


def test_the_folder_is_the_users_own(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert lock_folder() == tmp_path / "benchctl"
    for value in ("", "relative"):
        monkeypatch.setenv("XDG_RUNTIME_DIR", value)
        assert lock_folder() in (
            Path(f"/run/user/{os.getuid()}/benchctl"),
            Path(f"/tmp/benchctl-{os.getuid()}"),
        )
    monkeypatch.setattr(machine_lock, "_is_own", lambda _: True)
    assert lock_folder() == Path(f"/run/user/{os.getuid()}/benchctl")


def test_a_folder_that_others_can_write_to_is_refused(folder):
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(LockFolderUnsafeError, match="others can write"), held(folder):
        pytest.fail("anybody could take the lock away")


def test_a_folder_of_somebody_else_is_refused(folder, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    with pytest.raises(LockFolderUnsafeError, match="own it"), held(folder):
        pytest.fail("it is somebody else's")


@pytest.mark.parametrize("what", ["folder", "lock", "turn", "door"])
def test_no_link_is_followed(folder, tmp_path, what):
    elsewhere = tmp_path / "elsewhere"
    if what == "folder":
        elsewhere.mkdir(mode=0o700)
        folder.symlink_to(elsewhere)
        with pytest.raises(LockFolderUnsafeError), held(folder):
            pytest.fail("a link")
    else:
        folder.mkdir(mode=0o700)
        (folder / what).symlink_to(elsewhere)
        with pytest.raises(OSError, match="symbolic links"), held(folder) as lock, lock.turn():
            pytest.fail("a link")
    assert not elsewhere.exists() or not any(elsewhere.iterdir())


def test_what_is_there_instead_of_the_folder_is_named(folder):
    folder.write_text("x")
    with pytest.raises(LockFolderUnsafeError, match="cannot be used"), held(folder):
        pytest.fail("no folder")


def test_a_process_is_told_from_another_with_its_number():
    me = this_process()
    assert me.alive
    assert Living.read(json.loads(json.dumps({"pid": me.pid, "started": me.started, "boot": me.boot}))) == me
    assert not Living(me.pid, (me.started or 0) + 1, me.boot).alive
    assert not Living(me.pid, me.started, "another boot").alive
    assert not Living(2**22 + 1, me.started, me.boot).alive
    assert Living.read({"pid": 0, "started": 1, "boot": "b"}) is None
    assert Living.read({"pid": True, "started": 1, "boot": "b"}) is None


def test_a_zombie_is_not_alive_and_another_users_process_is(monkeypatch, tmp_path):
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    before = process(child.pid)
    child.stdout.read()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not before.alive
    child.stdout.close()
    child.wait()
    me = this_process()

    def refuse(_pid, _signal):
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert me.alive
    monkeypatch.setattr(living, "_BOOT_ID", tmp_path / "nowhere")
    assert living._boot() is None
