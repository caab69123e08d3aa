"""The environment of a cell: four variables of our own, what the suite names, and nothing else."""

from __future__ import annotations

import os

from benchctl.agents.base import Invocation
from benchctl.schema.suite import AgentSpec

__all__ = ["SYSTEM_PATH", "cell_environment", "environment_names"]

SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")

_OWN = ("PATH", "HOME", "TMPDIR", "LANG")


def environment_names(spec: AgentSpec, invocation: Invocation) -> tuple[str, ...]:
    """Return the names of the variables a cell will see, sorted."""
    return tuple(sorted({*_OWN, *spec.env, *invocation.env}))


def cell_environment(
    spec: AgentSpec, invocation: Invocation, *, home: str, tmp: str, commands: str | None
) -> dict[str, str]:
    """Return a cell's variables. `commands` is the folder of its arm's commands, first on the PATH.

    A variable that the suite passes on and that is not set here stays unset.
    """
    path = [commands, *SYSTEM_PATH] if commands else list(SYSTEM_PATH)
    own = {"PATH": ":".join(path), "HOME": home, "TMPDIR": tmp, "LANG": "C.UTF-8"}
    passed = {name: os.environ[name] for name in spec.env if name in os.environ}
    return {**own, **passed, **invocation.env}
