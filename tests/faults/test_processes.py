"""What a cell leaves behind, and what happens to it when its supervisor fails: each a fault that was seen."""

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from walls import every_level

from benchctl.workspace import stragglers, watch
from benchctl.workspace.process import run_process
from benchctl.workspace.stragglers import MARKER, end_marked

pytestmark = pytest.mark.skipif(not stragglers.SUBREAPER, reason="this system has no child subreaper")
ENV = {"PATH": os.environ["PATH"]}

DAEMON = """
import os, time
for _ in range({count}):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            {before}
            time.sleep(60)
        os._exit(0)
    else:
        os.wait()
print("left", flush=True)
"""


@pytest.fixture
def run(tmp_path):
    def started(*argv, **options):
        defaults = {"cwd": tmp_path, "env": ENV, "wall_s": 30.0, "output_bytes": 1 << 22}
        return run_process(argv, **{**defaults, **options})

    return started


def carriers(marker):
    """Return the processes of this machine that carry a marker."""
    wanted = f"{MARKER}={marker}".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if wanted in place.read_bytes().split(b"\0"):
                found.append(int(place.parent.name))
    return found


def wait_for(true):
    until = time.monotonic() + 30
    while not true():
        assert time.monotonic() < until, "what was waited for never came"
        time.sleep(0.01)


def python(code):
    return (sys.executable, "-I", "-S", "-c", code)


def test_background_and_daemonised_processes_are_ended_and_counted(run):
    shell = "sleep 60 & setsid sleep 60 & (setsid sh -c 'sleep 60 & sleep 60' &) ; sleep 0.2; exit 0"
    result = run("sh", "-c", shell, marker="m-mixed")
    assert (result.outcome, result.stragglers) == ("ok", 5)
    assert carriers("m-mixed") == []


def test_thirty_daemons_that_hold_the_output_do_not_lengthen_the_cell(run):
    result = run(*python(DAEMON.format(count=30, before="pass")), marker="m-thirty")
    assert (result.outcome, result.stragglers, result.pipes_held) == ("ok", 30, True)
    assert result.stdout.text == "left\n"
    assert carriers("m-thirty") == []


def test_a_daemon_that_closed_everything_and_cleared_its_environment_is_found(run):
    before = "os.closerange(0, 3); os.execve('/bin/sleep', ['sleep', '61'], {})"
    result = run(*python(DAEMON.format(count=2, before=before)))
    assert (result.outcome, result.stragglers) == ("ok", 2)
    found = subprocess.run(["pgrep", "-x", "-f", "sleep 61"], capture_output=True, text=True, check=False)
    assert found.stdout == ""


def test_a_daemon_that_floods_the_output_cannot_keep_the_supervisor(run):
    before = "os.execv('/usr/bin/yes', ['yes'])"
    result = run(*python(DAEMON.format(count=1, before=before)), output_bytes=1 << 40)
    assert (result.outcome, result.stragglers) == ("ok", 1)


def test_a_chain_of_sessions_that_forks_on_and_on_ends(run):
    chain = """
import os, time
print("go", flush=True)
until = time.time() + 20
def hop():
    while time.time() < until:
        if os.fork():
            time.sleep(0.002); os._exit(0)
        os.setsid()
for _ in range(8):
    if os.fork() == 0:
        hop(); os._exit(0)
time.sleep(0.2)
"""
    result = run(*python(chain), marker="m-chain")
    assert result.outcome == "ok"
    assert result.stragglers >= 1
    assert carriers("m-chain") == []


MULTIPLYING = """
import os, sys
tokens, given = os.pipe()
os.set_blocking(tokens, False)
os.write(given, b"x" * 60)
def take():
    try: return os.read(tokens, 1)
    except BlockingIOError: return b""
def child():  # one that gives its place back when it is gone, so that there are never more than sixty
    return take() and os.fork() == 0
for _ in range(8):
    if child():
        os.setsid()
        while True:
            if take() and os.fork():
                if take() and os.fork():
                    os.write(given, b"x"); os._exit(0)
                os.setsid()
print("[]")
"""


def test_processes_that_multiply_and_leave_their_parents_are_ended(run):
    """Fork, fork, exit: nobody lives long enough to be found by who looks for orphans."""
    result = run(*python(MULTIPLYING), marker="m-many")
    assert (result.outcome, carriers("m-many")) == ("ok", [])
    assert result.stragglers >= 1


def test_a_sweep_that_gives_up_is_no_good_end(run, monkeypatch):
    monkeypatch.setattr(stragglers, "SWEEP_S", 0.0)
    result = run("sh", "-c", "setsid sleep 60 & exit 0", marker="m-given-up")
    assert (result.outcome, result.stragglers) == ("escape", 1)
    assert "may run still" in result.detail
    wait_for(lambda: carriers("m-given-up") == [])


def test_whoever_is_asked_to_end_first_does_not_put_off_the_end(run, monkeypatch):
    """A cell of thousands of processes cannot be walked in time, and walking it is no stall of the host."""
    asked = []

    def endless(_):
        while len(asked) < 1000:
            asked.append(time.sleep(0.02))
            yield 2**22 + 1  # nobody

    monkeypatch.setattr(stragglers, "descendants", endless)
    monkeypatch.setattr(watch, "_ASKING_S", 2.0)
    result = run("sleep", "60", wall_s=0.2, stall_s=1.5)
    assert (result.outcome, result.cap, result.detail) == ("timeout", "wall_s", "")
    assert 0 < len(asked) < 1000


def test_stragglers_of_a_cell_that_ran_out_of_time_are_ended_too(run):
    result = run("sh", "-c", "setsid sleep 60 & sleep 60", wall_s=0.3, marker="m-late")
    assert result.outcome == "timeout"
    assert carriers("m-late") == []


SUPERVISOR = """
import os, sys
from pathlib import Path
from benchctl.workspace import job
from benchctl.workspace.process import run_process
job.STALL_S = 0.5
result = run_process({argv!r}, cwd=Path("/"), env=dict(PATH=os.environ["PATH"]), wall_s={wall_s},
                     output_bytes=1 << 22, marker={marker!r})
print(result.outcome, result.stragglers, flush=True)
"""


@contextlib.contextmanager
def supervisor(argv, marker, wall_s=60.0):
    code = SUPERVISOR.format(argv=argv, wall_s=wall_s, marker=marker)
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        wait_for(lambda: len(carriers(marker)) >= 2)
        try:
            yield process
        finally:
            process.kill()
            end_marked(marker)


def test_an_interrupt_ends_the_cell_and_is_raised_again():
    with supervisor(["sh", "-c", "setsid sleep 60 & sleep 60"], "m-interrupt") as process:
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
        assert b"KeyboardInterrupt" in stderr
        assert carriers("m-interrupt") == []


@pytest.mark.parametrize(
    ("wall_s", "stopped_s"),
    [(2.0, 2.5), (5.0, 1.0)],  # the cap falls into the stall, or is on time long after it
)
def test_a_supervisor_that_stood_still_does_not_blame_the_cell(wall_s, stopped_s):
    with supervisor(["sh", "-c", "sleep 60 & wait"], f"m-stall-{wall_s}", wall_s=wall_s) as process:
        process.send_signal(signal.SIGSTOP)
        time.sleep(stopped_s)
        process.send_signal(signal.SIGCONT)
        stdout, _ = process.communicate(timeout=30)
    assert stdout.split()[0] == b"host_stalled"


def test_what_a_killed_supervisor_left_is_found_by_its_marker():
    with supervisor(["sh", "-c", "sleep 60 & sleep 60"], "run-9/cell-1") as process:
        process.kill()
        process.wait()
        assert end_marked("run-9/") == 3  # the shell and its two
        assert carriers("run-9/cell-1") == []


WALLED = """
import os, sys
from pathlib import Path
from benchctl.workspace.cells import cell_root
from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.process import run_process
from benchctl.workspace.sandbox import candidates
wall = next(wall for wall, missing in candidates() if wall.level == {level!r})
with cell_root() as root:
    env = dict(PATH=os.environ["PATH"])
    argv = wall.wrap(["sh", "-c", "setsid sleep 60 & sleep 60"], reads=interpreter_reads(), writes=[root], cwd=root, env=env)
    run_process(argv, cwd=root, env=env, wall_s=60.0, output_bytes=1 << 22, marker={marker!r})
"""


@pytest.mark.parametrize("level", every_level())
def test_what_a_killed_supervisor_leaves_behind_a_wall(level, tmp_path):
    """Bubblewrap takes all its inmates along; Landlock its first process, and a later sweep finds the others."""
    survivors = 0 if level.startswith("bwrap") else 2
    marker = f"m-walled-{level}"
    code = WALLED.format(level=level, marker=marker)
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code], env=env, stderr=subprocess.PIPE) as process:
        wait_for(lambda: len(carriers(marker)) >= 3 + (2 if level.startswith("bwrap") else 0))
        process.kill()
        process.wait()
    wait_for(lambda: len(carriers(marker)) <= survivors)
    assert end_marked(marker) == survivors
    assert carriers(marker) == []


FLOOD_BYTES = int(os.environ.get("BENCHCTL_FLOOD_BYTES", str(512 * 1024 * 1024)))
FLOOD = """
import sys
line = b'{"type":"tool"}' + b"x" * 1008 + b"\\n"
block = line * 64
for _ in range(%d): sys.stdout.buffer.write(block)
"""


@pytest.mark.slow
def test_a_flood_is_counted_to_the_last_byte_in_bounded_memory(run):
    """BENCHCTL_FLOOD_BYTES is how many; what is kept of them is always 8 MiB."""
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    blocks = FLOOD_BYTES // (1024 * 64)
    size = blocks * 1024 * 64
    result = run(
        *python(FLOOD % blocks),
        output_bytes=1 << 40,
        wall_s=3600.0,
        counts={"tool_calls": '"type":"tool"', "events": r"^\{"},
    )
    assert result.outcome == "ok"
    assert (result.stdout.total_bytes, result.stdout.dropped_bytes) == (size, size - 8 * 1024 * 1024)
    assert result.counts == {"tool_calls": blocks * 64, "events": blocks * 64}
    digest, block = hashlib.sha256(), (b'{"type":"tool"}' + b"x" * 1008 + b"\n") * 64
    for _ in range(blocks):
        digest.update(block)
    assert result.stdout.sha256 == digest.hexdigest()
    assert len(result.stdout.text) < 20 * 1024 * 1024
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024  # KiB


def test_marks_are_counted_also_where_they_are_not_kept(run):
    """A count over what is kept would find a few hundred of these, and nothing would tell."""
    code = "for n in range(3000): print('MARK ' + 'x' * 10_000)\nprint('the end')"
    result = run(*python(code), output_bytes=1 << 30, keep_bytes=2 << 20, counts={"marks": "^MARK"})
    assert result.counts == {"marks": 3000}
    assert result.stdout.text.endswith("the end\n")
    assert f"[benchctl: {result.stdout.dropped_bytes} bytes dropped here]" in result.stdout.text
    assert result.stdout.text.count("MARK") < 300


def test_a_cell_that_exits_and_leaves_a_child_on_its_output_is_over_when_it_exits(run):
    result = run("sh", "-c", "sleep 600 & exit 0")  # longer than its cap, which no wait may reach
    assert (result.outcome, result.pipes_held, result.stragglers) == ("ok", True, 1)


def test_a_storm_of_forks_is_ended_whole(run):
    """Each child leaves its session and forks two more, until 600 have been; a list of them is old when it is made."""
    storm = """
import os, time
def grow(depth):
    for _ in range(2):
        if os.fork() == 0:
            os.setsid()
            if depth: grow(depth - 1)
            time.sleep(60)
            os._exit(0)
grow(7)
time.sleep(0.3)
"""
    result = run(*python(storm), marker="m-storm")
    assert result.outcome == "ok"
    assert result.stragglers >= 100
    assert carriers("m-storm") == []


def test_a_straggler_that_calls_itself_another_cells_is_ended_all_the_same(run):
    result = run("sh", "-c", f"(env {MARKER}=other setsid sleep 60 &) ; sleep 0.2")
    assert (result.outcome, result.stragglers) == ("ok", 1)
    assert carriers("other") == []
