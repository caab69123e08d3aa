"""The kernel's keyrings: no name space parts them, so whoever is started with a session keyring reads its keys.

keyctl(2); https://docs.kernel.org/security/keys/core.html.
"""

from __future__ import annotations

import ctypes
import os
import sys

__all__ = ["KEYCTL", "leave_session_keyring"]

KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219}
"""The system call's number by architecture."""

_JOIN_SESSION_KEYRING = 1


def leave_session_keyring() -> bool:
    """Give this process, and all that it starts, a session keyring of its own that is empty; False where there is none."""
    number = KEYCTL.get(os.uname().machine) if sys.platform == "linux" else None
    if number is None:
        return False
    try:
        return int(ctypes.CDLL(None).syscall(number, _JOIN_SESSION_KEYRING, None)) >= 0
    except (OSError, AttributeError):
        return False
