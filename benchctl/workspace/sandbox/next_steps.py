"""What to do about a wall that cannot be built: the words in which machines refuse one, and the way out.

The messages of Ubuntu 24.04 and GitHub's runners (kernel.apparmor_restrict_unprivileged_userns=1) are those of
containers/bubblewrap issue 632; the ones of containers come from a seccomp profile or a masked /proc.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["next_step_of", "next_steps"]

_APPARMOR = (
    "on Ubuntu 24.04 or a GitHub runner: `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`, or an"
    " AppArmor profile for bwrap with `userns,`"
)
_CLONE = "`sudo sysctl -w kernel.unprivileged_userns_clone=1`, or user.max_user_namespaces above 0"

_KNOWN = (
    ("bwrap is not installed", "install bubblewrap (`apt-get install bubblewrap`, `dnf install bubblewrap`)"),
    ("setting up uid map: Permission denied", _APPARMOR),
    ("Failed RTM_NEWADDR", _APPARMOR),
    ("No permissions to create a new namespace", _CLONE),
    ("No permissions to creating new namespace", _CLONE),
    ("Creating new namespace failed", _CLONE),
    (
        "Can't mount proc",
        "inside a container: start it with `--security-opt systempaths=unconfined`, or collect outside of it",
    ),
    ("daemon", "start the container engine, or take `container` out of [sandbox] in benchctl.toml"),
)


def next_step_of(reason: str) -> str | None:
    """Return what helps against a reason that a level cannot be used for; None where nothing is known to."""
    return next((step for words, step in _KNOWN if words in reason), None)


def next_steps(passed_over: Mapping[str, str]) -> list[str]:
    """Return what helps against any of the reasons, each once, in the order of the levels."""
    return list(dict.fromkeys(step for step in map(next_step_of, passed_over.values()) if step))
