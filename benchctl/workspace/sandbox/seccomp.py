"""A filter of system calls for walls that share the machine's network: what Landlock does not know, it refuses.

Sockets of any kind but plain TCP (UDP, raw, packets, several paths, and Unix sockets, behind whose paths a container
engine or an ssh-agent may wait), TCP that connects without asking to (fast open), servers, and pairs of datagrams,
which reach every path. Limits, priorities and processors of other processes, attributes of files, queues and memory
of System V, queues of POSIX, keyrings, new user spaces, and io_uring, which could do all this unseen. A pair of
connected sockets stays possible. Programs are classic BPF over `struct seccomp_data`: seccomp(2),
https://docs.kernel.org/userspace-api/seccomp_filter.html.
"""

from __future__ import annotations

import errno
import os
import struct
from base64 import b64encode

__all__ = ["filter_program"]

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN, _AND = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE = 0, 4
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_SOCK_STREAM, _SOCK_SEQPACKET, _KIND = 1, 5, 0xF
_TCP = 6
_FAST_OPEN = 0x20000000
_CLONE_NEWUSER = 0x10000000
_OF_A_USER, _IO_OF_A_USER = 2, 3
_X32 = 0x40000000
_SET_FLAGS = (0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40086604)
"""FS_IOC_SETFLAGS, the same of 32 bits, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION, EXT4_IOC_SETVERSION (linux/fs.h)."""

_CALLS = {
    "x86_64": {
        "audit": 0xC000003E,
        "socket": 41, "socketpair": 53, "sendto": 44, "sendmsg": 46, "sendmmsg": 307, "listen": 50,
        "clone": 56, "clone3": 435, "unshare": 272, "setns": 308,
        "shmget": 29, "shmat": 30, "shmctl": 31, "msgget": 68, "msgsnd": 69, "msgrcv": 70, "msgctl": 71,
        "semget": 64, "semop": 65, "semctl": 66, "semtimedop": 220, "mq_open": 240, "mq_unlink": 241,
        "add_key": 248, "request_key": 249, "keyctl": 250, "io_uring_setup": 425,
        "prlimit64": 302, "setpriority": 141, "ioprio_set": 251, "sched_setparam": 142, "sched_setscheduler": 144,
        "sched_setaffinity": 203, "sched_setattr": 314,
        "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198,
        "fremovexattr": 199, "setxattrat": 463, "removexattrat": 466, "file_setattr": 469, "ioctl": 16,
    },
    "aarch64": {
        "audit": 0xC00000B7,
        "socket": 198, "socketpair": 199, "sendto": 206, "sendmsg": 211, "sendmmsg": 269, "listen": 201,
        "clone": 220, "clone3": 435, "unshare": 97, "setns": 268,
        "shmget": 194, "shmat": 196, "shmctl": 195, "msgget": 186, "msgsnd": 189, "msgrcv": 188, "msgctl": 187,
        "semget": 190, "semop": 193, "semctl": 191, "semtimedop": 192, "mq_open": 180, "mq_unlink": 181,
        "add_key": 217, "request_key": 218, "keyctl": 219, "io_uring_setup": 425,
        "prlimit64": 261, "setpriority": 140, "ioprio_set": 30, "sched_setparam": 118, "sched_setscheduler": 119,
        "sched_setaffinity": 122, "sched_setattr": 274,
        "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15,
        "fremovexattr": 16, "setxattrat": 463, "removexattrat": 466, "file_setattr": 469, "ioctl": 29,
    },
}  # fmt: skip

_REFUSED = (
    "setns", "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semctl",
    "semtimedop", "mq_open", "mq_unlink", "add_key", "request_key", "keyctl", "io_uring_setup", "listen",
)  # fmt: skip
_ATTRIBUTES = (
    "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "setxattrat",
    "removexattrat", "file_setattr",
)  # fmt: skip
"""Refused as by a file system that has none: programs that copy files go on without."""

_OF_ANOTHER = ("sched_setparam", "sched_setscheduler", "sched_setaffinity", "sched_setattr")


def filter_program() -> str:
    """Return the filter for this machine in base64; empty where its architecture is not known here."""
    calls = _CALLS.get(os.uname().machine)
    return b64encode(_program(calls)).decode() if calls else ""


def _program(calls: dict[str, int]) -> bytes:
    steps: list[bytes] = []
    steps += [_step(_LOAD, _ARCHITECTURE), _step(_JUMP_EQUAL, calls["audit"], 1, 0), _refuse(errno.EPERM)]
    steps += [_step(_LOAD, _NUMBER), _step(_JUMP_AT_LEAST, _X32, 0, 1), _refuse(errno.EPERM)]
    refused = dict.fromkeys(_REFUSED, errno.EPERM) | dict.fromkeys(_ATTRIBUTES, errno.EOPNOTSUPP)
    # Its flags are behind a pointer, which no filter can follow; without it the C library uses the older one.
    refused["clone3"] = errno.ENOSYS
    whole = {name: [_refuse(number)] for name, number in refused.items()}
    spaces = dict.fromkeys(("clone", "unshare"), _unless_any(0, _CLONE_NEWUSER))
    bodies = {
        "ioctl": _ioctl(),
        "socket": _socket(),
        "socketpair": _socketpair(),
        "sendto": _unless_any(3, _FAST_OPEN),
        "sendmsg": _unless_any(2, _FAST_OPEN),
        "sendmmsg": _unless_any(3, _FAST_OPEN),
        "prlimit64": _limits(),
        "setpriority": _own(_OF_A_USER),
        "ioprio_set": _own(_IO_OF_A_USER),
        **dict.fromkeys(_OF_ANOTHER, _if_zero(0)),
    }
    for name, body in (whole | spaces | bodies).items():
        steps += [_step(_JUMP_EQUAL, calls[name], 0, len(body)), *body]
    return b"".join([*steps, _step(_RETURN, _ALLOW)])


# What follows are the bodies of single calls: each begins with nothing loaded, and ends with a return.


def _unless_any(argument: int, bits: int) -> list[bytes]:
    return [
        _load(argument),
        _step(_JUMP_ANY_BIT, bits, 0, 1),
        _refuse(errno.EPERM),
        _step(_RETURN, _ALLOW),
    ]


def _if_zero(argument: int) -> list[bytes]:
    """Let a call through that is about the calling process: it is named 0."""
    return [
        _load(argument),
        _step(_JUMP_EQUAL, 0, 1, 0),
        _refuse(errno.EPERM),
        _step(_RETURN, _ALLOW),
    ]


def _own(every: int) -> list[bytes]:
    """Let (kind, whose) through for the calling process or its group, and not for every process of the user."""
    return [_load(0), _step(_JUMP_EQUAL, every, 2, 0), *_if_zero(1)]


def _limits() -> list[bytes]:
    """Let through what asks for limits, or sets those of the calling process."""
    return [
        _load(0),
        _step(_JUMP_EQUAL, 0, 5, 0),
        _load(2),
        _step(_JUMP_EQUAL, 0, 0, 2),
        _load(2, upper=True),
        _step(_JUMP_EQUAL, 0, 1, 0),
        _refuse(errno.EPERM),
        _step(_RETURN, _ALLOW),
    ]


def _socket() -> list[bytes]:
    return [
        _load(0),
        _step(_JUMP_EQUAL, _AF_NETLINK, 10, 0),
        _step(_JUMP_EQUAL, _AF_INET, 1, 0),
        _step(_JUMP_EQUAL, _AF_INET6, 0, 6),
        _load(1),
        _step(_AND, _KIND),
        _step(_JUMP_EQUAL, _SOCK_STREAM, 0, 3),
        _load(2),
        _step(_JUMP_EQUAL, _TCP, 2, 0),
        _step(_JUMP_EQUAL, 0, 1, 0),
        _refuse(errno.EACCES),
        _step(_RETURN, _ALLOW),
        # How the C library asks for this machine's own addresses; the other protocols carry messages.
        _load(2),
        _step(_JUMP_EQUAL, 0, 0, 1),
        _step(_RETURN, _ALLOW),
        _refuse(errno.EACCES),
    ]


def _socketpair() -> list[bytes]:
    return [
        _load(0),
        _step(_JUMP_EQUAL, _AF_UNIX, 0, 4),
        _load(1),
        _step(_AND, _KIND),
        _step(_JUMP_EQUAL, _SOCK_STREAM, 2, 0),
        _step(_JUMP_EQUAL, _SOCK_SEQPACKET, 1, 0),
        _refuse(errno.EACCES),
        _step(_RETURN, _ALLOW),
    ]


def _ioctl() -> list[bytes]:
    last = len(_SET_FLAGS) - 1
    asked = [_step(_JUMP_EQUAL, word, last - at + 1, 0) for at, word in enumerate(_SET_FLAGS)]
    return [_load(1), *asked, _step(_RETURN, _ALLOW), _refuse(errno.EOPNOTSUPP)]


def _load(argument: int, *, upper: bool = False) -> bytes:
    """Load half of an argument; the lower half comes first, both machines being little-endian."""
    return _step(_LOAD, 16 + 8 * argument + 4 * upper)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _refuse(number: int) -> bytes:
    return _step(_RETURN, _ERROR | number)
