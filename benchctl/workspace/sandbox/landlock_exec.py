"""The launcher that walls itself in with Landlock and then becomes the command.

Run as `python -I -S landlock_exec.py READY_FD SPEC COMMAND…`; it imports nothing of benchctl. SPEC is JSON:
`reads`, `lists` (folders whose names alone may be read), `writes` (absolute paths) and `cwd`. READY_FD gets
one line just before the command takes over.

Interface: linux/landlock.h and https://docs.kernel.org/userspace-api/landlock.html; the system calls have
the same numbers on every architecture.
"""

# A single-file command; pathlib would double the time it takes to start.
# ruff: noqa: PTH112, T201

from __future__ import annotations

import ctypes
import json
import os
import sys

__all__ = ["abi", "main"]

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 24, 38
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
_SCOPED = 0b11


class _RulesetAttr(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneathAttr(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("fd", ctypes.c_int32))


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


def _restrict(libc: ctypes.CDLL, spec: dict[str, list[str]]) -> None:
    version = abi()
    handled = (1 << _FS_BITS.get(version, 16)) - 1
    attr = _RulesetAttr(handled, _NET_TCP if version >= 4 else 0, _SCOPED if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _check(
        libc.syscall(_CREATE_RULESET, ctypes.byref(attr), ctypes.c_size_t(size), ctypes.c_uint32(0)),
        "landlock_create_ruleset",
    )
    own_proc = f"/proc/{os.getpid()}"
    granted = (([*spec["reads"], own_proc], _READ), (spec["lists"], _LIST), (spec["writes"], handled))
    for paths, access in granted:
        for path in paths:
            _allow(libc, ruleset, path, access & handled)
    _check(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    _check(libc.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)), "landlock_restrict_self")
    os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, access: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # what is not there needs no permission
    if not os.path.isdir(path):
        access &= _OF_FILES
    rule = _PathBeneathAttr(access, fd)
    _check(
        libc.syscall(
            _ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_PATH_BENEATH),
            ctypes.byref(rule),
            ctypes.c_uint32(0),
        ),
        f"landlock_add_rule {path}",
    )
    os.close(fd)


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
        os.set_inheritable(ready, False)  # noqa: FBT003 - the system's own signature
        os.write(ready, b"exit-code: that of the command\n")
        os.execv(argv[0], argv)  # noqa: S606 - becoming the command is what this file is for
    except OSError as error:
        os.write(ready, b"failed\n")
        print(f"landlock: {error}", file=sys.stderr)
    return 125


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
