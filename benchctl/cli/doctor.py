"""`benchctl doctor`: what this machine can enforce and run."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, columns, put, put_json
from benchctl.cli.options import find_project, output_format, project_options

if TYPE_CHECKING:
    from benchctl.schema.suite import Suite
    from benchctl.store.project import Project

__all__ = ["DOCTOR_SCHEMA", "command"]

DOCTOR_SCHEMA = "benchctl.doctor/1"

_VERSION_S = 20.0


@click.command("doctor")
@output_format("text", "json")
@project_options
def command(*, form: str, project_dir: Path, quiet: bool, verbose: bool) -> None:
    """Prove what this machine can enforce, and list which commands of the project's suites it has.

    The sandbox is proven by an attack from inside, and so is every weaker one: `blocked`, `open`, or
    `absent` where there is nothing of the kind to attack.

    \b
    Example:
      benchctl doctor --format json
    """
    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    suites = [project.read_suite(name)[0] for name in project.suite_names()]
    data: dict[str, Any] = {
        "schema": DOCTOR_SCHEMA,
        "sandbox": _sandbox(project),
        "agents": _agents(),
        "commands": _commands(suites),
        "servers": _servers(suites),
        "machine": _machine(project.root),
    }
    if form == "json":
        put_json(data)
    else:
        put(_text(data))
    if data["sandbox"]["level"] == "none":
        console.say(
            "nothing here can contain a cell: runs are refused, or stamped `none` where their suite allows it"
        )


def _sandbox(project: Project) -> dict[str, Any]:
    """Return the level that a run would have here, and what an attack reaches under every level that can be tried."""
    from benchctl.errors import SandboxUnavailableError
    from benchctl.workspace.nested import nested_sandboxes
    from benchctl.workspace.probes import probe
    from benchctl.workspace.sandbox import candidates, choose, landlock_exec
    from benchctl.workspace.sandbox.next_steps import next_steps

    container = project.config.sandbox.container
    chosen = choose(None, allow_none=True, forced_none=False, protected=(project.root,), container=container)
    levels: dict[str, Any] = {}
    for sandbox, missing in candidates(container):
        if sandbox.level in (chosen.level, *chosen.passed_over) or missing:
            continue
        with contextlib.suppress(SandboxUnavailableError):
            levels[sandbox.level] = probe(sandbox, protected=(project.root,))
    return {
        "level": chosen.level,
        "probes": dict(chosen.probes),
        "passed_over": dict(chosen.passed_over),
        "weaker": levels,
        "nested": nested_sandboxes(chosen),
        "next_steps": next_steps(chosen.passed_over),
        "versions": {"bubblewrap": _bubblewrap(), "landlock": landlock_exec.abi()},
    }


def _bubblewrap() -> str | None:
    """Return the version of bubblewrap; None where there is none, or it says none."""
    path = shutil.which("bwrap")
    said = _version(path) if path else None
    return said.removeprefix("bubblewrap ") if said else None


def _agents() -> dict[str, Any]:
    """Return the adapters; each is part of this program, so its version is ours."""
    from benchctl import __version__
    from benchctl.agents import AGENTS

    return {
        kind: {"found": True, "version": __version__, "capabilities": dataclasses.asdict(agent.CAPABILITIES)}
        for kind, agent in AGENTS.items()
    }


def _commands(suites: list[Suite]) -> dict[str, Any]:
    """Return every command that a suite of this project asks for: where it is, or how to get it."""
    from benchctl.planning.world import commands_of
    from benchctl.workspace.interpreter import search_path

    install = {
        command: arm.install for suite in suites for arm in suite.arms.values() for command in arm.requires
    }
    found: dict[str, Any] = {}
    for name in sorted({name for suite in suites for name in commands_of(suite)} | {"git"}):
        path = shutil.which(name, path=search_path())
        found[name] = (
            {"found": True, "path": path, "version": _version(path)}
            if path
            else {"found": False, "install": install.get(name, "")}
        )
    return found


def _servers(suites: list[Suite]) -> list[dict[str, Any]]:
    """Return every server of tools that a suite grants; preflight starts each and asks what it offers."""
    from benchctl.workspace.interpreter import search_path

    found: list[dict[str, Any]] = []
    for suite in suites:
        for arm_name, arm in suite.arms.items():
            for name, server in arm.servers.items():
                own = "{" in server.argv[0] or shutil.which(server.argv[0], path=search_path()) is not None
                found.append(
                    {
                        "suite": suite.name,
                        "arm": arm_name,
                        "server": name,
                        "found": own,
                        "tools": list(server.tools),
                    }
                )
    return found


def _version(path: str) -> str | None:
    """Return the first line that a command says to `--version`, without this project's environment; None for none."""
    try:
        done = subprocess.run(
            [path, "--version"],
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_VERSION_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = [line.strip() for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.strip()]
    return lines[0][:200] if done.returncode == 0 and lines else None


def _machine(root: Path) -> dict[str, Any]:
    import tempfile

    from benchctl.workspace.machine import machine_facts

    return {
        **machine_facts().model_dump(),
        "disk_free_bytes": shutil.disk_usage(root).free,
        "temporary_free_bytes": shutil.disk_usage(tempfile.gettempdir()).free,
    }


def _text(data: dict[str, Any]) -> str:
    sandbox, machine = data["sandbox"], data["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in sandbox["versions"].items() if version)
    passed = "".join(f"\n  not {level}: {why}" for level, why in sandbox["passed_over"].items())
    passed += "".join(f"\n  next: {step}" for step in sandbox["next_steps"])
    levels = {sandbox["level"]: sandbox["probes"], **sandbox["weaker"]}
    attacks = [(name, *(found[name] for found in levels.values())) for name in sandbox["probes"]]
    commands = [
        (
            name,
            command["path"] if command["found"] else f"missing: {command['install'] or 'no install line'}",
            command.get("version") or "",
        )
        for name, command in data["commands"].items()
    ]
    servers = [
        (
            f"{each['suite']}: {each['arm']}",
            each["server"],
            "found" if each["found"] else "missing",
            ", ".join(each["tools"]),
        )
        for each in data["servers"]
    ]
    parts = [
        f"sandbox {sandbox['level']} ({versions or 'neither bubblewrap nor Landlock'}){passed}",
        columns(attacks, ("attack", *levels)),
        columns(sandbox["nested"].items(), ("an agent's own sandbox", "inside ours")),
        columns([(kind, agent["version"]) for kind, agent in data["agents"].items()], ("agent", "version")),
        columns(commands, ("command", "where", "version")),
        columns(servers, ("arm", "server", "", "tools")) if servers else "",
        columns(machine.items(), ("machine", "")),
    ]
    return "\n\n".join(filter(None, parts))
