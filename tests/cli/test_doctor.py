"""`benchctl doctor`: what is proven, what helps where nothing holds, and what it says of programs."""

import json

import pytest
from click.testing import CliRunner

from benchctl.cli import cli
from benchctl.cli import doctor as doctor_module
from benchctl.workspace import nested, probes
from benchctl.workspace import sandbox as sandbox_module
from benchctl.workspace.sandbox import none

SUITE = """
schema = 1
name = "s"
title = "S"
canary = "benchctl-canary-11111111-2222-4333-8444-555555555555"
[repos.r]
kind = "directory"
source = "corpus"
[arms.a]
title = "A"
tools = ["graph.callers"]
requires = ["no-such-command-anywhere"]
install = "get it there"
[arms.a.servers.graph]
argv = ["no-such-server-anywhere", "{tree}"]
tools = ["callers"]
[agents.x]
argv = ["true"]
[[questions]]
id = "q"
repo = "r"
class = "c"
prompt = "What?"
gold = { items = ["x"] }
"""


@pytest.fixture
def doctor(tmp_path, monkeypatch):
    (tmp_path / "benchctl.toml").write_text('title = "T"\n')
    folder = tmp_path / "data" / "suites" / "s"
    folder.mkdir(parents=True)
    (folder / "suite.toml").write_text(SUITE)
    monkeypatch.setattr(nested, "nested_sandboxes", lambda _: {"bwrap": "works"})

    def run(*words):
        done = CliRunner().invoke(cli, ["doctor", "--project", str(tmp_path), *words])
        assert done.exit_code == 0, done.output
        return done.stdout

    return run


def rungs(monkeypatch, **levels):
    """Set a ladder whose levels are not there (a reason) or are said by the probes to be `found`."""
    ladder = tuple(
        (name, none.wrap, lambda said=said: said if isinstance(said, str) else None)
        for name, said in levels.items()
    )
    monkeypatch.setattr(sandbox_module, "_LADDER", ladder)
    monkeypatch.setattr(probes, "probe", lambda sandbox, **_: levels.get(sandbox.level, {"tcp": "open"}))


def test_each_level_that_can_be_tried_has_its_column(doctor, monkeypatch):
    rungs(monkeypatch, bwrap={"tcp": "blocked"}, landlock={"tcp": "open"})
    data = json.loads(doctor("--format", "json"))["sandbox"]
    assert (data["level"], data["probes"]) == ("bwrap", {"tcp": "blocked"})
    assert data["weaker"] == {"landlock": {"tcp": "open"}}
    assert data["next_steps"] == []
    line = next(line for line in doctor().splitlines() if line.startswith("tcp"))
    assert line.split() == ["tcp", "blocked", "open"]


def test_what_helps_stands_below_the_reasons(doctor, monkeypatch):
    rungs(monkeypatch, bwrap="bwrap is not installed", landlock="the kernel offers Landlock version 0")
    text = doctor()
    assert text.startswith("sandbox none")
    assert "  not bwrap: bwrap is not installed\n" in text
    assert "  next: install bubblewrap" in text


def test_commands_and_servers_of_the_suites_are_looked_for(doctor, monkeypatch):
    rungs(monkeypatch, bwrap={"tcp": "blocked"})
    data = json.loads(doctor("--format", "json"))
    assert data["commands"]["no-such-command-anywhere"] == {"found": False, "install": "get it there"}
    assert data["commands"]["git"]["version"].startswith("git version")
    (server,) = data["servers"]
    assert server == {"suite": "s", "arm": "a", "server": "graph", "found": False, "tools": ["callers"]}
    assert "no-such-command-anywhere  missing: get it there" in doctor()


def test_a_command_that_says_no_version_has_none(tmp_path):
    for text in ("#!/bin/sh\nexit 1\n", "#!/bin/sh\n", "no program"):
        program = tmp_path / "program"
        program.write_text(text)
        program.chmod(0o755)
        assert doctor_module._version(str(program)) is None
    program.write_text("#!/bin/sh\necho; echo '  Tool 1.2 '; env >&2\n")
    assert doctor_module._version(str(program)) == "Tool 1.2"
