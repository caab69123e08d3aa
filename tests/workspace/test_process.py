import hashlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from benchctl.workspace import host, job, stragglers
from benchctl.workspace.capture import Capture
from benchctl.workspace.job import READY_FD, Job
from benchctl.workspace.process import run_job, run_process
from benchctl.workspace.stragglers import MARKER

PATH = {"PATH": os.environ["PATH"]}
SUBREAPER = pytest.mark.skipif(not stragglers.SUBREAPER, reason="this system has no child subreaper")


@pytest.fixture
def run(tmp_path):
    def started(*argv, **options):
        defaults = {"cwd": tmp_path, "env": PATH, "wall_s": 30.0, "output_bytes": 1 << 22}
        return run_process(argv, **{**defaults, **options})

    return started


def python(code):
    return (sys.executable, "-I", "-S", "-c", code)


@pytest.mark.parametrize(
    ("argv", "outcome", "exit_code"),
    [
        (("true",), "ok", 0),
        (("sh", "-c", "exit 7"), "exit_nonzero", 7),
        (("sh", "-c", "kill -9 $$"), "exit_nonzero", 137),  # as a shell says it: 128 + 9
        (("sh", "-c", "kill -11 $$"), "exit_nonzero", 139),
        (("no-such-command",), "spawn_error", None),
        (("nul\0inside",), "spawn_error", None),
        (("x" * 200_000,), "spawn_error", None),  # longer than the system takes
    ],
)
def test_an_end_has_one_word(run, argv, outcome, exit_code):
    result = run(*argv)
    assert (result.outcome, result.exit_code) == (outcome, exit_code)
    assert result.stragglers == 0
    assert result.started_at <= result.ended_at
    assert (result.cpu_s is None) == (outcome == "spawn_error")


def test_a_folder_that_is_not_there_is_a_spawn_error(run, tmp_path):
    assert run("true", cwd=tmp_path / "gone").outcome == "spawn_error"


def test_both_streams_are_kept_apart_and_whole(run):
    result = run("sh", "-c", "printf out; printf err >&2")
    assert (result.stdout.text, result.stderr.text) == ("out", "err")
    assert result.stdout.sha256 == hashlib.sha256(b"out").hexdigest()
    assert (result.stdout.total_bytes, result.stdout.dropped_bytes) == (3, 0)


def test_the_process_gets_the_given_environment_and_a_marker_and_nothing_else(run, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "from the caller")
    result = run(*python("import os; print(sorted(os.environ))"), env={"ONE": "1"})
    assert set(eval(result.stdout.text)) - {"LC_CTYPE"} == {"ONE", "PWD", MARKER}


def test_standard_input_is_empty_and_never_waits(run):
    assert run("cat").outcome == "ok"


def test_the_process_leads_a_session_of_its_own(run):
    result = run(*python("import os; print(os.getsid(0) == os.getpid())"))
    assert result.stdout.text == "True\n"


def test_no_descriptor_of_ours_is_inherited(run, tmp_path):
    with (tmp_path / "lock").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)  # noqa: FBT003
        result = run(*python(f"import os; os.fstat({lock.fileno()})"))
    assert result.outcome == "exit_nonzero"
    assert "Bad file descriptor" in result.stderr.text


def test_more_output_than_is_kept_leaves_head_tail_counts_and_digest(run):
    code = "import sys; sys.stdout.write('head' + 'x' * 300_000 + 'tail')"
    result = run(*python(code), keep_bytes=1000)
    whole = b"head" + b"x" * 300_000 + b"tail"
    assert result.outcome == "ok"
    assert result.stdout.sha256 == hashlib.sha256(whole).hexdigest()
    assert (result.stdout.total_bytes, result.stdout.dropped_bytes) == (len(whole), len(whole) - 1000)
    assert result.stdout.text.startswith("head")
    assert result.stdout.text.endswith("tail")


def test_a_process_that_talks_without_end_is_ended_at_the_cap(run):
    result = run("yes", output_bytes=1 << 20)
    assert (result.outcome, result.exit_code, result.cap) == ("output_cap", None, "output_bytes")
    assert result.stdout.total_bytes > 1 << 20


def test_the_cap_counts_both_streams_together(run):
    code = "import sys; sys.stdout.write('o' * 600); sys.stderr.write('e' * 600); sys.stdout.flush(); sys.stderr.flush()\n"
    code += "import time; time.sleep(60)"
    assert run(*python(code), output_bytes=1000).outcome == "output_cap"


def test_a_process_that_takes_too_long_is_asked_to_end(run):
    result = run("sh", "-c", "trap 'echo leaving; exit 0' TERM; sleep 60 & wait", wall_s=0.3)
    assert (result.outcome, result.exit_code) == ("timeout", None)
    assert result.stdout.text == "leaving\n"


def test_a_process_that_does_not_listen_is_ended(run):
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(60)"
    result = run(*python(code), wall_s=0.5)
    assert (result.outcome, result.cap, result.stdout.text) == ("timeout", "wall_s", "1\n")


CALLS = 'for n in 1 2 3 4 5; do echo \'{"type":"tool"}\'; echo \'{"type":"text"}\'; done'
TOLD = {"tool_calls": '"type":"tool"', "events": "^."}


def test_patterns_are_counted_in_the_output_and_not_in_the_errors(run):
    result = run("sh", "-c", f"{CALLS}; {CALLS} >&2", counts=TOLD)
    assert (result.outcome, result.counts, result.cap) == ("ok", {"tool_calls": 5, "events": 10}, None)


@pytest.mark.parametrize(
    ("limits", "cap"),
    [
        ({"tool_calls": 5, "events": 10}, None),  # the limit itself is allowed
        ({"tool_calls": 4}, "tool_calls"),
        ({"tool_calls": 5, "events": 9}, "events"),
        ({"tool_calls": 0}, "tool_calls"),
    ],
)
@pytest.mark.parametrize("goes_on", [True, False])
def test_a_count_that_passes_its_limit_ends_the_process_and_whoever_was_quicker_passed_it_too(
    run, limits, cap, goes_on
):
    result = run("sh", "-c", f"{CALLS}; {'sleep 60' if goes_on and cap else ''}", counts=TOLD, limits=limits)
    assert (result.outcome, result.cap) == ("output_cap" if cap else "ok", cap)
    assert result.exit_code == (None if cap else 0)


def test_a_pattern_that_goes_through_a_line_without_end_ends_the_cell_and_not_the_run(run):
    """It backtracks: twice as long for each further letter."""
    line = "a" * 200 + "!"
    result = run("sh", "-c", f"echo {line}; sleep 60", counts={"tool_calls": "(a+)+$", "events": "^"})
    assert (result.outcome, result.cap, result.counts) == ("output_cap", "counts", {})
    assert result.detail == "the pattern of counts.tool_calls takes too long on what was printed"
    assert line in result.stdout.text
    quicker = run("printf", line, counts={"tool_calls": "(a+)+$"}, limits={"tool_calls": 1})
    assert (quicker.outcome, quicker.cap) == ("output_cap", "counts")


def test_a_last_line_without_a_newline_counts_too(run):
    result = run("printf", "x", counts={"n": "x"}, limits={"n": 0})
    assert (result.outcome, result.cap, result.counts) == ("output_cap", "n", {"n": 1})


def test_more_output_than_allowed_is_too_much_also_of_one_who_was_quicker(run):
    result = run("sh", "-c", "printf 123456789", output_bytes=8)
    assert (result.outcome, result.cap, result.stdout.text) == ("output_cap", "output_bytes", "123456789")


def test_secrets_are_taken_out_before_anything_is_kept_or_counted(run):
    script = "echo key hush-hush-1234; echo 'key hush-hush-1234' >&2; printf hush-hush-; sleep 0.1; echo 1234"
    result = run("sh", "-c", script, secrets={"API_KEY": "hush-hush-1234"}, counts={"seen": "hush"})
    assert result.redactions == {"API_KEY": 3}
    assert result.counts == {"seen": 0}
    assert "hush" not in result.stdout.text + result.stderr.text
    assert result.stdout.sha256 == hashlib.sha256(result.stdout.text.encode()).hexdigest()


def test_without_secrets_nothing_was_looked_for(run):
    assert run("true").redactions is None


def test_a_hangup_ends_the_process(tmp_path):
    ours, theirs = os.pipe()
    terms = {"cwd": tmp_path, "env": PATH, "wall_s": 30.0, "output_bytes": 1 << 22}
    closer = threading.Timer(0.2, os.close, (theirs,))
    closer.start()
    result = run_job(Job.of(["sh", "-c", "echo here; setsid sleep 60 & sleep 60"], **terms), hangup=ours)
    closer.join()
    os.close(ours)
    assert (result.outcome, result.exit_code, result.stdout.text) == ("interrupted", None, "here\n")


@pytest.mark.parametrize(
    ("argv", "outcome"),
    [
        (("sleep", "60"), "host_stalled"),
        (
            ("sh", "-c", "exit 3"),
            "host_stalled",
        ),  # whoever gives up after a sleep of the host may have lost a server
        (("true",), "ok"),
        (("yes",), "output_cap"),  # nobody talks more because the host slept
    ],
)
def test_a_host_that_slept_is_nobodys_failure(run, monkeypatch, argv, outcome):
    monkeypatch.setattr(host.HostWatch, "facts", lambda _: host.HostFacts(suspended_s=7.0))
    result = run(*argv, wall_s=0.3, output_bytes=1 << 16)
    assert (result.outcome, result.suspended_s, result.detail) == (
        outcome,
        7.0,
        "the host slept for 7.0 s of this cell",
    )


def test_a_clock_that_is_set_back_changes_no_duration(run, monkeypatch):
    set_back = iter([0.0, -3600.0])
    monkeypatch.setattr(host, "_clocks", lambda: (time.time() + next(set_back), *[time.monotonic()] * 2))
    result = run("sleep", "0.2")
    assert result.outcome == "ok"
    assert 0.2 <= result.wall_s < 3000
    assert result.clock_drift_s == pytest.approx(-3600.0, abs=5)


def test_what_the_supervisor_works_itself_is_no_stall(run, monkeypatch):
    worked_s, thread_time, add = [0.0], time.thread_time, Capture.add

    def busy(capture, data):
        time.sleep(0.8)
        worked_s[0] += 1000.0  # far more than it was late, so that a busy machine changes nothing here
        add(capture, data)

    monkeypatch.setattr(time, "thread_time", lambda: thread_time() + worked_s[0])
    monkeypatch.setattr(Capture, "add", busy)
    result = run("sh", "-c", "echo; sleep 3", stall_s=0.7)
    assert (result.outcome, result.stdout.total_bytes, result.detail) == ("ok", 1, "")


def test_cpu_seconds_are_those_of_the_process_and_its_children(run):
    burn = "import time\nwhile time.process_time() < 0.2: pass"
    direct = run(*python(burn))
    nested = run("sh", "-c", f'"{sys.executable}" -I -S -c "{burn}"; true')
    assert direct.cpu_s >= 0.2
    assert nested.cpu_s >= 0.2


def test_a_sandbox_that_never_started_its_command_is_not_the_commands_failure(run):
    def says(words, exit_code):
        code = f"import os, sys; os.write(int(sys.argv[1]), {words!r}); sys.exit({exit_code})"
        return run(*python(code), READY_FD).outcome

    assert says(b"", 1) == "sandbox_error"
    assert says(b"exit-code: 1", 1) == "exit_nonzero"
    assert says(b"exit-code\nfailed\n", 125) == "sandbox_error"
    assert says(b"exit-code\nno-command\n", 125) == "spawn_error"
    assert says(b"", 0) == "ok"


def test_words_on_the_output_cannot_blame_the_sandbox(run):
    result = run("sh", "-c", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1")
    assert result.outcome == "exit_nonzero"


def test_descriptors_stay_flat(run):
    run("true")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for argv in (("true",), ("no-such-command",), ("sh", "-c", "exit 1", "sh", READY_FD)):
        run(*argv)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_an_exit_is_noticed_without_pidfds(run, monkeypatch):
    monkeypatch.delattr(os, "pidfd_open")
    assert run("sh", "-c", "exit 4").exit_code == 4


@SUBREAPER
def test_without_a_subreaper_the_marker_finds_what_left_the_group(run, monkeypatch):
    monkeypatch.setattr(stragglers, "SUBREAPER", False)
    result = run("sh", "-c", "setsid sleep 60 & sleep 60 & sleep 0.2", marker="m-1")
    assert (result.outcome, result.stragglers) == ("ok", 2)
    assert stragglers.end_marked("m-1") == 0


def test_a_whole_marker_is_not_the_start_of_another(run):
    assert run("true", marker="m-1").outcome == "ok"
    with subprocess.Popen(["sleep", "60"], env={**PATH, MARKER: "m-10"}) as other:
        time.sleep(0.1)
        assert stragglers.end_marked("m-1", whole=True) == 0
        assert other.poll() is None
        assert stragglers.end_marked("m-1") == 1


@SUBREAPER
def test_cells_in_two_threads_do_not_end_each_others_processes(run):
    results = {}

    def work(name, argv):
        results[name] = run(*argv)

    quick = [("quick", n) for n in range(5)]
    threads = [threading.Thread(target=work, args=("slow", ("sh", "-c", "(sleep 0.6; echo alive) & wait")))]
    threads += [threading.Thread(target=work, args=(name, ("sh", "-c", "sleep 30 &"))) for name in quick]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results["slow"].stdout.text == "alive\n"
    assert [results[name].stragglers for name in quick] == [1] * 5


@SUBREAPER
def test_our_own_children_are_not_taken_for_a_cells(run):
    with subprocess.Popen(["sleep", "30"]) as mine, subprocess.Popen(["true"]) as done:
        run("sh", "-c", "sleep 0.1")
        assert mine.poll() is None
        assert done.wait() == 0
        mine.kill()


def test_a_late_supervisor_is_told_by_its_gaps(run, monkeypatch):
    monkeypatch.setattr(job, "STALL_S", 0.0)  # any delay at all is a stall
    result = run("sleep", "60", wall_s=0.2)
    assert result.outcome == "host_stalled"
    assert "stood still" in result.detail
    ended_well = run("sleep", "0.4")
    assert (ended_well.outcome, "stood still" in ended_well.detail) == ("ok", True)


def test_the_cwd_is_the_cells(run, tmp_path):
    assert Path(run("pwd").stdout.text.strip()).samefile(tmp_path)
