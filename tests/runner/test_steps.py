"""A step's command, and what is said when it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchctl.planning.invocations import Places
from benchctl.runner import steps
from benchctl.runner.steps import StepResult, prepared_commands, step_argv
from benchctl.schema.evidence import Stream
from benchctl.schema.suite import Step
from benchctl.workspace.process import ProcessResult

PLACES = Places(tree="/t", agent_dir="/a", scratch="/s", python="/py")


def result(outcome="exit_nonzero", *, stdout="", stderr="", detail="", exit_code=3):
    return ProcessResult(
        outcome=outcome, exit_code=exit_code, wall_s=1.0, cpu_s=1.0, stdout=Stream(stdout), stderr=Stream(stderr),
        stragglers=0, started_at="", ended_at="", detail=detail,
    )  # fmt: skip


def test_a_command_gets_its_places_and_its_question():
    step = Step(argv=("{python}", "{tree}/x", "{scratch}", "{question}", "{{tree}}"))
    assert step_argv(step, "prepare", PLACES, "q1") == ("/py", "/t/x", "/s", "q1", "{tree}")


@pytest.mark.parametrize("name", ["prepare", "check"])
def test_a_python_trees_tests_are_made_ready_and_run_by_a_program_that_stands_alone(name):
    argv = step_argv(Step(kind="python-tests"), name, PLACES, "q1")
    assert argv[:4] == ("/py", "-I", "-S", "-c")
    assert argv[5:] == (name, "/t", "/s/venv")
    assert "benchctl." not in argv[4].replace("benchctl: ", ""), "it imports nothing of this project"


def test_the_program_is_read_once_for_all_cells(monkeypatch):
    step = Step(kind="python-tests")
    first = step_argv(step, "check", PLACES, "q1")
    monkeypatch.setattr(steps.Path, "read_text", lambda *_, **__: pytest.fail("it was read again"))
    assert step_argv(step, "check", PLACES, "q2") == first


def test_only_a_python_environment_gives_the_agent_commands():
    assert prepared_commands(Step(kind="python-tests"), Path("/s")) == Path("/s/venv/bin")
    assert prepared_commands(Step(argv=("make",)), Path("/s")) is None
    assert prepared_commands(None, Path("/s")) is None


@pytest.mark.parametrize(
    ("done", "why"),
    [
        (result(stderr="one\ntwo\n\n"), "its prepare step ended with status 3: two"),
        (result(stdout="on the other stream\n"), "its prepare step ended with status 3: on the other stream"),
        (result(), "its prepare step ended with status 3"),
        (result("timeout", exit_code=None), "its prepare step ended with timeout"),
        (
            result("spawn_error", detail="no such file"),
            "its prepare step ended with spawn_error: no such file",
        ),
    ],
)
def test_why_a_step_failed_is_its_last_word(done, why):
    assert StepResult(done, {}).why("prepare") == why
    assert not StepResult(done, {}).ok


def test_pip_looks_where_the_caller_says_and_no_password_is_handed_into_a_cell(monkeypatch, tmp_path):
    for name in ("PIP_INDEX_URL", "PIP_NO_INDEX", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    tests = Step(kind="python-tests")
    assert steps.step_variables(tests) == {}
    monkeypatch.setenv("PIP_INDEX_URL", "https://me:secret@packages.example.org/simple")
    monkeypatch.setenv("PIP_FIND_LINKS", f"{tmp_path} https://packages.example.org {tmp_path}/none")
    monkeypatch.setenv("PIP_TARGET", "/elsewhere")
    found = steps.step_variables(tests)
    assert set(found) == {"PIP_FIND_LINKS"}
    assert steps.local_links(found) == [tmp_path]
    assert steps.step_variables(Step(argv=("true",))) == {}
