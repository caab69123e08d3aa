"""The wall of a container, held against an engine that stands in for docker."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from walls import skip_without

from benchctl.schema.sandbox import ContainerSpec
from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.probes import DECISIVE, probe
from benchctl.workspace.sandbox import candidates, choose
from benchctl.workspace.sandbox.container import container_unavailable, container_wrap
from benchctl.workspace.wall import Sandbox
from benchctl.workspace.workers import Workers

SPEC = ContainerSpec(image="cells:1")
pytestmark = skip_without("bwrap")


@pytest.fixture(autouse=True)
def engine(tmp_path, monkeypatch):
    program = tmp_path / "engine" / "docker"
    program.parent.mkdir()
    fake = Path(__file__).with_name("fake_engine.py")
    program.write_text(
        f"#!{sys.executable} -IS\nimport runpy\nrunpy.run_path({str(fake)!r}, run_name='__main__')\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return program


def ran(cell, *argv, env=None, wall_s=60.0, **words):
    env = {"PATH": os.environ["PATH"], "HOME": str(cell), **(env or {})}
    walled = container_wrap(SPEC)(argv, reads=interpreter_reads(), writes=[cell], cwd=cell, env=env, **words)
    with Workers() as workers:
        return walled, workers.run(walled, cwd=cell, env=env, wall_s=wall_s, output_bytes=1 << 20)


@pytest.fixture
def cell(tmp_path):
    folder = tmp_path / "cell"
    folder.mkdir()
    return folder


def test_no_engine_no_daemon_and_no_image_are_reasons(monkeypatch):
    assert container_unavailable(SPEC) is None
    monkeypatch.setenv("FAKE_ENGINE_REFUSES", "image inspect cells:1")
    assert "has no image cells:1" in container_unavailable(SPEC)
    monkeypatch.setenv("FAKE_ENGINE_REFUSES", "info")
    assert "the daemon of docker does not answer: Cannot connect" in container_unavailable(SPEC)
    monkeypatch.setenv("PATH", "/nowhere")
    assert container_unavailable(SPEC) == "docker is not installed"


def test_a_container_is_a_level_only_where_the_project_names_one():
    assert "container" not in [sandbox.level for sandbox, _ in candidates()]
    assert [sandbox.level for sandbox, _ in candidates(SPEC)][:2] == ["bwrap", "container"]


def test_the_command_runs_and_its_end_and_output_are_its_own(cell):
    _, result = ran(cell, "sh", "-c", "echo out; echo err >&2; echo kept > file; cat; exit 7")
    assert (result.outcome, result.exit_code, result.stdout.text) == ("exit_nonzero", 7, "out\n")
    assert result.stderr.text == "err\n"
    assert (cell / "file").read_text() == "kept\n"
    assert ran(cell, "sh", "-c", "kill -9 $$")[1].exit_code == 137
    assert ran(cell, "no-such-command")[1].exit_code == 127


def test_no_value_of_the_environment_is_on_the_command_line(cell):
    walled, result = ran(cell, "sh", "-c", 'echo "$SOME_KEY $HOME"', env={"SOME_KEY": "very-secret-value"})
    assert result.stdout.text == f"very-secret-value {cell}\n"
    assert not any("very-secret-value" in word for word in walled)


def test_a_container_that_never_began_is_the_walls_fault_and_125_is_not(engine, cell, monkeypatch):
    assert ran(cell, "sh", "-c", "exit 125")[1].outcome == "exit_nonzero"
    engine.write_text("#!/bin/sh\necho no space left >&2\nexit 125\n")
    result = ran(cell, "true")[1]
    assert (result.outcome, result.detail) == ("sandbox_error", "no space left")
    engine.unlink()
    monkeypatch.setenv("PATH", "/nowhere")
    assert ran(cell, "true")[1].outcome == "sandbox_error"


def test_time_is_up_inside_too(cell):
    result = ran(cell, "sh", "-c", "trap 'echo leaving; exit 0' TERM; sleep 60 & wait", wall_s=2.0)[1]
    assert (result.outcome, result.stdout.text) == ("timeout", "leaving\n")


def test_what_no_client_waits_for_any_more_is_ended(cell):
    """kill -9 of the client and of all that we started: what the daemon started is ended by its own guard."""
    code = f"import time; open({str(cell / 'started')!r}, 'w').close(); time.sleep(86398)"
    walled = container_wrap(SPEC)(
        [sys.executable, "-I", "-S", "-c", code], reads=interpreter_reads(), writes=[cell], cwd=cell,
        env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    ready, theirs = os.pipe()
    walled = [str(theirs) if word == "{ready_fd}" else word for word in walled]
    launcher = subprocess.Popen(walled, pass_fds=[theirs], cwd=cell, env={"PATH": os.environ["PATH"]})
    try:
        _until((cell / "started").exists)
        assert _asleep(code)
        launcher.send_signal(signal.SIGKILL)
        launcher.wait()
        _until(lambda: not _asleep(code))
    finally:
        launcher.kill()
        launcher.wait()
        for left in _asleep(code):
            os.kill(int(left.parent.name), signal.SIGKILL)
        os.close(ready)
        os.close(theirs)


def test_the_attack_reaches_nothing():
    found = probe(Sandbox("container", container_wrap(SPEC)))
    reached = {name for name, finding in found.items() if finding == "open"}
    assert not reached & DECISIVE
    # The rest is the engine's own: its seccomp profile, its settings of user namespaces.
    assert reached <= {"user_namespace"}


def test_a_container_is_chosen_where_bubblewrap_fails(monkeypatch):
    from benchctl.workspace import sandbox as sandbox_module

    rungs = tuple((name, wrap, lambda: "not here") for name, wrap, _ in sandbox_module._LADDER)
    monkeypatch.setattr(sandbox_module, "_LADDER", rungs)
    chosen = choose(None, allow_none=False, forced_none=False, container=SPEC)
    assert (chosen.level, chosen.passed_over) == ("container", {"bwrap": "not here"})
    assert not chosen.shares_network


def _asleep(code):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[-2:-1] == [code.encode()]:
            found.append(path)
    return found


def _until(condition):
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.02)
