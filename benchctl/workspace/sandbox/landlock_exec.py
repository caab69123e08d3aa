"""The launcher that walls itself in with Landlock and then becomes the command.

Run as `python -I -S landlock_exec.py READY_FD SPEC COMMAND…`; it imports nothing of benchctl. SPEC is JSON:
`reads`, `lists` (folders whose names alone may be read), `writes` (absolute paths), `cwd`, `ports` (those of
TCP that may be connected to) and `filter` (a program for seccomp in base64, empty for none). Without `reads`
the file system is left to whoever started us. READY_FD gets one line just before the command takes over.

Interface: linux/landlock.h and https://docs.kernel.org/userspace-api/landlock.html; the system calls have
the same numbers on every architecture.
"""

# A single-file command; pathlib would double the time it takes to start.
# ruff: noqa: PTH112, T201

from __future__ import annotations

import ctypes
import errno
import json
import os
import sys
from base64 import b64decode
from typing import Any

__all__ = ["abi", "main"]

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH, _NET_PORT = 1, 2
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 22, 24, 38
_SECCOMP_MODE_FILTER = 2
_SIGKILL = 9
_CAPABILITY_VERSION_3 = 0x20080522

# Access rights of the file system, by bit: execute, write_file, read_file, read_dir, …, make_sym (12),
# refer (13, version 2), truncate (14, version 3), ioctl_dev (15, version 5).
_READ_FILE = 1 << 0 | 1 << 2
_LIST = 1 << 3
_READ = _READ_FILE | _LIST
_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
_FS_BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_NET_TCP = 0b11
_CONNECT = 0b10
_KNOWS_TCP, _KNOWS_SCOPES = 4, 6
_SCOPED = 0b11
_OF_THE_COMMAND = frozenset(
    (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.E2BIG, errno.EISDIR, errno.ENAMETOOLONG)
)
"""Why a program cannot be executed, its interpreter's absence among them; memory and processes are the machine's."""


class _RulesetAttr(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneathAttr(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("fd", ctypes.c_int32))


class _NetPortAttr(ctypes.Structure):
    _fields_ = (("access", ctypes.c_uint64), ("port", ctypes.c_uint64))


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def abi() -> int:
    """Return the version of Landlock that the running kernel offers; 0 where it has none."""
    try:
        return max(0, int(_libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))))
    except (OSError, AttributeError):
        return 0


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Give up every capability, or a cell of root could read the memory and environment of its supervisor."""
    for capability in range(64):
        libc.prctl(
            _PR_CAPBSET_DROP, capability, 0, 0, 0
        )  # fails for those that do not exist, or that we lack
    header = _CapHeader(_CAPABILITY_VERSION_3, 0)
    empty = (ctypes.c_uint32 * 6)()
    _check(libc.capset(ctypes.byref(header), empty), "capset")


def _restrict(libc: ctypes.CDLL, spec: dict[str, Any]) -> None:
    version = abi()
    handled = (1 << _FS_BITS.get(version, 16)) - 1 if "reads" in spec else 0
    network = _NET_TCP if version >= _KNOWS_TCP else 0
    attr = _RulesetAttr(handled, network, _SCOPED if version >= _KNOWS_SCOPES else 0)
    size = 24 if version >= _KNOWS_SCOPES else 16 if version >= _KNOWS_TCP else 8
    ruleset = _check(
        libc.syscall(_CREATE_RULESET, ctypes.byref(attr), ctypes.c_size_t(size), ctypes.c_uint32(0)),
        "landlock_create_ruleset",
    )
    if handled:
        own_proc = f"/proc/{os.getpid()}"
        granted = (([*spec["reads"], own_proc], _READ), (spec["lists"], _LIST), (spec["writes"], handled))
        for paths, access in granted:
            for path in paths:
                _allow(libc, ruleset, path, access & handled)
    for port in spec["ports"] if network else ():
        _add(libc, ruleset, _NET_PORT, _NetPortAttr(_CONNECT, port), f"port {port}")
    _check(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    _check(libc.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)), "landlock_restrict_self")
    os.close(ruleset)


def _filter(libc: ctypes.CDLL, program: bytes) -> None:
    """Refuse the system calls that the program refuses, from now on."""
    told = _FilterProgram(len(program) // 8, program)
    _check(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(told), 0, 0), "seccomp")


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, access: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # what is not there needs no permission
    if not os.path.isdir(path):
        access &= _OF_FILES
    _add(libc, ruleset, _PATH_BENEATH, _PathBeneathAttr(access, fd), path)
    os.close(fd)


def _add(libc: ctypes.CDLL, ruleset: int, kind: int, rule: ctypes.Structure, what: str) -> None:
    _check(
        libc.syscall(
            _ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(kind), ctypes.byref(rule), ctypes.c_uint32(0)
        ),
        f"landlock_add_rule {what}",
    )


def _become(ready: int, argv: list[str]) -> None:
    """Become the command. Returns where it cannot be executed, having said so: that is no fault of the wall."""
    try:
        os.execv(argv[0], argv)  # noqa: S606 - becoming the command is what this file is for
    except OSError as error:
        if error.errno not in _OF_THE_COMMAND:
            raise
        os.write(ready, b"no-command\n")
        print(f"landlock: {error.strerror}: {argv[0]}", file=sys.stderr)


def main(words: list[str]) -> int:
    """Wall this process in and become the command; returns only on failure, with its exit status."""
    ready, spec, argv = int(words[0]), json.loads(words[1]), words[2:]
    try:
        libc = _libc()
        parent = os.getppid()
        _check(libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0), "pdeathsig")
        if os.getppid() != parent:
            return 125  # the supervisor died before we could ask to follow it
        os.chdir(spec["cwd"])
        _drop_capabilities(libc)
        _restrict(libc, spec)
        if spec["filter"]:
            _filter(libc, b64decode(spec["filter"]))
        os.set_inheritable(ready, False)  # noqa: FBT003 - the system's own signature
        os.write(ready, b"exit-code: that of the command\n")
        _become(ready, argv)
    except OSError as error:
        os.write(ready, b"failed\n")
        print(f"landlock: {error}", file=sys.stderr)
    return 125


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
