"""What may be merged: the runs of a project, of a store, of one run's folder, or behind a URL, each by itself."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.errors import BenchctlError, MergeSourceError, RunIdInvalidError, StoreDamagedError, Where
from benchctl.schema.names import check_run_id
from benchctl.store.disk.layout import RunLayout
from benchctl.store.project import PROJECT_FILE, Project
from benchctl.store.remote.address import is_url, redacted
from benchctl.store.remote.remote_store import open_store_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from benchctl.store.reader import Store

__all__ = ["Found", "found_runs", "same_folder"]


@dataclass(frozen=True, slots=True)
class Found:
    """A run in one place, or a folder that cannot be one: then `error` says why."""

    run: str
    layout: RunLayout
    place: str
    error: BenchctlError | None = None


def found_runs(sources: Iterable[str]) -> list[Found]:
    """Return the runs of every source, in order; the same folder named twice counts once.

    Raises MergeSourceError for a source that is none or holds no run.
    """
    found: dict[tuple[int, int], Found] = {}
    for source in sources:
        here = list(_runs_of(source))
        if not here:
            raise MergeSourceError(
                f"no run in {redacted(source)}: nothing would be merged",
                next_step="name a project, a store (a folder that holds `runs`), a run's folder, or a store's URL",
            )
        for each in here:
            if each.layout.folder.exists():
                status = each.layout.folder.stat()
                found.setdefault((status.st_dev, status.st_ino), each)
            else:
                found.setdefault((0, len(found)), each)
    return list(found.values())


def same_folder(first: RunLayout, second: RunLayout) -> bool:
    """Return whether two layouts are one folder, by whatever path or link."""
    try:
        return first.folder.samefile(second.folder)
    except OSError:
        return False


def _runs_of(source: str) -> Iterator[Found]:
    if is_url(source):
        yield from _of_store(open_store_at(source))
        return
    path = Path(source)
    if not path.is_dir():
        raise MergeSourceError(
            f"{source} is no folder",
            expected="a project, a store (a folder that holds `runs`), a run's folder, or a store's URL",
        )
    if (path / PROJECT_FILE).is_file():
        yield from _of_store(Project.find(path).store)
    elif (path / "runs").is_dir():
        yield from _of_store(open_store_at(path))
    elif os.path.lexists(path / "run.json") or RunLayout(path).generations():
        # `.` and `..` have no name of their own
        yield from _of_folder(path if path.name not in {"", "..", "."} else path.resolve(), None)


def _of_store(store: Store) -> Iterator[Found]:
    for folder in store.folders():
        if folder.is_symlink() or any(folder.iterdir()):
            yield from _of_folder(folder, store)


def _of_folder(folder: Path, store: Store | None) -> Iterator[Found]:
    name = os.fsencode(folder.name).decode("utf-8", "replace")
    shown = f"{store.place}/runs/{name}" if store else str(folder)
    try:
        check_run_id(folder.name)
    except RunIdInvalidError as error:
        yield Found(
            name,
            RunLayout(folder),
            shown,
            StoreDamagedError(
                "a folder of this name cannot be a run's", where=Where(shown), expected=error.expected
            ),
        )
        return
    yield Found(name, store.layout(folder.name) if store else RunLayout(folder), shown)
