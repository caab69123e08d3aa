"""`benchctl verify-store`: every byte of the runs against its sha256."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchctl.cli.options import find_project, output_format, project_options
from benchctl.errors import StoreDamagedError, StoreNewerError
from benchctl.report.escaping import visible

if TYPE_CHECKING:
    from benchctl.store.reader import Store

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
    if run is None:
        folders = [path for path in store.folders() if path.is_symlink() or any(path.iterdir())]
    else:
        folders = [_folder(store, run)]
    if not folders:
        raise StoreDamagedError(
            f"no run in {project.runs_dir}: nothing was checked", next_step="`benchctl run` collects one"
        )
    found = {os.fsencode(folder.name).decode("utf-8", "replace"): verify_run(folder) for folder in folders}
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
        for name, damage_list in found.items():
            for damage in damage_list:
                click.echo(visible(f"{project.runs_dir / name}/{damage}"))
            if not quiet:
                click.echo(f"{visible(name)}: {'damaged' if damage_list else 'sound'}")
    if damaged := [name for name, damage_list in found.items() if damage_list]:
        raise StoreDamagedError(
            f"{len(damaged)} of {len(found)} runs are not as their manifests say: {', '.join(damaged)}",
            next_step="restore the named files from a copy; nothing has been changed",
        )


def _folder(store: Store, run: str) -> Path:
    """Return the folder of a run, damaged or not. Raises RunIdInvalidError or RunUnknownError."""
    with suppress(StoreDamagedError, StoreNewerError):  # what is wrong with it is what was asked
        store.run(run)
    return store.layout(run).folder
