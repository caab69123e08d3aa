"""The steps of a merge carried out behind a URL: every object created once, the manifests last.

A run is there for readers once its first manifest is, so of a run that is uploaded whole that
manifest comes at the very end, behind its own later generations. Two writers of one run go
through its files in the same order, so the first file on which they differ decides between them.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from benchctl.errors import RunDiffersError, StoreDamagedError, StoreExistsError, Where
from benchctl.store.disk.entries import FileEntry, file_entry
from benchctl.store.disk.verified_file import trusted
from benchctl.store.merging.carrying_out import Carried
from benchctl.store.merging.chains import chain
from benchctl.store.remote.remote_store import RUNS, RemoteStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest
    from benchctl.store.merging.plan import Step

__all__ = ["refuse_other_objects", "upload"]


def refuse_other_objects(target: RemoteStore, step: Step) -> None:
    """Raise RunDiffersError where objects of the run's name are in the way: another upload's, that has not ended."""
    if step.best is None:
        return
    newest = chain(step.best)[-1]
    wanted = {**newest.files, **_manifests(step.best)}
    there = target.listing(step.run).get(step.run, {})
    for name, said in there.items():
        if name in newest.removed:
            continue
        entry = wanted.get(name)
        if entry is None or (said.bytes is not None and said.bytes != entry.bytes):
            raise _in_the_way(target, step.run, name, entry)
    ours = chain(target.layout(step.run))
    known = (
        ours[-1].files.keys() | {target.layout(step.run).manifest(each.generation).name for each in ours}
        if ours
        else set()
    )
    for name in there.keys() & wanted.keys() - known:
        _refuse_other(target, step.run, name, wanted[name])


def upload(target: RemoteStore, steps: Sequence[Step]) -> Iterator[tuple[Step, Carried]]:
    """Carry out steps in a store behind a URL, yielding each with what was written of it.

    Raises RunDiffersError where another writer was faster with another content, StoreReadOnlyError,
    RemoteUnreachableError; a run that was cut is no run yet, and the same command goes on from there.
    """
    proved = False
    for step in steps:
        if step.best is None or step.action not in {"added", "extended"}:
            yield step, Carried()
            continue
        proved = _upload_run(target, step.run, step.best, proved=proved)
        target.forget()
        newest = chain(step.best)[-1]
        yield step, Carried(len(newest.files) + 1, sum(entry.bytes for entry in newest.files.values()))


def _upload_run(target: RemoteStore, run: str, source: RunLayout, *, proved: bool) -> bool:
    """Upload what is missing of a run; return whether the store has proved that it creates once."""
    target.forget()
    there = target.listing(run).get(run, {})
    newest = chain(source)[-1]
    manifests = _manifests(source)
    order = sorted(manifests, reverse="manifest.json" not in there, key=lambda name: (len(name), name))
    files = sorted(
        newest.files.keys() - manifests.keys(), key=lambda name: (not name.startswith("run"), name)
    )
    for name in (*files, *order):
        if name == order[0]:
            _refuse_incomplete(target, run, newest, files)
        if name in there:
            continue
        path = trusted(source, newest, name) if name in newest.files else source.folder / name
        _create(target, run, name, path, newest.files.get(name) or manifests[name])
        if not proved:
            target.bucket.prove_create_once(f"{RUNS}/{run}/{name}", path)
            proved = True
    gone = [name for name in newest.removed if name in there]
    target.bucket.remove(f"{RUNS}/{run}/{name}" for name in gone)
    return proved


def _create(target: RemoteStore, run: str, name: str, path: Path, entry: FileEntry) -> None:
    try:
        target.bucket.create(f"{RUNS}/{run}/{name}", path)
    except StoreExistsError:
        _refuse_other(target, run, name, entry)


def _refuse_other(target: RemoteStore, run: str, name: str, wanted: FileEntry) -> None:
    found: FileEntry | None = None
    with suppress(FileNotFoundError):
        found = target.bucket.entry(f"{RUNS}/{run}/{name}")
    if found != wanted:
        raise _in_the_way(target, run, name, wanted)


def _in_the_way(target: RemoteStore, run: str, name: str, wanted: FileEntry | None) -> RunDiffersError:
    return RunDiffersError(
        f"run {run}: another object is there, of an upload with another content",
        where=Where(target.bucket.shown(f"{RUNS}/{run}/{name}")),
        expected=f"{wanted.bytes} bytes, sha256 {wanted.sha256}" if wanted else "no object of that name",
        next_step="give the run its own id where it was collected, or remove the objects of an upload that was given up",
    )


def _refuse_incomplete(target: RemoteStore, run: str, newest: Manifest, files: Sequence[str]) -> None:
    """Raise StoreDamagedError, before the first manifest is written, where an object has not the size that it must have."""
    target.forget()
    there = target.listing(run).get(run, {})
    for name in files:
        said = there.get(name)
        if said is None or (said.bytes is not None and said.bytes != newest.files[name].bytes):
            raise StoreDamagedError(
                "missing after the upload" if said is None else f"{said.bytes} bytes after the upload",
                where=Where(target.bucket.shown(f"{RUNS}/{run}/{name}")),
                expected=f"{newest.files[name].bytes} bytes",
                next_step="run the same command again",
            )


def _manifests(source: RunLayout) -> dict[str, FileEntry]:
    """Return the manifests of a closed run by name."""
    paths = [source.manifest(each.generation) for each in chain(source)]
    return {path.name: file_entry(path) for path in paths}
