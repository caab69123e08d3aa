"""What the filter of system calls lets through and refuses, and what is said where a wall cannot be built."""

import json
import os
import struct
import sys
from base64 import b64decode

import pytest
from walls import WALLS, every_level, skip_without

from benchctl.errors import SandboxUnavailableError
from benchctl.workspace import keyrings
from benchctl.workspace import sandbox as sandbox_module
from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.nested import nested_sandboxes
from benchctl.workspace.sandbox import bwrap_landlock, choose, landlock_exec, none, seccomp
from benchctl.workspace.sandbox.next_steps import next_step_of, next_steps
from benchctl.workspace.wall import Sandbox
from benchctl.workspace.workers import Workers

ALLOW, ERROR = 0x7FFF0000, 0x00050000
INET, INET6, UNIX, NETLINK, PACKET, VSOCK = 2, 10, 1, 16, 17, 40
STREAM, DGRAM, RAW, SEQPACKET = 1, 2, 3, 5
NONBLOCK, CLOEXEC = 0o4000, 0o2000000
NEWUSER, NEWNS = 0x10000000, 0x00020000
EPERM, ENOSYS, EACCES, ENOTSUP = 1, 38, 13, 95


def judged(machine, name, *arguments, audit=None, number=None):
    """Return what a program does with a call: a small reader of classic BPF, written from the documents."""
    calls = seccomp._CALLS[machine]
    data = struct.pack("=IIQ6Q", calls.get(name, 0) if number is None else number, audit or calls["audit"], 0,
                       *[*arguments, 0, 0, 0, 0, 0, 0][:6])  # fmt: skip
    program = list(struct.iter_unpack("=HBBI", seccomp._program(calls)))
    place = held = 0
    while True:
        code, if_true, if_false, value = program[place]
        place += 1
        if code == 0x20:
            (held,) = struct.unpack_from("=I", data, value)
        elif code == 0x54:
            held &= value
        elif code == 0x06:
            return value
        else:
            taken = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
            place += if_true if taken else if_false


SOCKETS = [
    (INET, STREAM, ALLOW),
    (INET, STREAM, 6, ALLOW),
    (INET, STREAM, 262, ERROR | EACCES),  # several paths (MPTCP)
    (INET6, STREAM, 132, ERROR | EACCES),  # SCTP
    (INET, STREAM, 256, ERROR | EACCES),  # SMC
    (NETLINK, RAW, 2, ERROR | EACCES),  # between processes
    (INET6, STREAM | NONBLOCK | CLOEXEC, ALLOW),
    (NETLINK, RAW, ALLOW),  # how the C library asks for this machine's own addresses
    (INET, DGRAM, ERROR | EACCES),
    (INET6, DGRAM | CLOEXEC, ERROR | EACCES),
    (INET, RAW, ERROR | EACCES),
    (INET, SEQPACKET, ERROR | EACCES),
    (UNIX, STREAM, ERROR | EACCES),
    (UNIX, DGRAM, ERROR | EACCES),
    (PACKET, RAW, ERROR | EACCES),
    (VSOCK, STREAM, ERROR | EACCES),
]


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_knows_sockets_spaces_and_the_rest(machine):
    for *arguments, expected in SOCKETS:
        assert judged(machine, "socket", *arguments) == expected, arguments
    for name in ("clone", "unshare"):
        assert judged(machine, name, NEWUSER | 17) == ERROR | EPERM
        assert judged(machine, name, 17) == ALLOW
    assert judged(machine, "clone3") == ERROR | ENOSYS
    for name in seccomp._REFUSED:
        assert judged(machine, name) == ERROR | EPERM, name
    assert judged(machine, "none", number=0) == ALLOW  # read, or io_setup
    assert (
        judged(machine, "socket", INET, STREAM, audit=0x40000003) == ERROR | EPERM
    )  # 32 bits, other numbers
    assert judged(machine, "none", number=0x40000029) == ERROR | EPERM  # x32


FAST_OPEN, POINTER = 0x20000000, 0x7F12_0000_0000  # whose lower half is 0
CALLS = [
    ("sendto", (3, 0, 9, FAST_OPEN, 1), ERROR | EPERM),
    ("sendto", (3, 0, 9, 0x4000 | FAST_OPEN, 1), ERROR | EPERM),
    ("sendto", (3, FAST_OPEN, FAST_OPEN, 0x4000, POINTER), ALLOW),
    ("sendmsg", (3, 0, FAST_OPEN), ERROR | EPERM),
    ("sendmsg", (3, FAST_OPEN, 0), ALLOW),
    ("sendmmsg", (3, 0, 1, FAST_OPEN), ERROR | EPERM),
    ("sendmmsg", (3, 0, FAST_OPEN, 0), ALLOW),
    ("listen", (3, 5), ERROR | EPERM),
    ("socketpair", (UNIX, STREAM | CLOEXEC), ALLOW),
    ("socketpair", (UNIX, SEQPACKET | NONBLOCK), ALLOW),
    ("socketpair", (UNIX, DGRAM), ERROR | EACCES),
    ("socketpair", (UNIX, RAW), ERROR | EACCES),  # another word for it
    ("socketpair", (30, STREAM), ERROR | EACCES),  # TIPC
    ("prlimit64", (0, 7, POINTER, 0), ALLOW),
    ("prlimit64", (4242, 7, 0, POINTER), ALLOW),  # only asked for
    ("prlimit64", (4242, 7, POINTER, 0), ERROR | EPERM),
    ("prlimit64", (4242, 7, 0x1000, 0), ERROR | EPERM),
    ("setpriority", (0, 0, 5), ALLOW),
    ("setpriority", (1, 0, 5), ALLOW),
    ("setpriority", (2, 0, 5), ERROR | EPERM),  # every process of the user
    ("setpriority", (0, 4242, 5), ERROR | EPERM),
    ("ioprio_set", (1, 0, 5), ALLOW),
    ("ioprio_set", (3, 0, 5), ERROR | EPERM),
    ("ioprio_set", (2, 4242, 5), ERROR | EPERM),
    *((name, (0, 8, POINTER), ALLOW) for name in seccomp._OF_ANOTHER),
    *((name, (4242, 8, POINTER), ERROR | EPERM) for name in seccomp._OF_ANOTHER),
    *((name, (), ERROR | ENOTSUP) for name in seccomp._ATTRIBUTES),
    *(("ioctl", (3, word, POINTER), ERROR | ENOTSUP) for word in seccomp._SET_FLAGS),
    ("ioctl", (3, 0x5401, POINTER), ALLOW),
    ("ioctl", (3, 0x40049409, 4), ALLOW),  # FICLONE
]


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_knows_what_reaches_others(machine):
    for name, arguments, expected in CALLS:
        assert judged(machine, name, *arguments) == expected, (name, arguments)
    numbers = [number for name, number in seccomp._CALLS[machine].items()]
    assert len(numbers) == len(set(numbers))


def test_a_machine_that_is_not_known_has_no_filter(monkeypatch):
    monkeypatch.setattr(seccomp.os, "uname", lambda: type("_", (), {"machine": "vax"}))
    assert seccomp.filter_program() == ""


def test_a_program_is_whole_steps():
    if program := seccomp.filter_program():
        assert len(b64decode(program)) % 8 == 0


INSIDE = """
import json, os, resource, shutil, socket, subprocess, threading
def tried(call):
    try:
        call()
    except OSError as error:
        return error.errno
    return 0
print(json.dumps({
    "tcp": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM)),
    "pair": tried(socket.socketpair),
    "own limit": tried(lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))),
    "own priority": tried(lambda: os.nice(1)),
    "own processors": tried(lambda: os.sched_setaffinity(0, os.sched_getaffinity(0))),
    "copy": tried(lambda: shutil.copy2("/bin/true", "copied")),
    "addresses": tried(socket.if_nameindex),
    "server": tried(lambda: socket.socket().listen()),
    "datagrams": tried(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)),
    "attribute": tried(lambda: os.setxattr("copied", "user.x", b"")),
    "another's limit": tried(lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0))),
    "udp": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
    "unix": tried(lambda: socket.socket(socket.AF_UNIX)),
    "fork": tried(lambda: os.waitpid(os.fork() or os._exit(0), 0)),
    "thread": tried(lambda: threading.Thread(target=int).start()),
    "process": tried(lambda: subprocess.run(["true"], check=True)),
}))
"""


@pytest.mark.parametrize("level", every_level())
def test_programs_work_as_ever_behind_the_filter(level, tmp_path):
    env = {"PATH": "/usr/bin:/bin"}
    argv = [sys.executable, "-I", "-S", "-c", INSIDE]
    walled = WALLS[level].wrap(argv, reads=interpreter_reads(), writes=[tmp_path], cwd=tmp_path, env=env)
    with Workers() as workers:
        result = workers.run(walled, cwd=tmp_path, env=env, wall_s=60.0, output_bytes=1 << 20)
    found = json.loads(result.stdout.text)
    beyond = {"udp", "unix", "server", "datagrams", "attribute", "another's limit"}
    found.pop("another's limit" if level == "bwrap" else "tcp")  # a parent in there is its own
    refused = beyond if level != "bwrap" and seccomp.filter_program() else set()
    assert {name for name, number in found.items() if number} == refused


WORDS = [
    ("bwrap is not installed", "apt-get install bubblewrap"),
    ("bwrap: setting up uid map: Permission denied", "apparmor_restrict_unprivileged_userns=0"),
    (
        "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
        "apparmor_restrict_unprivileged_userns=0",
    ),
    ("bwrap: No permissions to create a new namespace, likely because…", "unprivileged_userns_clone=1"),
    ("bwrap: Creating new namespace failed: Operation not permitted", "user.max_user_namespaces"),
    ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined"),
    ("the daemon of docker does not answer: …", "start the container engine"),
]


@pytest.mark.parametrize(("reason", "step"), WORDS)
def test_what_a_machine_says_leads_to_a_next_step(reason, step):
    assert step in next_step_of(reason)


def test_what_nobody_knows_leads_nowhere_and_a_step_is_said_once():
    assert next_step_of("a cell would reach: gold_by_path") is None
    reasons = {"bwrap": WORDS[1][0], "bwrap+landlock": WORDS[1][0], "landlock": "unheard of"}
    assert next_steps(reasons) == [next_step_of(WORDS[1][0])]


def test_a_refusal_says_what_helps(monkeypatch):
    def forbidden(argv, **_):
        return [
            "sh",
            "-c",
            "echo 'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted' >&2; exit 1",
            *argv,
        ]

    monkeypatch.setattr(sandbox_module, "_LADDER", (("bwrap", forbidden, lambda: None),))
    with pytest.raises(SandboxUnavailableError, match="RTM_NEWADDR") as caught:
        choose(None, allow_none=False, forced_none=False)
    assert "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" in caught.value.next_step


def test_both_together_need_both(monkeypatch):
    monkeypatch.setattr(landlock_exec, "abi", lambda: 3)
    monkeypatch.setattr(bwrap_landlock.bwrap, "unavailable", lambda: None)
    assert "knows TCP" in bwrap_landlock.unavailable()
    monkeypatch.setattr(bwrap_landlock.bwrap, "unavailable", lambda: "bwrap is not installed")
    assert bwrap_landlock.unavailable() == "bwrap is not installed"


@skip_without("bwrap+landlock")
def test_both_together_are_chosen_where_only_a_network_space_is_forbidden(monkeypatch):
    _, *weaker = sandbox_module._LADDER
    monkeypatch.setattr(sandbox_module, "_LADDER", (("bwrap", none.wrap, lambda: "forbidden here"), *weaker))
    chosen = choose(None, allow_none=False, forced_none=False)
    assert (chosen.level, chosen.shares_network) == ("bwrap+landlock", True)


def test_which_levels_share_the_network():
    shares = {
        level: Sandbox(level, none.wrap).shares_network
        for level in ("bwrap", "container", "landlock", "none")
    }
    assert shares == {"bwrap": False, "container": False, "landlock": True, "none": True}


@skip_without("bwrap")
def test_whether_an_agents_own_sandbox_works_inside_is_said():
    inside, outside = nested_sandboxes(WALLS["bwrap"]), nested_sandboxes(Sandbox("none", none.wrap))
    assert set(inside) == set(outside)
    assert outside["bwrap"] == "works"
    assert all(said for said in inside.values())


def test_a_keyring_is_left_once(monkeypatch):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if keyrings.leave_session_keyring() else 1)
    assert os.waitpid(pid, 0)[1] in (0, 256)  # 256: this kernel, or a container, has no keyrings for us
    monkeypatch.setattr(keyrings.os, "uname", lambda: type("_", (), {"machine": "vax"}))
    assert keyrings.leave_session_keyring() is False
