"""What an attack inside a cell reaches, level by level: the matrix that the manual prints."""

import contextlib
import json
from pathlib import Path

import pytest
from walls import WALLS, every_level

from benchctl.workspace import attack, probes
from benchctl.workspace.probes import DECISIVE, probe
from benchctl.workspace.sandbox import landlock_exec, none
from benchctl.workspace.wall import Sandbox

STILL_OPEN = {
    "bwrap": set(),
    # Landlock knows paths, TCP, and (from version 6) signals and abstract sockets; the rest it cannot see.
    "landlock": {"gold_seen", "udp", "unix_socket", "user_namespace"},
}


@pytest.mark.parametrize("level", every_level())
def test_nothing_gets_out_but_what_is_known_to(level):
    found = probe(WALLS[level])
    allowed = set(STILL_OPEN[level])
    if level == "landlock" and landlock_exec.abi() < 6:
        allowed |= {"abstract_socket", "supervisor_signal"}
    if level == "landlock" and landlock_exec.abi() < 4:
        allowed |= {"tcp"}
    reached = {name for name, finding in found.items() if finding == "open"}
    assert reached <= allowed
    assert not reached & DECISIVE


def test_the_attack_is_a_real_one():
    """Without a wall it gets everything but what no wall is needed for: it runs in a clean place and environment."""
    found = probe(Sandbox("none", none.wrap))
    reached = {name for name, finding in found.items() if finding == "open"}
    expected = set(attack.PROBES) - {"protected_read", "environment", "git_history"}
    # Forbidden by some machines to everyone: tracing and reading the memory of others, new user namespaces.
    assert expected - reached <= {"supervisor_memory", "supervisor_trace", "user_namespace"}


def test_each_attack_reaches_what_stands_open(capsys):
    with probes._arena() as arena:
        attack.main([json.dumps(arena.targets([arena.root / "gold"]))])
        arena.supervisor.wait(5)
        found = json.loads(capsys.readouterr().out)
        reached = {name for name, finding in found.items() if finding == "open"}
        assert probes._received(arena.udp)
    assert list(found) == list(attack.PROBES)
    missing = set(attack.PROBES) - reached - {"environment", "git_history"}
    assert missing <= {"supervisor_memory", "supervisor_trace", "user_namespace"}


def test_each_attack_reaches_nothing_where_there_is_nothing(tmp_path):
    nowhere = {
        "secret": "s3cret",
        "supervisor": 2**22 + 1,  # above every process number
        "tcp": 1,
        "udp": 1,
        "protected": {"/nowhere": ["data"]},
        **dict.fromkeys(("gold", "store", "other_cell", "tree"), str(tmp_path / "none")),
        "unix": str(tmp_path / "unix"),
        "abstract": "benchctl-nobody-listens",
    }
    for name in set(attack.PROBES) - {"udp", "user_namespace"}:
        try:
            assert not attack.PROBES[name](nowhere), name
        except OSError:
            continue


def test_a_secret_in_the_environment_is_found(monkeypatch, tmp_path):
    targets = {"secret": "s3cret", "tree": str(tmp_path)}
    assert attack.PROBES["environment"](targets) is False
    monkeypatch.setenv("SOME_KEY", "has s3cret in it")
    assert attack.PROBES["environment"](targets) is True


def test_a_repository_above_the_tree_is_found(tmp_path):
    tree = tmp_path / "repo" / "cell" / "tree"
    tree.mkdir(parents=True)
    assert attack.PROBES["git_history"]({"tree": str(tree)}) is False
    (tmp_path / "repo" / ".git").mkdir()
    assert attack.PROBES["git_history"]({"tree": str(tree)}) is True


def test_the_stand_in_is_gone_after_the_attack(monkeypatch):
    monkeypatch.setattr("secrets.token_hex", lambda _: "a-secret-of-this-test")
    probe(Sandbox("none", none.wrap))
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            assert b"KEY=a-secret-of-this-test" not in environ.read_bytes()
