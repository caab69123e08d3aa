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

from benchctl.workspace import stragglers
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


def test_stragglers_of_a_cell_that_ran_out_of_time_are_ended_too(run):
    result = run("sh", "-c", "setsid sleep 60 & sleep 60", wall_s=0.3, marker="m-late")
    assert result.outcome == "timeout"
    assert carriers("m-late") == []


SUPERVISOR = """
import os, sys
from pathlib import Path
from benchctl.workspace import process
from benchctl.workspace.process import run_process
process.STALL_S = 0.5
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
from benchctl.workspace.process import run_process
from benchctl.workspace.sandbox import candidates
wall = next(wall for wall, missing in candidates() if wall.level == {level!r})
with cell_root() as root:
    env = dict(PATH=os.environ["PATH"])
    argv = wall.wrap(["sh", "-c", "setsid sleep 60 & sleep 60"], reads=[], writes=[root], cwd=root, env=env)
    run_process(argv, cwd=root, env=env, wall_s=60.0, output_bytes=1 << 22, marker={marker!r})
"""


@pytest.mark.parametrize("level", every_level())
def test_what_a_killed_supervisor_leaves_behind_a_wall(level, tmp_path):
    """Bubblewrap takes all its inmates along; Landlock its first process, and a later sweep finds the others."""
    survivors = {"bwrap": 0, "landlock": 2}[level]
    marker = f"m-walled-{level}"
    code = WALLED.format(level=level, marker=marker)
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code], env=env, stderr=subprocess.PIPE) as process:
        wait_for(lambda: len(carriers(marker)) >= 3 + (2 if level == "bwrap" else 0))
        process.kill()
        process.wait()
    wait_for(lambda: len(carriers(marker)) <= survivors)
    assert end_marked(marker) == survivors
    assert carriers(marker) == []


@pytest.mark.slow
def test_a_flood_is_counted_to_the_last_byte_in_bounded_memory(run):
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = 512 * 1024 * 1024
    result = run("sh", "-c", f"head -c {size} /dev/zero", output_bytes=1 << 40, wall_s=600.0)
    assert result.outcome == "ok"
    assert (result.stdout.total_bytes, result.stdout.dropped_bytes) == (size, size - 8 * 1024 * 1024)
    digest = hashlib.sha256()
    for _ in range(512):
        digest.update(bytes(1024 * 1024))
    assert result.stdout.sha256 == digest.hexdigest()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024  # KiB
