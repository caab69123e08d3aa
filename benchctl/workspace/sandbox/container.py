"""A container of docker or podman, where the project's settings name an image.

The engine's client is no parent of what it starts: a guard inside ends everything when the client has gone.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchctl.schema.sandbox import ContainerSpec
from benchctl.workspace import relay
from benchctl.workspace.process import READY_FD
from benchctl.workspace.proxy import RELAY_PORT
from benchctl.workspace.sandbox import container_client, container_guard
from benchctl.workspace.stragglers import MARKER
from benchctl.workspace.wall import INSIDE, Wrap, existing

__all__ = ["container_unavailable", "container_wrap"]

_ENGINES_OWN = ("HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "CONTAINER_HOST", "DOCKER_CONFIG")
"""Variables by which the client finds its engine: it gets the caller's, whatever the cell is given."""

_ASKED_S = 20.0


def container_unavailable(spec: ContainerSpec) -> str | None:
    """Return why no container can be started here; None where the engine answers and has the image."""
    if shutil.which(spec.engine) is None:
        return f"{spec.engine} is not installed"
    for question, answer in (
        (("info",), f"the daemon of {spec.engine} does not answer"),
        (("image", "inspect", spec.image), f"{spec.engine} has no image {spec.image}"),
    ):
        try:
            done = subprocess.run(
                [spec.engine, *question], capture_output=True, text=True, timeout=_ASKED_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{answer}: {error}"
        if done.returncode != 0:
            return f"{answer}: {done.stderr.strip()[:300]}"
    return None


def container_wrap(spec: ContainerSpec) -> Wrap:
    """Return the wall of a container. See wall.Wrap."""

    def wrap(
        argv: Sequence[str],
        *,
        reads: Sequence[Path],
        writes: Sequence[Path],
        cwd: Path,
        env: Mapping[str, str],
        proxy: Path | None = None,
    ) -> list[str]:
        name = f"benchctl-{secrets.token_hex(8)}"
        shown = {f"{INSIDE}/guard.py": Path(container_guard.__file__)}
        inner = [sys.executable, "-I", "-S", f"{INSIDE}/guard.py"]
        if proxy is not None:
            shown |= {f"{INSIDE}/relay.py": Path(relay.__file__), f"{INSIDE}/proxy.sock": proxy}
            inner += [f"{INSIDE}/proxy.sock", str(RELAY_PORT)]
        else:
            inner += ["", "0"]
        words = [
            spec.engine, "run", "--rm", "--interactive", "--init", "--name", name,
            "--pull", "never", "--network", "none", "--read-only", "--ipc", "private", "--hostname", "cell",
            "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--pids-limit", "8192",
            "--tmpfs", "/tmp:size=512m,mode=1777", "--user", f"{os.getuid()}:{os.getgid()}",  # noqa: S108 - the cell's own
        ]  # fmt: skip
        for path in existing(reads):
            words += ["--volume", f"{path}:{path}:ro"]
        for path in existing(writes):
            words += ["--volume", f"{path}:{path}:rw"]
        for place, path in shown.items():
            words += ["--volume", f"{path}:{place}:ro"]
        for variable in env:
            # By name alone, so that no value is on a command line; but the client needs its own of these.
            words += ["--env", f"{variable}={env[variable]}" if variable in _ENGINES_OWN else variable]
        words += [
            "--env",
            MARKER,
            "--env",
            f"PWD={cwd}",
            "--workdir",
            str(cwd),
            "--entrypoint",
            "",
            spec.image,
        ]
        own = {variable: os.environ[variable] for variable in _ENGINES_OWN if variable in os.environ}
        launcher = [sys.executable, "-I", "-S", container_client.__file__, READY_FD]
        return [*launcher, json.dumps({"env": own, "name": name}), *words, *inner, *argv]

    return wrap
