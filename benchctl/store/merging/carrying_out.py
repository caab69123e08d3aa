"""The steps of a merge carried out in a folder: each run appears whole, or gets its further files in order."""

from __future__ import annotations

import os
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchctl.errors import RunBusyError, StoreDamagedError, Where
from benchctl.store.disk.durable import (
    TEMPORARY,
    create_once,
    fsync_folder,
    link_once,
    make_folder,
    unwritable,
)
from benchctl.store.disk.entries import file_entry
from benchctl.store.disk.layout import RunLayout
from benchctl.store.disk.verified_file import trusted
from benchctl.store.journals.journal import journals
from benchctl.store.journals.lock import RunLock
from benchctl.store.journals.state import standing
from benchctl.store.merging.chains import chain, further
from benchctl.store.merging.shards import Shard, read_shards, united
from benchctl.store.merging.swap import copy_bytes, copy_verified, placing, refuse_unless, staging
from benchctl.store.writing.generation import adding
from benchctl.store.writing.starting import withdraw

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchctl.store.merging.plan import Step
    from benchctl.store.reader import Store

__all__ = ["Carried", "carry_out"]


@dataclass(frozen=True, slots=True)
class Carried:
    """What was written of a run."""

    files: int = 0
    bytes: int = 0


def carry_out(target: Store, steps: Sequence[Step]) -> Iterator[tuple[Step, Carried]]:
    """Carry out steps in a store that is a folder, yielding each with what was written of it.

    Raises RunBusyError, StoreDamagedError or StoreUnwritableError; the runs before it are whole, and the same
    command goes on from there.
    """
    needed = any(step.action in {"added", "closed"} for step in steps)
    if needed:
        make_folder(target.runs_dir)
    with staging(target.path) if needed else nullcontext(target.path) as folder:
        for step in steps:
            yield step, _written(target, step, folder / step.run)


def _written(target: Store, step: Step, staged: Path) -> Carried:
    layout = target.layout(step.run)
    match step.action:
        case "added" | "closed" if step.best:
            with placing(staged, layout, "absent" if step.action == "added" else "open"):
                return _copy_closed(step.best, staged)
        case "added":
            with placing(staged, layout, "absent"):
                return _copy_open(step, staged)
        case "extended" if step.best:
            return _extend(layout, step.best)
        case "united":
            return _unite(layout, step)
        case "present":
            return _tidied(layout)
        case _:
            return Carried()


def _tidied(layout: RunLayout) -> Carried:
    """Sweep what a dead writer, or one who lost a race, has left of its lock in a closed run."""
    if layout.journal.is_dir() and standing(layout).state == "closed":
        with suppress(RunBusyError), adding(layout):  # who is busy there sweeps it
            pass
    return Carried()


def _copy_closed(source: RunLayout, staged: Path) -> Carried:
    """Copy a closed run with all its generations, the manifests last; what was copied is checked once more as a run."""
    generations = chain(source)
    newest = generations[-1]
    manifests = {source.manifest(each.generation).name for each in generations}
    for name, entry in newest.files.items():
        if name not in manifests:
            copy_verified(trusted(source, newest, name), staged / name, entry)
    written = Carried(len(newest.files) + 1, sum(entry.bytes for entry in newest.files.values()))
    for each in generations:
        path = source.manifest(each.generation)
        copy_verified(path, staged / path.name, newest.files.get(path.name) or file_entry(path))
    copied = standing(RunLayout(staged)).manifest
    if copied is None or copied.digest != newest.digest:
        raise StoreDamagedError(
            "the run was changed while it was copied",
            where=Where(source.shown),
            next_step="run the same command again",
        )
    return written


def _copy_open(step: Step, staged: Path) -> Carried:
    """Copy shards as one open run: their terms once, each of their journals once."""
    copy = RunLayout(staged)
    terms = {"run.json": step.shards[0].record}
    if suite := _suite(step):
        terms["evidence/suite.toml"] = suite
    for name, path in terms.items():
        copy_verified(path, staged / name, file_entry(path))
    make_folder(copy.journal)
    kept = united(step.run, [read_shards(layout) for layout in step.shards])
    return _add_journals(copy, kept, ())


def _suite(step: Step) -> Path | None:
    return next((layout.suite for layout in step.shards if layout.suite.exists()), None)


def _unite(layout: RunLayout, step: Step) -> Carried:
    """Add the journals of other shards to an open run; each is there whole or not at all."""
    lock = RunLock(layout.lock, step.run)
    try:
        refuse_unless(layout, "open")
        ours = read_shards(layout)
        kept = united(step.run, [ours, *(read_shards(each) for each in step.shards)])
        if (suite := _suite(step)) and not layout.suite.exists():
            create_once(layout.suite, suite.read_bytes(), layout.journal)
        return _add_journals(layout, [shard for shard in kept if shard not in ours.journals], ours.journals)
    except BaseException:
        withdraw(layout)
        raise
    finally:
        lock.release()


def _add_journals(layout: RunLayout, fresh: Sequence[Shard], ours: Sequence[Shard]) -> Carried:
    """Write journals under the next numbers, without a gap; a longer copy takes the place of its beginning."""
    beginnings = list(ours)
    for shard in fresh:
        temporary = layout.journal / f"merge.{os.getpid()}{TEMPORARY}"
        temporary.unlink(missing_ok=True)
        if copy_bytes(shard.path, temporary, shard.size) != shard.sha256:
            raise StoreDamagedError(
                "changed while it was copied",
                where=Where(str(shard.path)),
                next_step="end who writes there, and run the same command again",
            )
        shorter = next((each for each in beginnings if shard.holds(each)), None)
        if shorter:
            beginnings.remove(shorter)  # what another journal begins with too is in the place of this one now
            with unwritable(shorter.path):
                temporary.replace(shorter.path)
                fsync_folder(layout.journal)
        else:
            link_once(temporary, layout.journal / f"w{len(journals(layout.journal)) + 1:04d}.jsonl")
    return Carried(len(fresh), sum(shard.size for shard in fresh))


def _extend(layout: RunLayout, source: RunLayout) -> Carried:
    """Add the generations that a closed run lacks, one after the other, each as if it were made here."""
    files = size = 0
    while more := _next_generation(layout, source):
        files, size = files + more.files, size + more.bytes
    return Carried(files, size)


def _next_generation(layout: RunLayout, source: RunLayout) -> Carried | None:
    """Add one generation: its files, then its manifest; `adding` removes what that says is gone. None where none is left.

    A file that a later generation removes is nowhere any more, so it is left out.
    """
    with adding(layout) as addition:
        if further(layout, source) is layout:
            return None
        wanted, newest = chain(source)[addition.newest.generation], chain(source)[-1]
        files = {
            name: entry
            for name, entry in wanted.files.items()
            if name not in addition.newest.files and name in newest.files and not name.startswith("manifest")
        }
        temporaries = []
        for nth, (name, entry) in enumerate(files.items()):
            temporary = addition.scratch / f"{nth}.{os.getpid()}{TEMPORARY}"
            copy_verified(trusted(source, newest, name), temporary, entry)
            temporaries.append(temporary)
        addition.note(wanted.generation, files)
        for name, temporary in zip(files, temporaries, strict=True):
            link_once(temporary, layout.folder / name)
        create_once(layout.manifest(wanted.generation), wanted.to_bytes(), addition.scratch)
    return Carried(len(files) + 1, sum(entry.bytes for entry in files.values()))
