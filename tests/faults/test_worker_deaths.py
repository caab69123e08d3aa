"""Whatever of a running cell dies, the collector above all, nothing of the cell outlives it."""

import contextlib
import fcntl
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from families import alive, end, family, tag, wait_for
from walls import every_level

from benchctl.workspace import stragglers
from benchctl.workspace.cgroup import groups_home
from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.sandbox import candidates
from benchctl.workspace.workers import Workers

pytestmark = pytest.mark.skipif(not stragglers.SUBREAPER, reason="this system has no child subreaper")
ENV = {"PATH": os.environ["PATH"]}
LEVELS = ["none", *every_level()]

COLLECTOR = """
import os, sys, fcntl
from pathlib import Path
from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.sandbox import candidates
from benchctl.workspace.workers import Workers
level, root, script = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
lock = open(root / "lock", "w")
os.set_inheritable(lock.fileno(), True)
fcntl.flock(lock, fcntl.LOCK_EX)
env, argv = {"PATH": os.environ["PATH"]}, ["sh", "-c", script]
if level != "none":
    wall = next(wall for wall, missing in candidates() if wall.level == level)
    argv = wall.wrap(argv, reads=interpreter_reads(), writes=[root / "cell"], cwd=root / "cell", env=env)
with Workers() as crew:
    result = crew.run(argv, cwd=root / "cell", env=env, wall_s=60.0, output_bytes=1 << 22, marker=sys.argv[4])
    print(result.outcome, flush=True)
"""


def walled(level, argv, root):
    if level == "none":
        return argv
    wall = next(wall for wall, _ in candidates() if wall.level == level)
    return wall.wrap(argv, reads=interpreter_reads(), writes=[root], cwd=root, env=ENV)


@contextlib.contextmanager
def collector(level, root, **options):
    """Start a collector whose cell has four processes, and wait until it has."""
    seconds = tag()
    (root / "cell").mkdir()
    argv = [
        sys.executable,
        "-c",
        COLLECTOR,
        level,
        str(root),
        family(seconds),
        f"{seconds.replace('.', '-')}-1",
    ]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options) as process:
        try:
            wait_for(lambda: len(alive(seconds)) >= 4)
            yield process, seconds
        finally:
            process.kill()
            end(seconds)


def below(pid):
    """Return the nursery of a collector, and the worker below it."""
    nursery = stragglers._children(pid)[0]
    return nursery, stragglers._children(nursery)[0]


@pytest.mark.parametrize("level", LEVELS)
def test_when_the_collector_is_killed_everything_below_dies(level, tmp_path):
    with collector(level, tmp_path) as (process, seconds):
        nursery, worker = below(process.pid)
        process.kill()
        process.wait()
        wait_for(lambda: not alive(seconds))
        wait_for(lambda: stragglers._is_dead(worker) and stragglers._is_dead(nursery))


def test_a_cell_that_does_not_listen_dies_with_the_collector_too(tmp_path):
    seconds = tag()
    (tmp_path / "cell").mkdir()
    script = f"trap '' TERM; (trap '' TERM; setsid sleep {seconds} &); while true; do sleep {seconds}; done"
    with subprocess.Popen([sys.executable, "-c", COLLECTOR, "none", str(tmp_path), script, "m"]) as process:
        wait_for(lambda: len(alive(seconds)) >= 2)
        process.kill()
        process.wait()
    wait_for(lambda: not alive(seconds))


@pytest.mark.skipif(groups_home() is None, reason="this machine lets us have no control group")
def test_what_all_three_leave_that_are_killed_at_once_is_found_by_its_marker(tmp_path):
    """Collector, nursery and worker: what they leave is nobody's, and one of it has cleared its environment."""
    with collector("none", tmp_path) as (process, seconds):
        nursery, worker = below(process.pid)
        os.kill(nursery, signal.SIGSTOP)
        os.kill(worker, signal.SIGKILL)
        os.kill(process.pid, signal.SIGKILL)
        os.kill(nursery, signal.SIGKILL)
        process.wait()
        assert alive(seconds)
        assert stragglers.end_marked(seconds.replace(".", "-")) >= 1
        wait_for(lambda: not alive(seconds))


def test_when_the_group_of_the_launcher_is_killed_everything_below_dies(tmp_path):
    with collector("none", tmp_path, start_new_session=True) as (process, seconds):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        wait_for(lambda: not alive(seconds))


def test_when_the_collector_is_killed_after_its_nursery_its_worker_ends_the_cell(tmp_path):
    with collector("none", tmp_path) as (process, seconds):
        nursery, worker = below(process.pid)
        os.kill(nursery, signal.SIGKILL)
        process.kill()
        process.wait()
        wait_for(lambda: not alive(seconds))
        wait_for(lambda: stragglers._is_dead(worker))


def test_no_lock_is_held_by_anything_below(tmp_path):
    with collector("none", tmp_path) as (process, seconds):
        nursery, worker = below(process.pid)
        os.kill(nursery, signal.SIGSTOP)  # nothing is ended now, and the lock is free all the same
        os.kill(worker, signal.SIGSTOP)
        try:
            process.kill()
            process.wait()
            assert len(alive(seconds)) >= 4
            with (tmp_path / "lock").open() as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.kill(nursery, signal.SIGCONT)
            os.kill(worker, signal.SIGCONT)
        wait_for(lambda: not alive(seconds))


@pytest.mark.parametrize("level", LEVELS)
def test_a_second_interrupt_at_once_leaves_nothing_either(level, tmp_path):
    with collector(level, tmp_path) as (process, seconds):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.wait(30)
        assert process.returncode != 0
        wait_for(lambda: not alive(seconds))


@pytest.fixture
def crew():
    with Workers() as crew:
        yield crew


def cell(crew, argv, root, **options):
    """Run a cell in a thread; return (the thread, where its result will be)."""
    results = []
    terms = {"cwd": root, "env": ENV, "wall_s": 60.0, "output_bytes": 1 << 22, **options}
    thread = threading.Thread(target=lambda: results.append(crew.run(argv, **terms)))
    thread.start()
    return thread, results


def worker_of(crew):
    return stragglers._children(crew._nursery.pid)[0]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_is_killed_takes_its_cell_along_and_the_next_one_works(level, number, crew, tmp_path):
    seconds = tag()
    thread, results = cell(crew, walled(level, ["sh", "-c", family(seconds)], tmp_path), tmp_path)
    wait_for(lambda: len(alive(seconds)) >= 4)
    os.kill(worker_of(crew), number)
    thread.join()
    assert alive(seconds) == []  # already: the next cell must not meet them
    assert (results[0].outcome, results[0].exit_code) == ("interrupted", None)
    assert results[0].wall_s > 0
    thread, results = cell(crew, walled(level, ["sh", "-c", "echo next"], tmp_path), tmp_path)
    thread.join()
    assert (results[0].outcome, results[0].stdout.text) == ("ok", "next\n")


STORM = """
import os, time
def grow(depth):
    for _ in range(2):
        if os.fork() == 0:
            os.setsid()
            if depth: grow(depth - 1)
            time.sleep(60)
            os._exit(0)
grow(7)
print("grown", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("level", LEVELS)
def test_a_storm_of_five_hundred_sessions_ends_with_its_cell(level, crew, tmp_path):
    words = [sys.executable, "-I", "-S", "-c", f"word = '{tag()}'\n{STORM}"]
    thread, results = cell(crew, walled(level, words, tmp_path), tmp_path, wall_s=3.0)
    thread.join()
    assert (results[0].outcome, results[0].stdout.text) == ("timeout", "grown\n")
    assert alive(words[-1]) == []


def test_a_nursery_that_dies_costs_no_cell(crew, tmp_path):
    thread, results = cell(crew, ["sh", "-c", "setsid sleep 60 & sleep 0.6; echo done"], tmp_path)
    wait_for(lambda: crew._nursery is not None and stragglers._children(crew._nursery.pid))
    os.kill(crew._nursery.pid, signal.SIGKILL)
    thread.join()
    assert (results[0].outcome, results[0].stdout.text, results[0].stragglers) == ("ok", "done\n", 1)
    thread, results = cell(crew, ["true"], tmp_path)
    thread.join()
    assert results[0].outcome == "ok"


def test_when_nursery_and_worker_both_die_the_collector_ends_what_is_left(crew, tmp_path):
    seconds = tag()
    thread, results = cell(crew, ["sh", "-c", family(seconds)], tmp_path)
    wait_for(lambda: len(alive(seconds)) >= 4)
    worker = worker_of(crew)
    os.kill(crew._nursery.pid, signal.SIGKILL)
    os.kill(worker, signal.SIGKILL)
    thread.join()
    assert results[0].outcome == "interrupted"
    assert alive(seconds) == []


def test_a_straggler_that_calls_itself_another_cells_is_ended_all_the_same(crew, tmp_path):
    seconds = tag()
    script = f"(env BENCHCTL_CELL=other setsid sleep {seconds} &) ; sleep 0.2"
    thread, results = cell(crew, ["sh", "-c", script], tmp_path)
    thread.join()
    assert (results[0].outcome, results[0].stragglers) == ("ok", 1)
    assert alive(seconds) == []


def test_workers_killed_at_random_moments_leave_nothing_and_lose_no_cell(crew, tmp_path):
    """BENCHCTL_WORKER_KILLS is how many cells; memory, descriptors and children of this process stay flat."""
    cells = int(os.environ.get("BENCHCTL_WORKER_KILLS", "40"))
    dice, seconds, over = random.Random(5), tag(), threading.Event()

    def kill():
        while not over.is_set():
            time.sleep(dice.random() * 0.3)
            with contextlib.suppress(OSError, IndexError, AttributeError):
                os.kill(worker_of(crew), signal.SIGKILL)

    def one():
        return crew.run(
            ["sh", "-c", f"(env -i PATH=$PATH setsid sleep {seconds} &) ; sleep 0.02; echo done"],
            cwd=tmp_path, env=ENV, wall_s=60.0, output_bytes=1000,
        )  # fmt: skip

    def state():
        return len(list(Path("/proc/self/fd").iterdir())), len(stragglers.own_children())

    def nursery_kib():
        return int(Path(f"/proc/{crew._nursery.pid}/statm").read_text().split()[1]) * 4

    one()
    before, before_kib = state(), nursery_kib()
    killer = threading.Thread(target=kill)
    killer.start()
    results = [one() for _ in range(cells)]
    over.set()
    killer.join()
    assert {result.outcome for result in results} == {"ok", "interrupted"}
    assert all(result.stdout.text == "done\n" for result in results if result.outcome == "ok")
    assert alive(seconds) == []
    one()
    assert state() == before
    assert nursery_kib() - before_kib < 2048
