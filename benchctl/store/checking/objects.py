"""Every object of a store behind a URL against its manifest: fetched anew, and checked as a folder is."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.errors import RunUnknownError
from benchctl.schema.names import RUN_ID
from benchctl.store.checking.damage import Damage
from benchctl.store.checking.verify import or_newer, verify_run
from benchctl.store.remote.remote_store import RUNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchctl.store.checking.damage import Found
    from benchctl.store.checking.verify import Depth
    from benchctl.store.remote.remote_store import RemoteStore

__all__ = ["verify_objects"]


def verify_objects(store: RemoteStore, run: str | None = None, depth: Depth = "rows") -> Found:
    """Return what is wrong with each run behind a URL, or with one; nothing that was fetched before is believed.

    An object that no manifest lists is named, and so is an upload that has not ended. Raises
    RunUnknownError, RemoteUnreachableError, and StoreNewerError for a `run` that was asked for.
    """
    store.forget()
    listing = store.listing(run)
    if run is not None and run not in listing:
        raise RunUnknownError(f"no run {run!r} in {store.place}", next_step="`benchctl runs` lists them")
    if run is not None:
        return {run: _of_run(store, run, listing[run], depth)}
    return {name: or_newer(_of_run, store, name, files, depth) for name, files in sorted(listing.items())}


def _of_run(store: RemoteStore, run: str, files: Iterable[str], depth: Depth) -> list[Damage]:
    names = sorted(files)
    if not RUN_ID.fullmatch(run):
        return [Damage(names[0], "a folder of this name cannot be a run's")]
    if "manifest.json" not in names:
        what = "an upload that has not ended, or is no run; merging the run again finishes it"
        return [Damage("manifest.json", f"missing beside {len(names)} objects: {what}")]
    if odd := [name for name in names if not all(part.strip(".") for part in name.split("/"))]:
        return [Damage(name, "no name of a file", "no object of that name") for name in odd]
    with tempfile.TemporaryDirectory(prefix="benchctl-") as scratch:
        folder = Path(scratch) / run
        for name in names:
            path = folder / name
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except (FileExistsError, NotADirectoryError):
                return [Damage(name, "added beside an object that is its folder", "no object of that name")]
            store.bucket.download(f"{RUNS}/{run}/{name}", path)
        return verify_run(folder, depth)
