"""`benchctl doctor`: what this machine can enforce and run."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, columns, put, put_json
from benchctl.cli.options import find_project, output_format, project_options

if TYPE_CHECKING:
    from benchctl.schema.suite import Suite

__all__ = ["DOCTOR_SCHEMA", "command"]

DOCTOR_SCHEMA = "benchctl.doctor/1"


@click.command("doctor")
@output_format("text", "json")
@project_options
def command(*, form: str, project_dir: Path, quiet: bool, verbose: bool) -> None:
    """Prove what this machine can enforce, and list which commands of the project's suites it has.

    The sandbox is proven by an attack from inside: `blocked`, `open`, or `absent` where there
    is nothing of the kind to attack.

    \b
    Example:
      benchctl doctor --format json
    """
    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    suites = [project.read_suite(name)[0] for name in project.suite_names()]
    data: dict[str, Any] = {
        "schema": DOCTOR_SCHEMA,
        "sandbox": _sandbox(project.root),
        "agents": _agents(),
        "commands": _commands(suites),
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


def _sandbox(root: Path) -> dict[str, Any]:
    from benchctl.workspace.sandbox import choose

    chosen = choose(None, allow_none=True, forced_none=False, protected=(root,))
    return {"level": chosen.level, "probes": dict(chosen.probes), "passed_over": dict(chosen.passed_over)}


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
            {"found": True, "path": path} if path else {"found": False, "install": install.get(name, "")}
        )
    return found


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
    passed = "".join(f"\n  not {level}: {why}" for level, why in sandbox["passed_over"].items())
    commands = [
        (name, command["path"] if command["found"] else f"missing: {command['install'] or 'no install line'}")
        for name, command in data["commands"].items()
    ]
    return "\n\n".join(
        [
            f"sandbox {sandbox['level']}{passed}",
            columns(sandbox["probes"].items(), ("attack", "result")),
            columns(
                [(kind, agent["version"]) for kind, agent in data["agents"].items()], ("agent", "version")
            ),
            columns(commands, ("command", "where")),
            columns(machine.items(), ("machine", "")),
        ]
    )
