"""`benchctl verify-store`: every byte of the runs against its sha256."""

from __future__ import annotations

import json
from pathlib import Path

import click

from benchctl.cli.options import find_project, output_format, project_options
from benchctl.errors import StoreDamagedError

__all__ = ["STORE_SCHEMA", "command"]

STORE_SCHEMA = "benchctl.verify-store/1"


@click.command("verify-store")
@click.argument("run", required=False)
@output_format("text", "json")
@project_options
def command(*, run: str | None, form: str, project_dir: Path, quiet: bool, **_: bool) -> None:
    """Check every file of RUN, or of all runs, against its manifest, and the rows against their digest.

    \b
    Example:
      benchctl verify-store --format json
    """
    from benchctl.store.verify import verify_run

    project = find_project(project_dir)
    store = project.store
    folders = (
        [store.run(run).path] if run else sorted(path for path in project.runs_dir.glob("*") if path.is_dir())
    )
    if not folders:
        raise StoreDamagedError(
            f"no run in {project.runs_dir}: nothing was checked", next_step="`benchctl run` collects one"
        )
    found = {folder.name: verify_run(folder) for folder in folders}
    if form == "json":
        damages = [
            {"run": name, "path": damage.path, "what": damage.what, "expected": damage.expected}
            for name, damage_list in found.items()
            for damage in damage_list
        ]
        click.echo(
            json.dumps(
                {"schema": STORE_SCHEMA, "ok": not damages, "runs": list(found), "damages": damages}, indent=1
            )
        )
    else:
        for folder in folders:
            for damage in found[folder.name] or ():
                click.echo(f"{folder}/{damage}")
            if not quiet:
                click.echo(f"{folder.name}: {'damaged' if found[folder.name] else 'sound'}")
    if damaged := [name for name, damage_list in found.items() if damage_list]:
        raise StoreDamagedError(
            f"{len(damaged)} of {len(found)} runs are not as their manifests say: {', '.join(damaged)}",
            next_step="restore the named files from a copy; nothing has been changed",
        )
