"""Secrets in what the kernel shares between processes, for an attack to look for: shared memory, keyrings, queues."""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchctl.workspace.keyrings import KEYCTL

__all__ = ["in_keyring", "in_message_queue", "in_shared_memory", "in_system_v_memory"]

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - the one that every process shares
_ADD_KEY = {"x86_64": 248, "aarch64": 217, "riscv64": 217}
_UNLINK, _SESSION_KEYRING = 9, -3
_IPC_CREATE, _IPC_REMOVE = 0o1000, 0


@contextlib.contextmanager
def in_shared_memory(secret: str) -> Iterator[Path | None]:
    """Give a file of shared memory that holds the secret; None where there is none."""
    path = _SHARED_MEMORY / f"benchctl-{secrets.token_hex(8)}"
    try:
        path.write_text(secret, encoding="ascii")
    except OSError:
        yield None
        return
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def in_keyring(secret: str) -> Iterator[dict[str, Any] | None]:
    """Give (call, name) of a key of the session that holds the secret; None where there are no keyrings."""
    machine, name = os.uname().machine, f"benchctl-{secrets.token_hex(8)}"
    if sys.platform != "linux" or machine not in KEYCTL:
        yield None
        return
    libc, own = ctypes.CDLL(None), ctypes.c_int(_SESSION_KEYRING)
    key = libc.syscall(_ADD_KEY[machine], b"user", name.encode(), secret.encode(), len(secret), own)
    try:
        yield {"call": KEYCTL[machine], "name": name} if key >= 0 else None
    finally:
        if key >= 0:
            libc.syscall(KEYCTL[machine], _UNLINK, ctypes.c_int(key), own)


@contextlib.contextmanager
def in_message_queue(secret: str) -> Iterator[str | None]:
    """Give the name of a queue in which the secret waits; None where there are none."""
    libc, name = ctypes.CDLL(None), f"/benchctl-{secrets.token_hex(8)}"
    if sys.platform != "linux" or not hasattr(libc, "mq_open"):
        yield None
        return
    queue = libc.mq_open(name.encode(), os.O_RDWR | os.O_CREAT | os.O_EXCL, ctypes.c_uint(0o600), None)
    if queue < 0:
        yield None
        return
    libc.mq_send(queue, secret.encode(), ctypes.c_size_t(len(secret)), ctypes.c_uint(0))
    os.close(queue)
    try:
        yield name
    finally:
        libc.mq_unlink(name.encode())


def in_system_v_memory(secret: str) -> int | None:
    """Put the secret into a segment that the kernel takes away when the last process leaves it: return its number."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    libc.shmat.restype = ctypes.c_void_p
    number = int(libc.shmget(0, len(secret), _IPC_CREATE | 0o600))
    if number < 0:
        return None
    place = libc.shmat(number, None, 0)
    libc.shmctl(number, _IPC_REMOVE, None)
    if place in (None, ctypes.c_void_p(-1).value):
        return None
    ctypes.memmove(place, secret.encode(), len(secret))
    return number
