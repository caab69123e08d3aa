from __future__ import annotations

import os

from benchctl.agents.base import Invocation
from benchctl.runner.environment import agent_secrets, cell_environment, environment_names, unset_names
from benchctl.schema.suite import AgentSpec, Injected
from benchctl.workspace.proxy import CellProxy


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
        "BENCHCTL_CELL",
        "HOME",
        "LANG",
        "MODE",
        "PATH",
        "PWD",
        "TMPDIR",
    )
    assert unset_names(spec) == ("NOT_SET",)


def test_an_arm_without_commands_has_the_systems_path_alone():
    env = cell_environment(AgentSpec(), Invocation(("x",)), home="/h", tmp="/t", commands=None)
    assert env["PATH"] == "/usr/local/bin:/usr/bin:/bin"


def test_what_was_made_ready_stands_between_the_arms_commands_and_the_systems():
    env = cell_environment(
        AgentSpec(), Invocation(("x",)), home="/h", tmp="/t", commands="/c", prepared="/s/venv/bin"
    )
    assert env["PATH"] == "/c:/s/venv/bin:/usr/local/bin:/usr/bin:/bin"


def test_a_key_that_the_proxy_adds_is_not_in_the_cell_also_where_the_suite_passes_it_on(monkeypatch):
    monkeypatch.setenv("API_KEY", "the real one")
    spec = AgentSpec(
        env=("API_KEY",),
        inject={"API_URL": Injected(upstream="https://api.example.org", secret="API_KEY")},
    )
    proxy = {"API_KEY": "held-by-the-proxy", "API_URL": "http://127.0.0.1:3128/API_URL"}
    env = cell_environment(spec, Invocation(("x",)), home="/h", tmp="/t", commands=None, proxy=proxy)
    assert "the real one" not in env.values()
    assert env["API_URL"] == "http://127.0.0.1:3128/API_URL"


def test_the_names_that_a_plan_shows_are_those_that_a_cell_gets(tmp_path, monkeypatch):
    monkeypatch.setenv("API_KEY", "the real one")
    spec = AgentSpec(
        env=("HOME",),
        network=("example.org:443",),
        inject={"API_URL": Injected(upstream="https://api.example.org", secret="API_KEY")},
    )
    with CellProxy(spec.network, spec.inject, agent_secrets(spec), tmp_path) as proxy:
        env = cell_environment(
            spec,
            Invocation(("x",), env={"M": "1"}),
            home="/h",
            tmp="/t",
            commands=None,
            proxy=proxy.environment,
        )
    with_start = sorted({*env, "PWD", "BENCHCTL_CELL"})  # these two come with the process
    assert tuple(with_start) == environment_names(spec, Invocation(("x",), env={"M": "1"}))


def test_what_is_taken_out_is_what_is_named_and_what_sounds_like_a_secret(monkeypatch):
    for name in list(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("SERVICE_TOKEN", "sounds like a secret")
    monkeypatch.setenv("ACCOUNT", "named by the suite")
    monkeypatch.setenv("HELD", "held back by the proxy")
    monkeypatch.setenv("EDITOR", "an editor of the caller")
    spec = AgentSpec(
        secrets=("ACCOUNT",), inject={"URL": Injected(upstream="https://api.example.org", secret="HELD")}
    )
    assert sorted(agent_secrets(spec)) == ["ACCOUNT", "HELD", "SERVICE_TOKEN"]
