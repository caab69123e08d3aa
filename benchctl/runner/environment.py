"""The environment of a cell: six variables of our own, what the suite names, what leads to its proxy, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from benchctl.agents.base import Invocation
from benchctl.schema.suite import AgentSpec
from benchctl.workspace.redaction import secrets_of
from benchctl.workspace.stragglers import MARKER

__all__ = [
    "SYSTEM_PATH",
    "agent_secrets",
    "cell_environment",
    "environment_names",
    "own_environment",
    "unset_names",
]

SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")

_OWN = ("PATH", "HOME", "TMPDIR", "LANG", "PWD", MARKER)
"""What every cell has. `PWD` and the name of the attempt, by which its processes are found, come with its start."""


def environment_names(spec: AgentSpec, invocation: Invocation) -> tuple[str, ...]:
    """Return the names of the variables a cell will see, sorted: those that are passed on where they are set here."""
    from benchctl.workspace.proxy import PROXY_NAMES

    proxied = PROXY_NAMES if spec.network or spec.inject else ()
    doors = [name for variable, each in spec.inject.items() for name in (variable, each.secret)]
    return tuple(sorted({*_OWN, *_passed(spec), *invocation.env, *proxied, *doors}))


def unset_names(spec: AgentSpec) -> tuple[str, ...]:
    """Return the names that the suite passes on and that are not set here, sorted: a cell will not see them."""
    return tuple(sorted(set(spec.env) - set(_passed(spec))))


def _passed(spec: AgentSpec) -> dict[str, str]:
    return {name: os.environ[name] for name in spec.env if name in os.environ}


def own_environment(*, home: str, tmp: str, first: Sequence[str] = ()) -> dict[str, str]:
    """Return the four variables of our own; the folders `first` come first on the PATH."""
    return {"PATH": ":".join([*first, *SYSTEM_PATH]), "HOME": home, "TMPDIR": tmp, "LANG": "C.UTF-8"}


def cell_environment(
    spec: AgentSpec,
    invocation: Invocation,
    *,
    home: str,
    tmp: str,
    commands: str | None,
    prepared: str | None = None,
    proxy: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return a cell's variables.

    `commands` is the folder of its arm's commands, first on the PATH, then `prepared`, that of what was made ready
    before its clock. `proxy` leads to the cell's proxy, and overrides whatever else is called so: a key that the
    proxy adds is never in the cell. A variable that the suite passes on and that is not set here stays unset.
    """
    own = own_environment(home=home, tmp=tmp, first=[each for each in (commands, prepared) if each])
    return {**own, **_passed(spec), **invocation.env, **(proxy or {})}


def agent_secrets(spec: AgentSpec) -> dict[str, str]:
    """Return the values, by variable, that are taken out of all that is kept of this agent's cells.

    A variable that the proxy holds back is one, also where its name does not sound like a secret.
    """
    named = {*spec.secrets, *(injected.secret for injected in spec.inject.values())}
    return secrets_of(os.environ, named)
