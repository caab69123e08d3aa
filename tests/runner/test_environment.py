from __future__ import annotations

from benchctl.agents.base import Invocation
from benchctl.runner.environment import cell_environment, environment_names
from benchctl.schema.suite import AgentSpec


def test_a_cell_sees_four_variables_and_what_the_suite_names(monkeypatch):
    monkeypatch.setenv("API_KEY", "secret")
    monkeypatch.setenv("UNRELATED", "secret too")
    spec = AgentSpec(env=("API_KEY", "NOT_SET"))
    invocation = Invocation(("x",), env={"MODE": "quiet"})
    env = cell_environment(spec, invocation, home="/h", tmp="/t", commands="/c")
    assert env == {
        "PATH": "/c:/usr/local/bin:/usr/bin:/bin",
        "HOME": "/h",
        "TMPDIR": "/t",
        "LANG": "C.UTF-8",
        "API_KEY": "secret",
        "MODE": "quiet",
    }
    assert environment_names(spec, invocation) == (
        "API_KEY",
        "HOME",
        "LANG",
        "MODE",
        "NOT_SET",
        "PATH",
        "TMPDIR",
    )


def test_an_arm_without_commands_has_the_systems_path_alone():
    env = cell_environment(AgentSpec(), Invocation(("x",)), home="/h", tmp="/t", commands=None)
    assert env["PATH"] == "/usr/local/bin:/usr/bin:/bin"
