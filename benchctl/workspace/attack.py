"""The attack that a sandbox is proven by: run inside it, tries to get out, says what it reached.

Run as `python -I -S attack.py TARGETS`; it imports nothing of benchctl. TARGETS is JSON with the paths,
ports and process numbers of an arena made for the purpose; nothing that it touches outside is anyone's
data but the arena's. It prints one JSON object: probe -> "open", "blocked" or "absent" (the thing that
would be attacked is not there).
"""

# A single-file command whose answer is what it prints; pathlib would cost it its start.
# ruff: noqa: PTH110, PTH116, PTH118, PTH120, PTH123, PTH208, T201

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable

__all__ = ["PROBES", "main"]

_Targets = dict[str, object]

_PTRACE_SEIZE, _PTRACE_DETACH = 0x4206, 17
_CLONE_NEWUSER = 0x10000000
_TIMEOUT_S = 2.0


def _holds(path: str, secret: str) -> bool:
    with open(path, "rb") as file:
        return secret.encode() in file.read(1 << 20)


def _gold_by_path(t: _Targets) -> bool:
    return _holds(f"{t['gold']}/key.json", str(t["secret"]))


def _gold_by_symlink(t: _Targets) -> bool:
    return _holds(f"{t['tree']}/link-to-gold", str(t["secret"]))


def _gold_by_proc_root(t: _Targets) -> bool:
    return _holds(f"/proc/self/root{t['gold']}/key.json", str(t["secret"]))


def _gold_by_supervisor_root(t: _Targets) -> bool:
    return _holds(f"/proc/{t['supervisor']}/root{t['gold']}/key.json", str(t["secret"]))


def _gold_listed(t: _Targets) -> bool:
    return "key.json" in os.listdir(str(t["gold"]))


def _gold_seen(t: _Targets) -> bool:
    return os.stat(f"{t['gold']}/key.json").st_size > 0


def _store_read(t: _Targets) -> bool:
    return _holds(f"{t['store']}/rows.json", str(t["secret"]))


def _store_write(t: _Targets) -> bool:
    with open(f"{t['store']}/rows.json", "ab") as file:
        file.write(b"forged")
    return True


def _store_create(t: _Targets) -> bool:
    with open(f"{t['store']}/forged.json", "wb") as file:
        file.write(b"forged")
    return True


def _other_cell_read(t: _Targets) -> bool:
    return _holds(f"{t['other_cell']}/answer.json", str(t["secret"]))


def _protected_read(t: _Targets) -> bool:
    """Try the real folders of this project: whatever of theirs can be listed is there to be read."""
    reached = False
    for path, hidden in t["protected"].items():  # type: ignore[attr-defined]
        try:
            reached = bool(set(hidden) & set(os.listdir(path))) or reached
        except OSError:
            continue
    return reached


def _supervisor_environment(t: _Targets) -> bool:
    return _holds(f"/proc/{t['supervisor']}/environ", str(t["secret"]))


def _supervisor_memory(t: _Targets) -> bool:
    with open(f"/proc/{t['supervisor']}/mem", "rb"):
        return True


def _supervisor_trace(t: _Targets) -> bool:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    pid = ctypes.c_long(int(str(t["supervisor"])))
    if libc.ptrace(ctypes.c_long(_PTRACE_SEIZE), pid, None, None) != 0:
        return False
    libc.ptrace(ctypes.c_long(_PTRACE_DETACH), pid, None, None)
    return True


def _supervisor_signal(t: _Targets) -> bool:
    os.kill(int(str(t["supervisor"])), signal.SIGUSR1)
    return True


def _environment(t: _Targets) -> bool:
    return any(str(t["secret"]) in value for value in os.environ.values())


def _git_history(t: _Targets) -> bool:
    """Look for a repository above the tree, as git does, and ask git itself where there is one."""
    place = str(t["tree"])
    while True:
        if os.path.exists(os.path.join(place, ".git")):
            return True
        if os.path.dirname(place) == place:
            break
        place = os.path.dirname(place)
    try:
        done = subprocess.run(
            ["git", "-C", str(t["tree"]), "log", "--all", "-1"],
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and bool(done.stdout)


def _tcp(t: _Targets) -> bool:
    with socket.create_connection(("127.0.0.1", int(str(t["tcp"]))), timeout=_TIMEOUT_S):
        return True


def _udp(t: _Targets) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(str(t["secret"]).encode(), ("127.0.0.1", int(str(t["udp"]))))
    return True


def _unix(address: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.settimeout(_TIMEOUT_S)
        caller.connect(address)
        return True


def _unix_socket(t: _Targets) -> bool:
    return _unix(str(t["unix"]))


def _abstract_socket(t: _Targets) -> bool:
    return _unix("\0" + str(t["abstract"]))


def _user_namespace(_: _Targets) -> bool:
    import ctypes

    # In a child of its own: a process that did get a new namespace would attack from within it.
    child = os.fork()
    if child == 0:
        os._exit(0 if ctypes.CDLL(None).unshare(_CLONE_NEWUSER) == 0 else 1)
    return os.waitpid(child, 0)[1] == 0


PROBES: dict[str, Callable[[_Targets], bool]] = {
    "gold_by_path": _gold_by_path,
    "gold_by_symlink": _gold_by_symlink,
    "gold_by_proc_root": _gold_by_proc_root,
    "gold_by_supervisor_root": _gold_by_supervisor_root,
    "gold_listed": _gold_listed,
    "gold_seen": _gold_seen,
    "store_read": _store_read,
    "store_write": _store_write,
    "store_create": _store_create,
    "other_cell_read": _other_cell_read,
    "protected_read": _protected_read,
    "supervisor_environment": _supervisor_environment,
    "supervisor_memory": _supervisor_memory,
    "supervisor_trace": _supervisor_trace,
    "environment": _environment,
    "git_history": _git_history,
    "tcp": _tcp,
    "udp": _udp,
    "unix_socket": _unix_socket,
    "abstract_socket": _abstract_socket,
    "user_namespace": _user_namespace,
    "supervisor_signal": _supervisor_signal,
}
"""Every probe, the last the one that ends its target."""


def main(words: list[str]) -> int:
    """Try everything and print what came of it."""
    targets: _Targets = json.loads(words[0])
    found = {}
    for name, probe in PROBES.items():
        try:
            found[name] = "open" if probe(targets) else "blocked"
        except (OSError, ValueError, ImportError, AttributeError):
            found[name] = "blocked"
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
