"""`benchctl verify-store`: every byte of the runs against its sha256."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import put, put_json
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.errors import StoreDamagedError, StoreNewerError
from benchctl.report.escaping import visible

if TYPE_CHECKING:
    from benchctl.store.checking.damage import Damage, Found
    from benchctl.store.checking.verify import Depth
    from benchctl.store.reader import Store

__all__ = ["STORE_SCHEMA", "command"]

STORE_SCHEMA = "benchctl.verify-store/1"


@click.command("verify-store")
@click.argument("run", required=False)
@click.option("--quick", "depth", flag_value="files", help="Only the bytes of the files and the manifests.")
@click.option("--deep", "depth", flag_value="texts", help="Digest the texts of transcripts anew, too.")
@output_format("text", "json")
@project_options
def command(
    *, run: str | None, depth: Depth | None, form: str, project_dir: Path, quiet: bool, **_: bool
) -> None:
    """Check every file of RUN, or of all runs, against its manifest, and the rows against their digest.

    Every byte is read again, every time. Rows are looked into once for each manifest: they follow from
    the bytes that it names.

    \b
    Example:
      benchctl verify-store --format json
    """
    store = find_project(project_dir).store
    found = _verified(store, run, depth or "rows")
    if not found:
        raise StoreDamagedError(
            f"no run in {store.place}/runs: nothing was checked", next_step="`benchctl run` collects one"
        )
    if form == "json":
        put_json(_document(found, depth or "rows"))
    elif text := _text(found, store.place, quiet=quiet):
        put(text)
    _refuse(found)


def _document(found: Found, depth: Depth) -> dict[str, Any]:
    told = [
        ({"run": name, "path": each.path, "what": each.what, "expected": each.expected}, each.leftover)
        for name, damages in found.items()
        if not isinstance(damages, StoreNewerError)
        for each in damages
    ]
    newer = {name: each for name, each in found.items() if isinstance(each, StoreNewerError)}
    damages = [each for each, leftover in told if not leftover]
    return {
        "schema": STORE_SCHEMA,
        "ok": not damages and not newer,
        "depth": depth,
        "runs": [name for name in found if name not in newer],
        "damages": damages,
        "leftovers": [each for each, leftover in told if leftover],
        "newer": [{"run": name, "what": error.what} for name, error in newer.items()],
    }


def _text(found: Found, place: str, *, quiet: bool) -> str:
    lines: list[str] = []
    for name, damages in found.items():
        if isinstance(damages, StoreNewerError):
            lines.append(visible(f"{name}: newer: {damages.what}"))
            continue
        lines += [visible(f"{place}/runs/{name}/{damage}") for damage in damages]
        if not quiet:
            lines.append(f"{visible(name)}: {_state(damages)}")
    return "\n".join(lines)


def _state(damages: list[Damage]) -> str:
    if not damages:
        return "sound"
    if all(damage.leftover for damage in damages):
        return "sound; nothing is damaged, and whoever writes to the run next sweeps what a dead writer left"
    return "damaged"


def _refuse(found: Found) -> None:
    """Raise StoreDamagedError that names the damaged runs, else StoreNewerError where one is of a newer program."""
    newer = [each for each in found.values() if isinstance(each, StoreNewerError)]
    damaged = [
        name
        for name, damages in found.items()
        if not isinstance(damages, StoreNewerError) and not all(damage.leftover for damage in damages)
    ]
    if damaged:
        raise StoreDamagedError(
            f"{len(damaged)} of {len(found)} runs are not as their manifests say: {', '.join(damaged)}",
            next_step="restore the named files from a copy; nothing has been changed",
        )
    if newer:
        raise newer[0]


def _verified(store: Store, run: str | None, depth: Depth) -> Found:
    """Return what is wrong with each run by its name; of a store behind a URL, every object is fetched anew.

    Of all runs one of a newer program is named among the others. Raises StoreNewerError where it was asked for.
    """
    from benchctl.store.checking.objects import verify_objects
    from benchctl.store.checking.verify import holds_no_run, or_newer, verify_run
    from benchctl.store.remote.remote_store import RemoteStore

    if isinstance(store, RemoteStore):
        return verify_objects(store, run, depth)
    if run is not None:
        return {run: verify_run(_folder(store, run), depth)}
    found: Found = {}
    for folder in store.folders():
        if holds_no_run(folder):
            continue
        name = os.fsencode(folder.name).decode("utf-8", "replace")
        found[name] = or_newer(verify_run, folder, depth)
    return found


def _folder(store: Store, run: str) -> Path:
    """Return the folder of a run, damaged or not. Raises RunIdInvalidError or RunUnknownError."""
    with suppress(StoreDamagedError, StoreNewerError):  # what is wrong with it is what was asked
        store.run(run)
    return store.layout(run).folder
