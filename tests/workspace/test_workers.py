import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from benchctl.errors import WorkerUnavailableError
from benchctl.schema.evidence import Stream
from benchctl.workspace import host, stragglers, workers
from benchctl.workspace.job import Job, ProcessResult
from benchctl.workspace.process import run_process
from benchctl.workspace.worker import _job_from, _result_bytes, job_bytes, result_from
from benchctl.workspace.workers import Workers

PATH = {"PATH": os.environ["PATH"]}


@pytest.fixture
def crew():
    with Workers() as crew:
        yield crew


@pytest.fixture
def run(crew, tmp_path):
    def started(*argv, **options):
        defaults = {"cwd": tmp_path, "env": PATH, "wall_s": 30.0, "output_bytes": 1 << 22}
        return crew.run(argv, **{**defaults, **options})

    return started


def parent_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_a_job_arrives_as_it_was_sent(tmp_path):
    job = Job.of(
        ["rg", "--", "a\nb", "\udcff"],
        cwd=tmp_path / "ä",
        env={"A": "\udc80=1"},
        wall_s=1.5,
        output_bytes=7,
        keep_bytes=3,
        marker="m",
        counts={"events": "^é"},
        limits={"events": 2},
        secrets={"KEY": "hush"},
    )
    assert _job_from(job_bytes(job)[8:]) == job


def test_a_result_arrives_as_it_was_sent():
    stream = Stream("a\n\x00é\ufffd{}", 9, 0, "ab" * 32)
    result = ProcessResult(
        "timeout", None, 1.25, 0.5, stream, Stream(), 3, "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:01.250Z",
        pipes_held=True, max_gap_s=0.25, detail="d", cap="wall_s", counts={"events": 4}, redactions={"KEY": 1},
        suspended_s=1.0, clock_drift_s=-2.0, stalled_cpu_s=0.1, stalled_io_s=None, stalled_memory_s=0.0,
    )  # fmt: skip
    assert result_from(_result_bytes(result)[8:]) == result


def test_what_takes_secrets_out_is_loaded_before_the_first_worker(crew, run):
    assert run("true").outcome == "ok"
    loaded = Path(f"/proc/{crew._nursery.pid}/maps")
    if os.getuid() or not loaded.exists():
        pytest.skip("the nursery's memory is closed to others")
    assert "ahocorasick" in loaded.read_text()


def test_a_worker_does_what_a_call_in_this_process_does(run, tmp_path):
    script = "echo out; echo err >&2; echo $A; pwd; exit 7"
    terms = {"cwd": tmp_path, "env": {**PATH, "A": "1"}, "wall_s": 30.0, "output_bytes": 1 << 22}
    there, here = run("sh", "-c", script, **terms), run_process(["sh", "-c", script], **terms)
    for name in (
        "outcome",
        "exit_code",
        "stdout",
        "stderr",
        "stragglers",
        "pipes_held",
        "detail",
        "cap",
        "counts",
    ):
        assert getattr(there, name) == getattr(here, name), name


@pytest.mark.parametrize(
    ("argv", "options", "outcome", "cap"),
    [
        (("true",), {}, "ok", None),
        (("no-such-command",), {}, "spawn_error", None),
        (("true",), {"cwd": Path("/no/such/folder")}, "spawn_error", None),
        (("sleep", "60"), {"wall_s": 0.2}, "timeout", "wall_s"),
        (("yes",), {"output_bytes": 1 << 16}, "output_cap", "output_bytes"),
        (("yes",), {"counts": {"events": "y"}, "limits": {"events": 10}}, "output_cap", "events"),
        (("sh", "-c", "exit 1", "{ready_fd}"), {}, "sandbox_error", None),
    ],
)
def test_every_end_has_its_word(run, argv, options, outcome, cap):
    result = run(*argv, **options)
    assert (result.outcome, result.cap) == (outcome, cap)


def test_a_relative_folder_is_this_processs(run, tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path)
    result = run("pwd", cwd=Path("inner"))
    assert Path(result.stdout.text.strip()).samefile(tmp_path / "inner")


def test_an_environment_of_the_caller_reaches_nothing_below(run, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "from-the-caller")
    result = run("sh", "-c", "env; cat /proc/$PPID/environ; cat /proc/$PPID/cmdline")
    assert "from-the-caller" not in result.stdout.text
    assert "SECRET_KEY" not in result.stdout.text


def test_much_output_comes_back_whole(run):
    code = "import sys; sys.stdout.buffer.write(b'\\xc3\\xa9' * 3_000_000)"
    result = run(sys.executable, "-I", "-S", "-c", code, output_bytes=1 << 30)
    assert (result.outcome, result.stdout.text == "é" * 3_000_000) == ("ok", True)


def test_each_call_has_a_worker_of_its_own_below_one_nursery(run, crew):
    told = [
        run("sh", "-c", "echo $PPID; cut -d' ' -f4 /proc/$PPID/stat").stdout.text.split() for _ in range(3)
    ]
    assert len({worker for worker, _ in told}) == 3
    assert {nursery for _, nursery in told} == {str(crew._nursery.pid)}


@pytest.mark.skipif(not stragglers.SUBREAPER, reason="this system has no child subreaper")
def test_cells_beside_each_other_keep_their_families(run):
    results = {}

    def work(name, argv):
        results[name] = run(*argv)

    jobs = dict.fromkeys([*range(4), "slow"], ("sh", "-c", "env -i setsid sleep 60 & sleep 0.1"))
    jobs["slow"] = ("sh", "-c", "(setsid sh -c 'sleep 1; echo alive') & wait")
    threads = [threading.Thread(target=work, args=item) for item in jobs.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results["slow"].stdout.text == "alive\n"
    assert [results[n].stragglers for n in range(4)] == [1] * 4


def test_a_thread_that_ends_takes_no_worker_along(crew, tmp_path):
    """A death signal asked for by a thread comes when the thread ends, and not when its process does."""
    terms = {"cwd": tmp_path, "env": PATH, "wall_s": 30.0, "output_bytes": 1 << 22}
    first = threading.Thread(target=crew.run, args=(["true"],), kwargs=terms)
    first.start()
    first.join()
    nursery = crew._nursery.pid
    assert crew.run(["sh", "-c", "sleep 0.3; echo alive"], **terms).stdout.text == "alive\n"
    assert crew._nursery.pid == nursery


def test_descriptors_and_children_stay_flat(run):
    def state():
        return len(list(Path("/proc/self/fd").iterdir())), len(stragglers.own_children())

    run("true")
    before = state()
    for _ in range(20):
        run("true")
        run("no-such-command")
    assert state() == before


def test_nothing_is_left_afterwards(tmp_path):
    with Workers() as crew:
        crew.run(["true"], cwd=tmp_path, env=PATH, wall_s=30.0, output_bytes=1000)
        nursery = crew._nursery
    assert nursery.returncode == 0
    assert nursery.pid not in stragglers.spared


def test_workers_that_were_never_needed_start_nothing():
    with Workers() as crew:
        assert crew._nursery is None


def test_what_is_no_pattern_is_said_and_nothing_runs(run):
    result = run("true", counts={"n": "("})
    assert result.outcome == "interrupted"
    assert "missing )" in result.detail


def test_where_no_worker_can_be_started_that_is_said(crew, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "_BOOT", "raise SystemExit(1)")
    monkeypatch.setattr(workers, "_PAUSE_S", 0.0)
    with pytest.raises(WorkerUnavailableError, match="3 times"):
        crew.run(["true"], cwd=tmp_path, env=PATH, wall_s=1.0, output_bytes=1000)


def test_a_nursery_that_stands_still_is_replaced(run, crew, monkeypatch):
    monkeypatch.setattr(workers, "_ANSWER_S", 0.5)
    run("true")
    first = crew._nursery.pid
    os.kill(first, signal.SIGSTOP)
    assert run("echo", "new").stdout.text == "new\n"
    assert crew._nursery.pid != first
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


def test_a_worker_that_stands_still_is_ended(run, monkeypatch):
    monkeypatch.setattr(workers, "_LATE_S", 0.3)
    result = run("sh", "-c", "setsid sleep 61 & kill -STOP $PPID; sleep 61", wall_s=0.5, marker="m-still")
    assert (result.outcome, "stood still" in result.detail) == ("host_stalled", True)
    assert stragglers.end_marked("m-still") == 0


def test_an_interrupt_ends_the_cell_and_is_raised_again(run):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        run("sh", "-c", "env -i setsid sleep 60 & trap '' TERM; sleep 60", marker="m-interrupt")
    assert stragglers.end_marked("m-interrupt") == 0
    assert run("true").outcome == "ok"


def test_a_second_interrupt_waits_for_nothing_and_leaves_nothing(run):
    for after_s in (0.5, 0.8):  # the first is still waiting for what does not listen
        threading.Timer(after_s, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt) as raised:
        run(
            "sh",
            "-c",
            "trap '' TERM; env -i setsid sleep 60 & while true; do sleep 60; done",
            marker="m-second",
        )
    assert isinstance(raised.value.__context__, KeyboardInterrupt)
    assert stragglers.end_marked("m-second") == 0
    assert run("true").outcome == "ok"


def test_an_answer_that_was_not_read_is_not_taken_for_the_next_one(run, crew):
    run("true")
    crew._owed += 1
    crew._control.sendall(b"c")  # and here an interrupt came
    assert run("sh", "-c", "kill -9 $PPID; sleep 60").outcome == "interrupted"
    assert crew._owed == 0


@pytest.mark.skipif(not stragglers.SUBREAPER, reason="this system has no child subreaper")
def test_facts_of_the_host_come_from_the_worker(run):
    result = run("sleep", "0.1")
    assert (result.suspended_s, result.clock_drift_s) != (None, None)
    if host._pressure("cpu") is not None:
        assert result.stalled_cpu_s is not None


def test_a_session_of_its_own_keeps_the_terminals_signals_out(run, crew):
    run("true")
    assert os.getsid(crew._nursery.pid) == crew._nursery.pid


def test_signals_that_were_ignored_or_blocked_here_are_not_there(crew, tmp_path):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    try:
        result = crew.run(
            ["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"],
            cwd=tmp_path,
            env=PATH,
            wall_s=30.0,
            output_bytes=1000,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGHUP, before)
    blocked, ignored = (int(line.split()[1], 16) for line in result.stdout.text.splitlines())
    assert blocked == 0
    assert not ignored & 1 << (signal.SIGHUP - 1)


def test_a_nursery_that_died_before_is_started_anew(run, crew):
    run("true")
    crew._nursery.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        crew._nursery.wait(10)
    assert run("true").outcome == "ok"
    os.kill(crew._nursery.pid, signal.SIGKILL)
    time.sleep(0.05)
    assert run("true").outcome == "ok"
