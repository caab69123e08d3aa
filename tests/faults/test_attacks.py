"""What an attack inside a cell reaches, level by level: the matrix that the manual prints."""

import contextlib
import ctypes
import json
import os
import socket
import sys
from pathlib import Path

import pytest
from walls import WALLS, every_level

from benchctl.errors import SandboxUnavailableError
from benchctl.workspace import attack, kernel_targets
from benchctl.workspace.arena import open_arena
from benchctl.workspace.arena_visitors import listening_elsewhere, visiting
from benchctl.workspace.attack import kernel, network, processes
from benchctl.workspace.keyrings import KEYCTL
from benchctl.workspace.probes import DECISIVE, _received, probe
from benchctl.workspace.proxy import CellProxy
from benchctl.workspace.sandbox import landlock_exec, none, seccomp
from benchctl.workspace.wall import Sandbox

STILL_OPEN = {
    "bwrap": set(),
    # Landlock knows a port and not an address.
    "bwrap+landlock": {"proxy_port_elsewhere"},
    # It sees neither names and sizes nor changes of a mode and of times; what else it cannot see, the filter refuses.
    "landlock": {"gold_seen", "store_mode", "store_times", "proxy_port_elsewhere"},
}
NEEDS_FILTER = {
    "udp",
    "dns",
    "unix_socket",
    "user_namespace",
    "keyring",
    "system_v_memory",
    "ssh_agent",
    "message_bus",
    "tcp_multipath",
    "tcp_fast_open",
    "server",
    "unix_datagram",
    "message_queue",
    "store_attribute",
    "supervisor_limits",
    "supervisor_priority",
    "supervisor_processors",
}
NOT_EVERYWHERE = {
    "supervisor_memory", "supervisor_trace", "supervisor_descriptor", "user_namespace", "mount_namespace",
    "dns", "raw_socket", "device_node", "kernel_settings", "new_privileges", "tcp6", "gold_by_own_link",
    "tcp_multipath", "tcp_fast_open", "store_attribute", "message_queue",
}  # fmt: skip
"""Forbidden by some machines to everyone, or to everyone but root, or in need of a network."""

CLEAN = {"environment", "gold_by_descriptor", "git_history", "protected_read", "keyring", "terminal"}
"""What no wall is needed for: a cell's process starts in a clean place, from a clean process."""

KNOCKED_AT = {"container_engine", "ssh_agent", "message_bus"}


@pytest.mark.parametrize("level", every_level())
def test_nothing_gets_out_but_what_is_known_to(level):
    found = probe(WALLS[level])
    allowed = set(STILL_OPEN[level])
    if level != "bwrap" and not seccomp.filter_program():
        allowed |= NEEDS_FILTER
    if level == "landlock" and landlock_exec.abi() < 6:
        allowed |= {"supervisor_signal", "group_signal"}
    if level == "landlock" and landlock_exec.abi() < 4:
        allowed |= {"tcp", "tcp6"}
    reached = {name for name, finding in found.items() if finding == "open"}
    assert reached <= allowed
    assert not reached & DECISIVE
    assert list(found) == list(attack.PROBES)


def test_every_decisive_probe_exists():
    assert set(attack.PROBES) > DECISIVE
    assert len(attack.PROBES) >= 50


def test_the_attack_is_a_real_one():
    """Without a wall it gets everything but what no wall is needed for: it runs in a clean place and environment."""
    found = probe(Sandbox("none", none.wrap))
    reached = {name for name, finding in found.items() if finding == "open"}
    absent = {name for name, finding in found.items() if finding == "absent"}
    expected = set(attack.PROBES) - CLEAN - KNOCKED_AT - {"proxy_other_host", "proxy_address"}
    assert expected - reached - absent <= NOT_EVERYWHERE
    assert absent <= KNOCKED_AT | {
        "protected_read",
        "home_read",
        "tcp6",
        "keyring",
        "system_v_memory",
        "shared_memory",
        "message_queue",
        "proxy_port_elsewhere",
    }
    assert not reached & (CLEAN | {"proxy_other_host", "proxy_address"})


def test_each_attack_reaches_what_stands_open(capsys):
    with open_arena() as arena:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            with listening_elsewhere(port) as elsewhere, visiting(arena.cell / "tree"):
                attack.main([json.dumps(arena.targets([arena.root / "gold"], elsewhere))])
        arena.supervisor.wait(5)
        found = json.loads(capsys.readouterr().out)
        reached = {name for name, finding in found.items() if finding == "open"}
        assert _received(arena.udp)
        assert _received(arena.datagram)
        assert (arena.root / "other" / "planted").exists()
        assert not (arena.root / "store" / "removable.json").exists()
    assert list(found) == list(attack.PROBES)
    absent = {name for name, finding in found.items() if finding == "absent"}
    proxied = {"proxy_other_host", "proxy_address"}
    missing = set(attack.PROBES) - reached - absent - {"environment", "git_history", "terminal"} - proxied
    assert missing <= NOT_EVERYWHERE
    # What a clean start keeps from a cell is within reach of a process that was started without one.
    assert {"gold_by_descriptor", "protected_read"} <= reached
    if os.uname().machine in KEYCTL and "keyring" not in absent:
        assert "keyring" in reached


def test_each_attack_reaches_nothing_where_there_is_nothing(tmp_path):
    nowhere = {
        "secret": "s3cret",
        "supervisor": 2**22 + 1,  # above every process number
        "supervisor_start": "0",
        "collector": 2**22 + 1,
        "collector_start": "0",
        "tcp": 1,
        "tcp6": 1,
        "udp": 1,
        "elsewhere": ("127.0.0.2", 1),
        "datagram": str(tmp_path / "none"),
        "message_queue": "/benchctl-nobody-made",
        "protected": {"/nowhere": ["data"]},
        "home": {"/nowhere": ["data"]},
        **dict.fromkeys(("gold", "store", "other_cell", "tree"), str(tmp_path / "none" / "there")),
        "git_object": str(tmp_path / "none"),
        "shared_memory": str(tmp_path / "none"),
        "unix": str(tmp_path / "unix"),
        "abstract": "benchctl-nobody-listens",
        "keyring": {"call": KEYCTL.get(os.uname().machine, 0), "name": "benchctl-nobody-added"},
        "system_v": 2**30 + 12345,
        **{name: [str(tmp_path / "unix")] for name in ("container_engines", "ssh_agents", "message_buses")},
    }
    # These need no target: whether they are allowed is what this machine allows to this test.
    free = {
        "udp", "dns", "raw_socket", "user_namespace", "mount_namespace", "new_privileges", "device_node",
        "kernel_settings", "terminal", "gold_by_descriptor",
    }  # fmt: skip
    for name in set(attack.PROBES) - free:
        with contextlib.suppress(OSError, ValueError):
            assert not attack.PROBES[name](nowhere), name


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


@pytest.mark.parametrize("name", ["container_engine", "ssh_agent", "message_bus"])
def test_a_service_of_the_machine_is_only_knocked_at(name, tmp_path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "service"))
        listener.listen()
        targets = {
            f"{name}{'es' if name == 'message_bus' else 's'}": [
                str(tmp_path / "service"),
                str(tmp_path / "none"),
            ]
        }
        assert attack.PROBES[name](targets) is True
        caller, _ = listener.accept()
        with caller:
            assert caller.recv(1) == b""
    assert attack.PROBES[name]({key: [] for key in targets}) is None


def test_a_proxy_that_lets_the_attack_through_is_seen(tmp_path, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        for allow, name in (
            (f"localhost:{port}", "proxy_other_host"),
            (f"127.0.0.1:{port}", "proxy_address"),
        ):
            with CellProxy((allow,), {}, {}, tmp_path, tcp=True) as proxy:
                monkeypatch.setenv("HTTPS_PROXY", proxy.environment["HTTPS_PROXY"])
                assert network.PROBES[name]({"tcp": port}) is True
                other = {"proxy_other_host", "proxy_address"} - {name}
                assert network.PROBES[other.pop()]({"tcp": port}) is False


def test_a_number_that_belongs_to_another_process_inside_is_not_attacked():
    own = {
        "supervisor": os.getpid(),
        "supervisor_start": "1",
        "collector": os.getpid(),
        "collector_start": "1",
    }
    for name in (
        "supervisor_trace",
        "supervisor_limits",
        "supervisor_priority",
        "supervisor_processors",
        "supervisor_signal",
        "group_signal",
        "supervisor_memory",
        "collector_environment",
    ):
        assert processes.PROBES[name](own) is False, name
    assert processes.PROBES["supervisor_command_line"](own) is False


def test_what_this_machine_does_not_have_is_absent():
    assert kernel.PROBES["keyring"]({"keyring": None}) is None
    assert kernel.PROBES["system_v_memory"]({"system_v": None}) is None
    assert attack.PROBES["shared_memory"]({"shared_memory": ""}) is None
    assert attack.PROBES["home_read"]({"home": {"/root": []}}) is None
    assert kernel.PROBES["message_queue"]({"message_queue": ""}) is None
    assert network.PROBES["tcp6"]({"tcp6": 0}) is None
    assert network.PROBES["proxy_port_elsewhere"]({"elsewhere": None}) is None
    assert network.PROBES["abstract_socket"]({"abstract": ""}) is None


@pytest.mark.parametrize("level", every_level())
def test_a_wall_without_a_way_to_its_proxy_is_unusable(level):
    def lost(argv, *, proxy, **words):
        (proxy.parent / "proxy.port").write_text("1")  # as if the proxy listened somewhere else
        return WALLS[level].wrap(["env", "HTTPS_PROXY=http://127.0.0.1:1", *argv], proxy=proxy, **words)

    with pytest.raises(SandboxUnavailableError, match="does not reach its proxy"):
        probe(Sandbox(level, lost))


def test_nothing_of_an_arena_is_left(monkeypatch):
    monkeypatch.setattr("secrets.token_hex", lambda _: "a-secret-of-this-test")
    probe(Sandbox("none", none.wrap))
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            assert b"KEY=a-secret-of-this-test" not in environ.read_bytes()
    assert not list(kernel_targets._SHARED_MEMORY.glob("benchctl-a-secret*"))
    if sys.platform == "linux" and os.uname().machine in KEYCTL:
        libc, name = ctypes.CDLL(None), b"benchctl-a-secret-of-this-test"
        assert libc.syscall(KEYCTL[os.uname().machine], 10, ctypes.c_int(-3), b"user", name, 0) < 0
    assert "a-secret-of-this-test" not in Path("/proc/sysvipc/shm").read_text()


def test_the_manual_names_every_probe_and_what_stays_open():
    page = (Path(__file__).parents[2] / "site" / "guide" / "sandbox.md").read_text()
    assert [name for name in attack.PROBES if f"`{name}`" not in page] == []
