"""Names a person gives to things, and how they become path-safe."""

from __future__ import annotations

import re
from typing import Annotated

from benchctl.errors import RunIdInvalidError
from benchctl.schema.written import Written

__all__ = ["CANARY_PATTERN", "NAME_PATTERN", "RUN_ID", "Name", "check_run_id", "path_safe"]

NAME_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
"""A name that is a folder and a page address as it stands: run ids, and all that `Name` names."""

CANARY_PATTERN = r"benchctl-canary-[0-9a-f-]{36}"
"""What a suite plants in its answer key, so that a tree or a transcript that holds it is known by it."""

RUN_ID = re.compile(NAME_PATTERN)

Name = Annotated[
    str, Written(NAME_PATTERN, "a name: a letter or digit, then at most 99 of A-Z a-z 0-9 . _ -")
]
"""A question, repository, arm, agent or suite: letters, digits and `._-`."""


def check_run_id(run_id: str) -> str:
    """Return `run_id`, or raise RunIdInvalidError."""
    if not RUN_ID.fullmatch(run_id):
        raise RunIdInvalidError(
            f"run id {run_id!r} is not usable as a folder and a page address",
            expected="a letter or digit, then at most 99 of A-Z a-z 0-9 . _ -",
        )
    return run_id


def path_safe(text: str) -> str:
    """Return `text` with every byte outside `A-Za-z0-9._-` as %XX: injective, and never `.` or `..`."""
    safe = "".join(
        char if re.fullmatch(r"[A-Za-z0-9_.-]", char) else "".join(f"%{byte:02X}" for byte in char.encode())
        for char in text
    )
    return safe.replace(".", "%2E") if safe.strip(".") == "" else safe
