"""Attacks on what the kernel shares between processes, and on its own settings."""

# ruff: noqa: PTH108, PTH123

from __future__ import annotations

import ctypes
import os
import stat
from typing import Any

__all__ = ["PROBES"]

_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000
_PR_GET_NO_NEW_PRIVS = 39
_KEYCTL_SEARCH, _KEYCTL_READ, _SESSION_KEYRING = 10, 11, -3
_SHM_RDONLY = 0o10000
_LONGEST_MESSAGE = 1 << 16


def _unshared(flag: int) -> bool:
    # In a child of its own: a process that did get a new namespace would attack from within it.
    child = os.fork()
    if child == 0:
        os._exit(0 if ctypes.CDLL(None).unshare(flag) == 0 else 1)
    return os.waitpid(child, 0)[1] == 0


def _user_namespace(_: dict[str, Any]) -> bool:
    return _unshared(_CLONE_NEWUSER)


def _mount_namespace(_: dict[str, Any]) -> bool:
    return _unshared(_CLONE_NEWNS)


def _new_privileges(_: dict[str, Any]) -> bool:
    """Ask whether a set-user-id program would still get its owner's rights."""
    return bool(ctypes.CDLL(None).prctl(_PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0)


def _device_node(t: dict[str, Any]) -> bool:
    node = f"{t['tree']}/device"
    os.mknod(node, stat.S_IFCHR | 0o600, os.makedev(1, 3))  # the one behind /dev/null
    try:
        with open(node, "wb"):
            return True
    finally:
        os.unlink(node)


def _kernel_settings(_: dict[str, Any]) -> bool:
    """Open, without a word written, the setting that names a program for the kernel to start."""
    with open("/proc/sys/kernel/core_pattern", "r+b", buffering=0):
        return True


def _keyring(t: dict[str, Any]) -> bool | None:
    if not t["keyring"]:
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    number, name = t["keyring"]["call"], t["keyring"]["name"].encode()
    key = libc.syscall(number, _KEYCTL_SEARCH, ctypes.c_int(_SESSION_KEYRING), b"user", name, 0)
    if key < 0:
        return False
    found = ctypes.create_string_buffer(256)
    libc.syscall(number, _KEYCTL_READ, ctypes.c_int(key), found, len(found))
    return t["secret"].encode() in found.raw


def _system_v_memory(t: dict[str, Any]) -> bool | None:
    if t["system_v"] is None:
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    place = libc.shmat(t["system_v"], None, _SHM_RDONLY)
    if place in (None, ctypes.c_void_p(-1).value):
        return False
    return bool(ctypes.string_at(place, len(t["secret"])) == t["secret"].encode())


def _message_queue(t: dict[str, Any]) -> bool | None:
    if not t["message_queue"]:
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    queue = libc.mq_open(t["message_queue"].encode(), os.O_RDONLY | os.O_NONBLOCK)
    if queue < 0:
        return False
    found = ctypes.create_string_buffer(_LONGEST_MESSAGE)
    size = libc.mq_receive(queue, found, ctypes.c_size_t(len(found)), None)
    os.close(queue)
    return size > 0 and t["secret"].encode() in found.raw


def _terminal(_: dict[str, Any]) -> bool:
    with open("/dev/tty", "r+b", buffering=0):
        return True


PROBES = {
    "user_namespace": _user_namespace,
    "mount_namespace": _mount_namespace,
    "new_privileges": _new_privileges,
    "device_node": _device_node,
    "kernel_settings": _kernel_settings,
    "keyring": _keyring,
    "system_v_memory": _system_v_memory,
    "message_queue": _message_queue,
    "terminal": _terminal,
}
